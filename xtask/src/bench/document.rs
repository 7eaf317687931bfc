//! A document of the sample project.

use std::io::Read;
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

use crate::bench::content::{id, post};
use crate::bench::form::{self, FormFile};
use crate::bench::request::Request;
use crate::bench::server::Botyard;

/// Where the documents of a project are.
pub const DOCUMENTS: &str = "/api/external/projectapi/doc";
/// How often it is checked whether an extraction has ended, and how many times at most.
const LOOK: Duration = Duration::from_millis(50);
const LOOKS: u32 = 6_000;

pub struct Document<'a> {
    pub server: &'a Botyard,
    pub id: String,
}

impl<'a> Document<'a> {
    /// Uploads a file with these fields of the form.
    pub fn upload<R: Read>(
        server: &'a Botyard,
        fields: &[(&str, &str)],
        file: FormFile<R>,
    ) -> Result<Self> {
        let request = server.project_request("POST", vec![format!("{DOCUMENTS}/upload")]);
        let answer = form::send(&request, server.address, fields, file)?;
        let answer: Value = serde_json::from_str(&answer.body).context("the uploaded document")?;
        let id = id(answer.get("projectDoc").unwrap_or(&Value::Null))?;
        Ok(Self { server, id })
    }

    /// Has its text made into chunks, as it was the last time, and waits for that.
    pub fn extract(&self) -> Result<()> {
        let path = format!("{DOCUMENTS}/extract/{}", self.id);
        post(self.server, &path, &json!({})).map(drop)
    }

    /// Insists that its extraction ends in this way, and returns how many chunks it has then.
    pub fn require_status(&self, status: &str) -> Result<u64> {
        for _ in 0..LOOKS {
            let document = self.server.ask(&self.request("GET", ""))?.body;
            let document: Value = serde_json::from_str(&document).context("a document")?;
            let member = |name| document.pointer(name).unwrap_or(&Value::Null);
            match member("/extraction/status").as_str() {
                Some("queued" | "running") => sleep(LOOK),
                Some(found) if found == status => {
                    return Ok(member("/extraction/chunkCount").as_u64().unwrap_or_default());
                }
                _ => bail!("the figure is void, because the extraction ended as {document}"),
            }
        }
        bail!("the extraction does not end")
    }

    /// Reads what is at `rest` and keeps nothing of it but how long it is.
    pub fn drain(&self, rest: &str) -> Result<u64> {
        self.request("GET", rest).drain(self.server.address)
    }

    pub fn delete(&self) -> Result<()> {
        self.server.ask(&self.request("DELETE", "")).map(drop)
    }

    fn request(&self, method: &'static str, rest: &str) -> Request {
        let path = format!("{DOCUMENTS}/files/{}{rest}", self.id);
        self.server.project_request(method, vec![path])
    }
}
