//! Bots that are filled for a figure, through the API.

use anyhow::{Context as _, Result, anyhow};
use serde_json::{Value, json};

use crate::bench::archive::Archive;
use crate::bench::request::Request;
use crate::bench::server::Botyard;

const BOTS: &str = "/api/external/projectapi/bots";

/// A bot of the sample project.
pub struct Bot<'a> {
    pub server: &'a Botyard,
    id: String,
}

impl<'a> Bot<'a> {
    /// Creates a bot with nothing but a name.
    pub fn create(server: &'a Botyard) -> Result<Self> {
        Self::answered(server, BOTS, &json!({ "name": "Measured" }))
    }

    /// Creates a bot with all that this one has.
    pub fn duplicate(&self) -> Result<Self> {
        Self::answered(self.server, &self.path("/duplicate"), &json!({ "name": "Copied" }))
    }

    fn answered(server: &'a Botyard, path: &str, body: &Value) -> Result<Self> {
        let bot = post(server, path, body)?;
        Ok(Self { server, id: id(&bot)? })
    }

    /// Where something of this bot is.
    pub fn path(&self, rest: &str) -> String {
        format!("{BOTS}/{}{rest}", self.id)
    }

    /// Where a skill is that [`Self::add_skills`] has made.
    pub fn skill(&self, number: usize) -> String {
        self.path(&format!("/skills/{}", skill_id(number)))
    }

    pub fn add_skills(&self, count: usize) -> Result<()> {
        self.add("/skills", (0..count).map(skill))
    }

    pub fn add_stages(&self, count: usize) -> Result<()> {
        self.add("/stages", (0..count).map(stage))
    }

    fn add(&self, rest: &str, mut bodies: impl Iterator<Item = Value>) -> Result<()> {
        let path = self.path(rest);
        bodies.try_for_each(|body| post(self.server, &path, &body).map(drop))
    }

    /// Adds a Fusion-View without a package, and returns where its package can be uploaded.
    pub fn add_view(&self) -> Result<Request> {
        let body = json!({ "type": "website", "title": "Measured", "entryPoint": "index.html" });
        let view = post(self.server, &self.path("/fusion"), &body)?;
        let upload = self.path(&format!("/fusion/{}/upload", id(&view)?));
        Ok(self.server.project_request("POST", vec![upload]))
    }

    /// Adds Fusion-Views whose packages are all different.
    pub fn add_packages(&self, count: u64, archive: &Archive) -> Result<()> {
        (0..count).try_for_each(|number| {
            let upload = self.add_view()?;
            archive.upload(&upload, self.server.address, number)
        })
    }

    /// A list of this bot.
    pub fn list(&self, rest: &str) -> Result<Vec<Value>> {
        let answer = self.server.ask(&self.server.project_request("GET", vec![self.path(rest)]))?;
        serde_json::from_str(&answer.body).with_context(|| format!("the list of {rest}"))
    }
}

/// Creates something, and returns it.
pub fn post(server: &Botyard, path: &str, body: &Value) -> Result<Value> {
    let request = server.project_request("POST", vec![path.to_owned()]);
    let answer = server.ask(&Request { body: Some(body.to_string()), ..request })?;
    serde_json::from_str(&answer.body).with_context(|| format!("the answer of {path}"))
}

pub fn id(resource: &Value) -> Result<String> {
    let id = resource.get("_id").and_then(Value::as_str);
    Ok(id.ok_or_else(|| anyhow!("the answer has no _id"))?.to_owned())
}

/// Of one length for all numbers below 10 000, so that their answers are, too.
fn skill_id(number: usize) -> String {
    format!("skill-{number:04}")
}

/// A skill of about 1 KB as the API answers it.
fn skill(number: usize) -> Value {
    json!({
        "name": format!("Skill {number:04}"),
        "skillId": skill_id(number),
        "description": "Tells the customer what he asked for.",
        "content": "If somebody asks for this, then answer shortly and kindly. ".repeat(7),
        "params": [{"name": "orderNumber", "type": "string", "required": true}],
        "toolCallAnswer": ["One moment, please.", "I am looking for it."],
        "answerMode": "random",
    })
}

/// A stage with three skills, of about half a KB.
fn stage(number: usize) -> Value {
    json!({
        "title": format!("Stage {number:04}"),
        "skills": [skill_id(number), skill_id(number + 1), skill_id(number + 2)],
        "enterJS": "context.greeted = true;",
        "preConditionJS": "return context.greeted;",
    })
}
