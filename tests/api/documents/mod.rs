//! `/api/external/projectapi/doc` and `{bot}/doc`: the documents of a project, and those of its bots.
//!
//! Helpers come first: [`programs`] stand in the place of those that
//! read images, [`processes`] looks at the server's process and at those that it starts.

mod processes;
mod programs;

mod assign;
mod at_once;
mod before_the_body;
mod bucket;
mod changelog;
mod chunks;
mod copies;
mod delete;
mod download;
mod extract;
mod failing;
mod file_names;
mod formats;
mod full_disk;
mod hostile;
mod limits;
mod list;
mod meanwhile;
mod ocr;
mod others;
mod plan;
mod ranges;
mod replace;
mod restart;
mod same_file;
mod sandbox;
mod sizes;
mod skills;
mod teardown;
mod upload;
mod violations;
mod waits;

use botyard_tests::waiting::{eventually, until};
use botyard_tests::{Client, Form, OnBot, Response, Tenant, TestApp};
use serde_json::{Value, json};

use crate::bots::BOTS;
use crate::skills::id;

/// Where the documents of a project are.
pub const FILES: &str = "/api/external/projectapi/doc/files";
/// Where new ones go.
pub const UPLOAD: &str = "/api/external/projectapi/doc/upload";

/// The path of a document.
fn at(id: &str) -> String {
    format!("{FILES}/{id}")
}

fn chunks_at(id: &str) -> String {
    format!("{FILES}/{id}/chunks")
}

fn download_at(id: &str) -> String {
    format!("{FILES}/{id}/download")
}

fn replace_at(id: &str) -> String {
    format!("/api/external/projectapi/doc/replace/{id}")
}

fn extract_at(id: &str) -> String {
    format!("/api/external/projectapi/doc/extract/{id}")
}

/// Where the documents of a bot are dealt with: `assign`, `unassign` and `upload`.
fn on_bot(bot: &str, what: &str) -> String {
    format!("{BOTS}/{bot}/doc/{what}")
}

/// A form with a text.
pub fn text_form(name: &str, text: &str) -> Form {
    Form::new().file(name, "text/plain", text.as_bytes())
}

/// Sends a form.
#[track_caller]
pub fn post(client: &Client<'_>, path: &str, form: &Form) -> Response {
    client.request("POST", path).form(form).send()
}

/// Sends a form that replaces a document.
#[track_caller]
pub fn replace(client: &Client<'_>, id: &str, form: &Form) -> Response {
    client.request("PUT", &replace_at(id)).form(form).send()
}

/// Uploads a document to the project; returns it as it is when its extraction has ended.
#[track_caller]
fn upload(bot: &OnBot<'_>, form: &Form) -> Value {
    let made = post(&bot.client, UPLOAD, form).ok();
    settled(bot, &id(&made["projectDoc"]))
}

/// Uploads a text; returns its document.
#[track_caller]
fn upload_text(bot: &OnBot<'_>, name: &str) -> Value {
    upload(bot, &text_form(&bot.text(name), &bot.text("Words of")))
}

/// Uploads a document that is not extracted; returns its `_id`.
#[track_caller]
fn upload_plain(bot: &OnBot<'_>, name: &str) -> String {
    let form = text_form(&bot.text(name), &bot.text(name)).text("extract", "false");
    id(&post(&bot.client, UPLOAD, &form).ok()["projectDoc"])
}

/// A document as it is.
#[track_caller]
fn get(client: &Client<'_>, id: &str) -> Value {
    client.get(&at(id)).ok()
}

/// The chunks of a document.
#[track_caller]
fn chunks(client: &Client<'_>, id: &str) -> Vec<Value> {
    client.get(&chunks_at(id)).items()
}

/// The texts of the chunks of a document.
#[track_caller]
fn texts(client: &Client<'_>, id: &str) -> Vec<String> {
    let chunks = chunks(client, id);
    chunks.iter().map(|chunk| chunk["text"].as_str().unwrap().to_owned()).collect()
}

/// Waits until the extraction of a document has ended, and no worker works for its project any more; returns
/// the document.
#[track_caller]
fn settled(bot: &OnBot<'_>, id: &str) -> Value {
    let document = eventually("the extraction ends", || {
        let document = get(&bot.client, id);
        (!is_going(&document)).then_some(document)
    });
    is_quiet(&bot.tenant);
    document
}

fn status(document: &Value) -> &str {
    document["extraction"]["status"].as_str().unwrap()
}

fn is_going(document: &Value) -> bool {
    ["queued", "running"].contains(&status(document))
}

/// How many jobs are queued that read documents of a project, or remove their chunks.
fn jobs(tenant: &Tenant<'_>) -> i64 {
    let project = tenant.project().id;
    tenant.app().sql().number(&format!(
        "SELECT COUNT(*) AS value FROM jobs \
         WHERE project_id = '{project}' AND kind IN ('extract', 'remove_chunks')"
    ))
}

/// Waits until no job reads documents of a project or removes their chunks any more.
#[track_caller]
fn is_quiet(tenant: &Tenant<'_>) {
    until("no document is read any more", || jobs(tenant) == 0);
}

/// How many chunks of a project are in the database, also those that are still to be removed.
fn stored_chunks(tenant: &Tenant<'_>) -> i64 {
    let project = tenant.project().id;
    let count = "SELECT COUNT(*) AS value FROM chunks WHERE project_id =";
    tenant.app().sql().number(&format!("{count} '{project}'"))
}

/// Assigns documents to a bot; returns what it has of them then.
#[track_caller]
fn assign(client: &Client<'_>, bot: &str, ids: &[&str]) -> Vec<Value> {
    client.post(&on_bot(bot, "assign"), &json!({"docIds": ids})).items()
}

/// A bot reached with a project token, on a new tenant.
#[track_caller]
fn project(app: &TestApp) -> OnBot<'_> {
    app.tenant().with_project_token()
}
