//! `{bot}/fusion`: Fusion-Views, the packages that are uploaded to them, and where these are kept.
//!
//! Helpers come first: [`files`] looks at what the
//! server keeps in files, [`held`] is an upload that waits half-way.

pub mod files;
pub mod held;

mod archives;
mod at_once;
pub mod before_the_body;
mod blobs;
mod broken_off;
mod bucket;
mod crash;
mod create;
mod delete;
pub mod failing;
mod file_names;
mod forms;
mod history;
mod list;
mod missing;
mod quota;
mod samples;
mod sizes;
mod update;
mod upload;

use botyard_tests::{Form, OnBot, Response, TestApp};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use test_samples::archive::{Entry, Zip};

/// An identifier that nothing has.
const NOBODY: &str = "0190c7a0-1111-7222-8333-444455556666";

/// The path of a Fusion-View below its bot.
fn at(id: &str) -> String {
    format!("/fusion/{id}")
}

/// Where its package goes, below its bot.
fn upload_at(id: &str) -> String {
    format!("/fusion/{id}/upload")
}

fn id_of(view: &Value) -> String {
    view["_id"].as_str().unwrap().to_owned()
}

/// A new Fusion-View of this type; returns its `_id`.
#[track_caller]
fn new_view_of(bot: &OnBot<'_>, view_type: &str) -> String {
    let body = json!({"type": view_type, "title": bot.text("view")});
    id_of(&bot.post("/fusion", &body).ok())
}

/// A new Fusion-View that can have a package; returns its `_id`.
#[track_caller]
fn new_view(bot: &OnBot<'_>) -> String {
    new_view_of(bot, "h5p")
}

/// Sends a form to a Fusion-View.
#[track_caller]
fn send(bot: &OnBot<'_>, id: &str, form: &Form) -> Response {
    bot.client.request("POST", &bot.path(&upload_at(id))).form(form).send()
}

/// Uploads an archive; returns what that answers.
#[track_caller]
fn upload(bot: &OnBot<'_>, id: &str, archive: &[u8]) -> Value {
    send(bot, id, &Form::archive(archive)).ok()
}

/// An archive with this text in it.
pub fn archive(text: &str) -> Vec<u8> {
    Zip::of([Entry::deflated("index.html", text.as_bytes())]).bytes()
}

/// An archive of exactly so many bytes, filled up with a letter.
fn archive_of(bytes: usize, letter: u8) -> Vec<u8> {
    // Two headers and the end record take what is left.
    let archive = Zip::of([Entry::stored("x", &vec![letter; bytes - 100])]).bytes();
    assert_eq!(archive.len(), bytes);
    archive
}

pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A bot reached in each of the two ways, on a server of the test's own.
#[track_caller]
fn both(app: &TestApp) -> [OnBot<'_>; 2] {
    [app.tenant().with_bot_token(), app.tenant().with_project_token()]
}
