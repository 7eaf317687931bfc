//! What a test begins with, made by commands.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};

use botyard_tests::{Database, Installation};
use serde_json::{Value, json};

use super::command::botyard;
use super::wire::Wire;

/// An identifier that nothing has.
pub const NOBODY: &str = "0190c7a0-1111-7222-8333-444455556666";
/// Where a project token finds its bots.
pub const BOTS: &str = "/api/external/projectapi/bots";
/// Where a bot token finds its bot.
pub const BOT: &str = "/api/external/bot";

/// Tells threads that work until something is over that it is, also when the test fails.
pub struct EndsOnDrop<'a>(pub &'a AtomicBool);

impl Drop for EndsOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// A database that is up to date, and empty.
#[track_caller]
pub fn migrated(database: Database) -> Installation {
    let installation = Installation::new(database);
    botyard(&installation, &["migrate"]).done();
    installation
}

/// An organisation; returns its identifier.
#[track_caller]
pub fn organisation(installation: &Installation, name: &str) -> String {
    id_of(&botyard(installation, &["organisation", "create", "--name", name, "--json"]).json())
}

/// A project in an organisation of its own; returns its identifier.
#[track_caller]
pub fn project(installation: &Installation) -> String {
    let owner = organisation(installation, "Owner");
    let create = ["project", "create", "--name", "Project", "--organisation", &owner, "--json"];
    id_of(&botyard(installation, &create).json())
}

/// A token; `of` is like `["--bot", id]`, perhaps with more flags. Returns what `token mint` says.
#[track_caller]
pub fn minted(installation: &Installation, of: &[&str]) -> Value {
    let mint = ["token", "mint", "--name", "Token", "--scopes", "all", "--json"];
    botyard(installation, &[&mint, of].concat()).json()
}

/// A project token that allows everything; returns its text.
#[track_caller]
pub fn project_token(installation: &Installation, project: &str) -> String {
    text(&minted(installation, &["--project", project])["token"])
}

/// A bot token that allows everything; returns its text.
#[track_caller]
pub fn bot_token(installation: &Installation, bot: &str) -> String {
    text(&minted(installation, &["--bot", bot])["token"])
}

/// A new bot, made over HTTP; returns its identifier.
#[track_caller]
pub fn bot(address: SocketAddr, project_token: &str, name: &str) -> String {
    let mut wire = Wire::open(address).expect("the server listens");
    wire.set_project_token(project_token);
    let answer = wire.ask("POST", BOTS, Some(&json!({"name": name})));
    id_of(&answer.expect("an answer").ok())
}

/// The member `_id`.
#[track_caller]
pub fn id_of(value: &Value) -> String {
    text(&value["_id"])
}

/// A text in JSON.
#[track_caller]
pub fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text")).to_owned()
}

/// The names of the members of an object, sorted.
#[track_caller]
pub fn members(value: &Value) -> Vec<&str> {
    let object = value.as_object().unwrap_or_else(|| panic!("{value} is no object"));
    let mut names: Vec<_> = object.keys().map(String::as_str).collect();
    names.sort_unstable();
    names
}
