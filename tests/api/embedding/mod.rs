//! `{bot}/embedding`

mod addresses;
mod at_once;
mod cancel;
mod changelog;
mod copies;
mod crash;
mod create;
mod documents;
mod failing;
mod limits;
mod links;
mod others;
mod private;
mod progress;
mod read;
mod same;
mod skills;
mod update;
mod violations;

use botyard_tests::waiting::{eventually, until};
use botyard_tests::{Client, OnBot, Reply, Site, TestApp};
use serde_json::{Value, json};

use crate::skills::id;

/// An address that no crawl may reach: a crawl of it ends as soon as it begins.
const CLOSED: &str = "http://10.0.0.1/";

/// The members of a crawl that its own progress changes.
const PROGRESS: [&str; 6] =
    ["status", "error", "pagesScraped", "pagesFailed", "startedAt", "finishedAt"];

/// The path of a crawl below its bot.
pub fn path(crawl: &Value) -> String {
    format!("/embedding/{}", id(crawl))
}

/// Begins to crawl a page; returns the answer.
#[track_caller]
fn begin(bot: &OnBot<'_>, url: &str, depth: u8) -> Value {
    bot.post("/embedding", &json!({"url": url, "depth": depth})).ok()
}

/// Waits until a crawl has ended and no worker works on it any more; returns it with its pages.
#[track_caller]
pub fn ended(bot: &OnBot<'_>, crawl: &Value) -> Value {
    ended_at(&bot.client, &bot.path(&path(crawl)))
}

/// The same for a crawl at this path.
#[track_caller]
fn ended_at(client: &Client<'_>, path: &str) -> Value {
    let crawl = eventually("the crawl ends", || {
        let crawl = client.get(path).ok();
        let goes_on = ["queued", "running"].contains(&crawl["status"].as_str().unwrap());
        (!goes_on).then_some(crawl)
    });
    is_left_alone(client.app(), &id(&crawl));
    crawl
}

/// Crawls a page to the end; returns the crawl with its pages.
#[track_caller]
fn crawled(bot: &OnBot<'_>, url: &str, depth: u8) -> Value {
    ended(bot, &begin(bot, url, depth))
}

/// A crawl that has ended, and has nothing but a name.
#[track_caller]
fn make(bot: &OnBot<'_>, name: &str) -> Value {
    let body = json!({"url": CLOSED, "name": bot.text(name)});
    let made = bot.post("/embedding", &body).ok();
    without_pages(ended(bot, &made))
}

/// A crawl as lists and writes show it.
fn without_pages(mut crawl: Value) -> Value {
    crawl.as_object_mut().unwrap().remove("pages");
    crawl
}

/// A crawl without what its own progress changes.
fn without_progress(mut crawl: Value) -> Value {
    crawl.as_object_mut().unwrap().retain(|name, _| !PROGRESS.contains(&name.as_str()));
    crawl
}

/// All that a new crawl can be given.
fn full(bot: &OnBot<'_>) -> Value {
    json!({
        "url": CLOSED,
        "depth": 3,
        "skillId": "help",
        "description": bot.text("described\n\"ä𝄞\\"),
        "name": bot.text("full"),
    })
}

/// The pages of a crawl.
fn pages(crawl: &Value) -> Vec<Value> {
    crawl["pages"].as_array().unwrap().clone()
}

/// The page at this address.
#[track_caller]
fn page<'a>(crawl: &'a Value, url: &str) -> &'a Value {
    let found = crawl["pages"].as_array().unwrap().iter().find(|page| page["url"] == url);
    found.unwrap_or_else(|| panic!("no {url} in {crawl}"))
}

/// The addresses of the pages, sorted.
fn urls(crawl: &Value) -> Vec<String> {
    let pages = pages(crawl);
    let mut urls: Vec<_> =
        pages.iter().map(|page| page["url"].as_str().unwrap().to_owned()).collect();
    urls.sort();
    urls
}

/// These paths as addresses of the site, sorted.
fn at(site: &Site, paths: &[&str]) -> Vec<String> {
    let mut urls: Vec<_> = paths.iter().map(|path| site.url(path)).collect();
    urls.sort();
    urls
}

/// A site with a start page that leads to these others, which lead back to it.
fn star(bot: &OnBot<'_>, paths: &[&str]) -> Site {
    let site = Site::start();
    site.set("/", Reply::page("Start", &bot.text("The start."), paths));
    for path in paths {
        site.set(path, Reply::page(&format!("Page {path}"), &bot.text(path), &["/"]));
    }
    site
}

/// How many jobs are queued for something.
fn jobs(app: &TestApp, subject: &str) -> i64 {
    app.sql().number(&format!("SELECT COUNT(*) AS value FROM jobs WHERE subject = '{subject}'"))
}

/// Waits until no worker works on the crawl with this `_id`: from then on, nothing is fetched.
#[track_caller]
fn is_left_alone(app: &TestApp, crawl: &str) {
    until("nobody works on the crawl any more", || jobs(app, crawl) == 0);
}
