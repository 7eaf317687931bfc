//! Bots that are filled for a figure, through the API.

use anyhow::{Context as _, Result, anyhow};
use serde_json::{Value, json};

use crate::bench::archive::Archive;
use crate::bench::request::{Request, Token};
use crate::bench::server::Botyard;

pub const BOTS: &str = "/api/external/projectapi/bots";

/// A bot, mostly of the sample project.
pub struct Bot<'a> {
    pub server: &'a Botyard,
    /// A token of its project.
    token: &'a Token,
    pub id: String,
}

impl<'a> Bot<'a> {
    /// Creates a bot with nothing but a name.
    pub fn create(server: &'a Botyard) -> Result<Self> {
        Self::create_with(server, &server.project, &json!({ "name": "Measured" }))
    }

    /// Creates a bot like this in the project of a token.
    pub fn create_with(server: &'a Botyard, token: &'a Token, body: &Value) -> Result<Self> {
        Self::answered(server, token, BOTS, body)
    }

    /// A bot of the sample project that is there.
    pub fn existing(server: &'a Botyard, id: &str) -> Self {
        Self { server, token: &server.project, id: id.to_owned() }
    }

    /// Creates a bot with all that this one has.
    pub fn duplicate(&self) -> Result<Self> {
        let body = json!({ "name": "Copied" });
        Self::answered(self.server, self.token, &self.path("/duplicate"), &body)
    }

    fn answered(server: &'a Botyard, token: &'a Token, path: &str, body: &Value) -> Result<Self> {
        let bot = post_with(server, token, path, body)?;
        Ok(Self { server, token, id: id(&bot)? })
    }

    /// A request with a token of its project for something of this bot.
    pub fn request(&self, method: &'static str, rest: &str) -> Request {
        Request { method, paths: vec![self.path(rest)], token: self.token.clone(), body: None }
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

    /// Adds one thing after the other to one of its lists.
    pub fn add(&self, rest: &str, mut bodies: impl Iterator<Item = Value>) -> Result<()> {
        let path = self.path(rest);
        bodies.try_for_each(|body| post_with(self.server, self.token, &path, &body).map(drop))
    }

    /// Adds a Fusion-View without a package, and returns where its package can be uploaded.
    pub fn add_view(&self) -> Result<Request> {
        let body = json!({ "type": "website", "title": "Measured", "entryPoint": "index.html" });
        let view = post_with(self.server, self.token, &self.path("/fusion"), &body)?;
        Ok(self.request("POST", &format!("/fusion/{}/upload", id(&view)?)))
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
        let answer = self.server.ask(&self.request("GET", rest))?;
        serde_json::from_str(&answer.body).with_context(|| format!("the list of {rest}"))
    }
}

/// Creates something in the sample project, and returns it.
pub fn post(server: &Botyard, path: &str, body: &Value) -> Result<Value> {
    post_with(server, &server.project, path, body)
}

fn post_with(server: &Botyard, token: &Token, path: &str, body: &Value) -> Result<Value> {
    let (paths, token) = (vec![path.to_owned()], token.clone());
    let request = Request { method: "POST", paths, token, body: Some(body.to_string()) };
    let answer = server.ask(&request)?;
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
