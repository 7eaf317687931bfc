//! `cargo xtask openapi --examples`: the answers of a seeded server that the API document shows.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail};
use serde_json::{Value, json};

use crate::bench::{Botyard, Database, FormFile, form};
use crate::workspace::Workspace;

/// Where the examples are.
pub const FILE: &str = "crates/http-actix/src/openapi/examples.json";
/// How many characters of a text are shown.
const TEXT_MAX: usize = 160;
/// A rate that is reached only where that is meant.
const LIMITS: [&str; 4] = ["--rate-limit-requests-per-second", "1", "--rate-limit-burst", "200"];
const PROJECT: &str = "/api/external/projectapi";
const BOT: &str = "/api/external/projectapi/bots/{botId}";

/// Asks a new server for each kind of answer that there is, and keeps the first of each.
pub fn record(workspace: &Workspace, binary: &Path) -> Result<String> {
    let folder = workspace.target.join("examples");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    let server = Botyard::start(binary, &Database::Sqlite(folder), &LIMITS)?;
    let document = server.project_request("GET", vec!["/openapi.json".to_owned()]);
    let document = serde_json::from_str(&server.ask(&document)?.body)?;
    let mut recorder = Recorder { server, document, examples: BTreeMap::new(), names: Vec::new() };
    record_content(&mut recorder)?;
    record_of_project(&mut recorder)?;
    record_of_bot(&mut recorder)?;
    record_refusals(&mut recorder)?;
    record_limits(&mut recorder)?;
    Ok(serde_json::to_string_pretty(&recorder.examples)? + "\n")
}

struct Recorder {
    server: Botyard,
    document: Value,
    /// The answers, by the names of the responses in the document.
    examples: BTreeMap<String, Value>,
    /// What stands in paths in place of parameters.
    names: Vec<(&'static str, String)>,
}

/// What a request brings along.
enum Body {
    Nothing,
    Json(Value),
    File(&'static str, Vec<u8>),
}

impl Recorder {
    /// Sends a request to an operation, and keeps what it answers under the name that the document has for it.
    fn call(&mut self, method: &'static str, path: &str, body: Body) -> Result<Value> {
        let (template, _) = path.split_once('?').unwrap_or((path, ""));
        let mut target = path.to_owned();
        for (name, value) in &self.names {
            target = target.replace(&format!("{{{name}}}"), value);
        }
        let mut request = if path.starts_with(PROJECT) {
            self.server.project_request(method, vec![target])
        } else {
            self.server.request(method, &target)
        };
        let response = match body {
            Body::File(name, bytes) => {
                let file = FormFile::of(name, "application/octet-stream", bytes);
                request.ask_for_any(self.server.address, Some(form(&[], file)))?
            }
            Body::Json(value) => {
                request.body = Some(value.to_string());
                request.ask_for_any(self.server.address, request.content())?
            }
            Body::Nothing => request.ask_for_any(self.server.address, request.content())?,
        };
        let status = response.head.split(' ').nth(1).unwrap_or_default().to_owned();
        let value: Value = serde_json::from_str(&response.body)
            .with_context(|| format!("{method} {path}: {}", response.body))?;
        self.keep(method, template, &status, &value)?;
        Ok(value)
    }

    fn keep(&mut self, method: &str, path: &str, status: &str, value: &Value) -> Result<()> {
        let operation = ["paths", path, &method.to_lowercase(), "responses", status, "$ref"];
        let mut steps = operation.into_iter();
        let reference = steps.try_fold(&self.document, |value, step| value.get(step));
        let reference = reference.and_then(Value::as_str);
        let name = reference.and_then(|reference| reference.rsplit('/').next());
        let name = name.ok_or_else(|| anyhow!("{method} {path} has no {status}: {value}"))?;
        let example = shortened(value, true);
        self.examples.entry(name.to_owned()).or_insert(example);
        Ok(())
    }

    fn get(&mut self, path: &str) -> Result<Value> {
        self.call("GET", path, Body::Nothing)
    }

    /// Asks until there is something at the pointer.
    fn until(&mut self, path: &str, pointer: &str) -> Result<Value> {
        for _ in 0..100 {
            let found = self.get(path)?;
            if found.pointer(pointer).is_some() {
                return Ok(found);
            }
            self.examples.retain(|_, example| example.as_array().is_none_or(|all| !all.is_empty()));
            sleep(Duration::from_millis(100));
        }
        bail!("nothing at {pointer} of {path}")
    }

    fn post(&mut self, path: &str, body: Value) -> Result<Value> {
        self.call("POST", path, Body::Json(body))
    }

    fn put(&mut self, path: &str, body: Value) -> Result<Value> {
        self.call("PUT", path, Body::Json(body))
    }

    fn delete(&mut self, path: &str) -> Result<Value> {
        self.call("DELETE", path, Body::Nothing)
    }

