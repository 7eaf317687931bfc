//! The installed server, as its administrator and as a client use it.

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use super::Trial;

const API: &str = "http://127.0.0.1:8080/api/external/projectapi";

/// A project in the server, with a token.
pub struct Service {
    header: String,
}

impl Service {
    /// Makes an organisation, a project and a token, and checks the token.
    pub fn prepare(trial: &Trial) -> Result<Self> {
        administer(trial, &["organisation", "create", "--name", "Example Ltd"])?;
        let project = administer(trial, &["project", "create", "--name", "Trial"])?;
        let project = text(&project, "/_id")?;
        let minting =
            ["token", "mint", "--project", &project, "--name", "Trial", "--scopes", "all"];
        let token = text(&administer(trial, &minting)?, "/token")?;
        let service = Self { header: format!("X-Project-Api-Key: {token}") };
        let answer = service.call(trial, &[&format!("{API}/checkauth")])?;
        println!("GET /checkauth → {answer}");
        if text(&answer, "/projectId")? != project {
            bail!("the token is of another project");
        }
        Ok(service)
    }

    /// Uploads a document and looks for a text in its chunks.
    pub fn read_document(&self, trial: &Trial, name: &str, expected: &str) -> Result<()> {
        let form = format!("file=@/trial/{name}");
        let answer = self.call(trial, &["--form", &form, &format!("{API}/doc/upload")])?;
        let document = text(&answer, "/projectDoc/_id")?;
        let status = text(&answer, "/projectDoc/extraction/status")?;
        let chunks = self.call(trial, &[&format!("{API}/doc/files/{document}/chunks")])?;
        let texts =
            chunks.as_array().into_iter().flatten().filter_map(|chunk| chunk.get("text")?.as_str());
        let found = texts.flat_map(str::lines).find(|line| line.contains(expected));
        println!("{name}: {status}, a chunk has {:?}", found.unwrap_or("nothing of it"));
        if found.is_none() {
            bail!("{name} was not read");
        }
        Ok(())
    }

    /// Checks that the project has this number of documents.
    pub fn expect_documents(&self, trial: &Trial, number: usize) -> Result<()> {
        let answer = self.call(trial, &[&format!("{API}/doc/files")])?;
        let found = answer.as_array().context("the list of documents")?.len();
        println!("GET /doc/files → {found} documents");
        if found != number {
            bail!("there should be {number}");
        }
        Ok(())
    }

    fn call(&self, trial: &Trial, arguments: &[&str]) -> Result<Value> {
        let call =
            ["curl", "--silent", "--show-error", "--fail-with-body", "--header", &self.header];
        let answer = trial.quiet(&[&call[..], arguments].concat())?;
        serde_json::from_str(&answer).with_context(|| format!("the answer {answer:?}"))
    }
}

/// Runs a command of botyard beside the server, under its account.
fn administer(trial: &Trial, arguments: &[&str]) -> Result<Value> {
    let command = ["runuser", "-u", "botyard", "--", "botyard", "--json"];
    println!("# botyard {}", arguments.join(" "));
    let printed = trial.quiet(&[&command[..], arguments].concat())?;
    serde_json::from_str(&printed).with_context(|| format!("the result {printed:?}"))
}

fn text(value: &Value, pointer: &str) -> Result<String> {
    let found = value.pointer(pointer).and_then(Value::as_str);
    Ok(found.with_context(|| format!("{value} has no {pointer}"))?.to_owned())
}