    /// What stands for a parameter from now on: the text at the pointer.
    fn name(&mut self, parameter: &'static str, value: &Value, pointer: &str) -> Result<()> {
        let text = value.pointer(pointer).and_then(Value::as_str);
        let text = text.ok_or_else(|| anyhow!("nothing at {pointer} in {value}"))?.to_owned();
        self.names.retain(|(known, _)| *known != parameter);
        self.names.push((parameter, text));
        Ok(())
    }
}

/// A list shows its first item, a text its beginning.
fn shortened(value: &Value, is_outermost: bool) -> Value {
    match value {
        Value::String(text) if text.chars().count() > TEXT_MAX => {
            let beginning: String = text.chars().take(TEXT_MAX).collect();
            (beginning + "…").into()
        }
        Value::Array(items) => {
            let is_short = !is_outermost && items.iter().all(Value::is_string);
            let shown = if is_short { items.len() } else { 1 };
            items.iter().take(shown).map(|item| shortened(item, false)).collect()
        }
        Value::Object(members) => {
            members.iter().map(|(name, value)| (name.clone(), shortened(value, false))).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

/// What belongs to a bot, as the samples have it.
fn record_content(recorder: &mut Recorder) -> Result<()> {
    recorder.get("/api/external/projectapi/checkauth")?;
    let bots = recorder.get("/api/external/projectapi/bots?limit=1")?;
    recorder.name("botId", &bots, "/0/_id")?;
    recorder.get(BOT)?;
    for (rest, parameter) in [
        ("skills", "skillId"),
        ("stages", "stageId"),
        ("fusion", "fusionId"),
        ("embedding", "scrapeId"),
    ] {
        let all = recorder.get(&format!("{BOT}/{rest}"))?;
        recorder.name(parameter, &all, "/0/_id")?;
        recorder.get(&format!("{BOT}/{rest}/{{{parameter}}}"))?;
    }
    recorder.put(&format!("{BOT}/embedding/{{scrapeId}}"), json!({"active": true}))?;
    for rest in ["usage", "feedback", "changelog"] {
        recorder.get(&format!("{BOT}/{rest}"))?;
    }
    Ok(())
}

/// What is sent to other servers: here to none, because the address is closed.
fn record_webhooks(recorder: &mut Recorder) -> Result<()> {
    let (all, one) =
        ("/api/external/projectapi/webhooks", format!("{PROJECT}/webhooks/{{webhookId}}"));
    let sample = json!({"url": "http://127.0.0.1:9000/", "types": ["skill.*", "crawl.finished"]});
    let webhook = recorder.post(all, sample)?;
    recorder.name("webhookId", &webhook, "/_id")?;
    // What nobody was given.
    let secret = format!("whsec_{}=", "A".repeat(43));
    if let Some(example) = recorder.examples.get_mut("WebhookWithSecret") {
        example["secret"] = secret.into();
    }
    recorder.get(all)?;
    recorder.get(&one)?;
    recorder.call("POST", &format!("{one}/test"), Body::Nothing)?;
    let deliveries = recorder.until(&format!("{one}/deliveries"), "/0/_id")?;
    recorder.name("deliveryId", &deliveries, "/0/_id")?;
    recorder.call("POST", &format!("{one}/deliveries/{{deliveryId}}/retry"), Body::Nothing)?;
    Ok(())
}

/// What belongs to the project.
fn record_of_project(recorder: &mut Recorder) -> Result<()> {
    recorder.get("/api/external/projectapi/events?limit=1")?;
    recorder.call("POST", "/api/external/projectapi/events/ticket", Body::Nothing)?;
    record_webhooks(recorder)?;
    let text = b"# Opening hours\n\nWe are open from 9 to 17.\n".to_vec();
    let upload = |bytes: &[u8]| Body::File("opening-hours.md", bytes.to_vec());
    let document = recorder.call("POST", &format!("{PROJECT}/doc/upload"), upload(&text))?;
    recorder.name("docId", &document, "/projectDoc/_id")?;
    let ids = json!({"docIds": [document.pointer("/projectDoc/_id")]});
    recorder.get(&format!("{PROJECT}/doc/files"))?;
    recorder.get(&format!("{PROJECT}/doc/files/{{docId}}"))?;
    recorder.get(&format!("{PROJECT}/doc/files/{{docId}}/chunks"))?;
    recorder.post(&format!("{PROJECT}/doc/extract/{{docId}}"), json!({"maxChars": 500}))?;
    recorder.call("PUT", &format!("{PROJECT}/doc/replace/{{docId}}"), upload(&text))?;
    recorder.post(&format!("{BOT}/doc/assign"), ids.clone())?;
    recorder.post(&format!("{BOT}/doc/unassign"), ids)?;
    recorder.call("POST", &format!("{BOT}/doc/upload"), upload(&text))?;
    let no_text = Body::File("noise.bin", vec![0, 1, 2, 3]);
    let noise = recorder.call("POST", &format!("{PROJECT}/doc/upload"), no_text)?;
    recorder.name("docId", &noise, "/projectDoc/_id")?;
    recorder.post(&format!("{PROJECT}/doc/extract/{{docId}}"), json!({}))?;
    recorder.delete(&format!("{PROJECT}/doc/files/{{docId}}"))?;
    let rule = json!({"keyPattern": "session-*", "maxAgeSeconds": 86_400});
    recorder.post(&format!("{PROJECT}/keyval/maxage"), rule)?;
    recorder.get(&format!("{PROJECT}/keyval/maxage"))?;
    let view =
        recorder.post(&format!("{BOT}/fusion"), json!({"type": "h5p", "title": "Course"}))?;
    recorder.name("fusionId", &view, "/_id")?;
    let package = include_bytes!("../../crates/http-actix/src/api/fusion/package.zip");
    let package = Body::File("package.zip", package.to_vec());
    recorder.call("POST", &format!("{BOT}/fusion/{{fusionId}}/upload"), package)?;
    Ok(())
}

/// What only a bot token reaches.
fn record_of_bot(recorder: &mut Recorder) -> Result<()> {
    recorder.get("/api/external/supervisor/users")?;
    let chats = recorder.get("/api/external/supervisor/chats")?;
    recorder.name("userId", &chats, "/0/userId")?;
    recorder.get("/api/external/supervisor/chats/{userId}")?;
    recorder.get("/api/external/useraccess/users")?;
    recorder.get("/api/external/useraccess/user/usersinorg")?;
    recorder.get("/api/external/useraccess/user/byId/{userId}")?;
    let user = json!({"guestId": "guest-1042", "name": "Ada"});
    recorder.post("/api/external/useraccess/user", user)?;
    for (parameter, text) in [("userId", "guest-1042"), ("type", "settings"), ("key", "theme")] {
        recorder.name(parameter, &text.into(), "")?;
    }
    recorder.put("/api/external/keyval/{userId}/{type}/{key}", json!({"value": {"dark": true}}))?;
    recorder.get("/api/external/keyval")?;
    recorder.delete("/api/external/keyval/{userId}/{type}/{key}")?;
    recorder.delete("/api/external/keyval/{userId}")?;
    for path in ["/healthz", "/readyz"] {
        recorder.get(path)?;
    }
    Ok(())
}

/// What refusals look like.
fn record_refusals(recorder: &mut Recorder) -> Result<()> {
    recorder.put(BOT, json!({"temperature": 7}))?;
    recorder.name("key", &"!plan".into(), "")?;
    recorder.put("/api/external/keyval/{userId}/{type}/{key}", json!({"value": 1}))?;
    recorder.post(&format!("{BOT}/fusion/{{fusionId}}/upload"), json!({}))?;
    recorder.get(&format!("/healthz?{}", "x".repeat(20_000)))?;
    // A blank in the middle of a target makes a head that is not HTTP/1.1.
    recorder.post("/api/external/bot/duplicate?a b", json!({}))?;
    let long = json!({"name": "x".repeat(2 << 20)});
    recorder.post(&format!("{BOT}/duplicate"), long)?;
    let skills = recorder.get(&format!("{BOT}/skills"))?;
    recorder.post(&format!("{BOT}/skills"), json!({"name": skills.pointer("/0/name")}))?;
    let created = recorder.post(&format!("{PROJECT}/bots"), json!({"name": "Grace"}))?;
    recorder.name("botId", &created, "/_id")?;
    recorder.delete(BOT)?;
    recorder.get(BOT)?;
    let token = std::mem::replace(&mut recorder.server.project.secret, "none".to_owned());
    recorder.get(BOT)?;
    recorder.server.project.secret = token;
    Ok(())
}

/// What a server answers that can't do more, or not now.
fn record_limits(recorder: &mut Recorder) -> Result<()> {
    // The other header is sent with that of the token.
    let range = "\r\nRange: bytes=9999-";
    let document = format!("{PROJECT}/doc/files/{{docId}}");
    let files = recorder.get(&format!("{PROJECT}/doc/files"))?;
    recorder.name("docId", &files, "/0/_id")?;
    recorder.server.project.secret.push_str(range);
    recorder.get(&format!("{document}/download"))?;
    recorder.server.project.secret.truncate(recorder.server.project.secret.len() - range.len());
    for _ in 0..1_000 {
        if !recorder.examples.contains_key("TooManyRequests") {
            recorder.get(&document)?;
        }
    }
    fs::remove_dir_all(recorder.server.folder.join("data/blobs"))?;
    recorder.get("/readyz")?;
    if recorder.examples.len() < 40 {
        bail!("only {} examples were recorded", recorder.examples.len());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_texts_are_shortened() {
        let long = "ä".repeat(TEXT_MAX + 1);
        let value = json!([{"text": long, "scopes": ["a", "b"], "items": [{}, {}]}, {}]);
        let short = format!("{}…", "ä".repeat(TEXT_MAX));
        let expected = json!([{"text": short, "scopes": ["a", "b"], "items": [{}]}]);
        assert_eq!(shortened(&value, true), expected);
    }
}
