//! Events of many projects that are written at the same time: each reader is sent those of its own, all of them, in one
//! order.

use std::collections::HashSet;
use std::thread;

use botyard_tests::{Client, Form, Tenant, each_database};
use domain::access::Scheme;
use domain::id::BotId;
use serde_json::{Value, json};

use super::stream::Stream;
use super::{OF_BOT, OF_PROJECT, wait_for_event};
use crate::bots::BOTS;
use crate::documents::UPLOAD;
use crate::skills::id;

/// How many projects there are; the second is in the organisation of the first.
const PROJECTS: usize = 5;
/// How many bots each has.
const BOTS_EACH: usize = 3;
/// How many documents each has.
const DOCUMENTS: usize = 12;
/// How many events there are in all, at least: so many that those of a project are more than a page.
const EVENTS: usize = 6_000;
/// How many events a round of a bot's makes: three of skills, one of a stage, and those of documents that are assigned
/// and unassigned.
const ROUND: usize = 4 + 2 * DOCUMENTS;
/// What is sent at the end of a bot's rounds and never before.
const LAST: &str = "stage.deleted";

/// A project whose bots are changed.
struct Writer<'a> {
    tenant: Tenant<'a>,
    bots: Vec<BotId>,
    documents: Vec<String>,
    /// The identifiers of all that it has, or had.
    known: HashSet<String>,
}

impl<'a> Writer<'a> {
    fn new(tenant: Tenant<'a>) -> Self {
        let project = tenant.as_project();
        let bots: Vec<_> = (0..BOTS_EACH).map(|_| tenant.new_bot("mixed")).collect();
        let documents = (0..DOCUMENTS).map(|number| {
            let text = tenant.text(&number.to_string());
            let form = Form::new().file("a.txt", "text/plain", text.as_bytes());
            let form = form.text("extract", "false");
            let uploaded = project.request("POST", UPLOAD).form(&form).send().ok();
            id(&uploaded["projectDoc"])
        });
        let documents: Vec<_> = documents.collect();
        let known = documents.iter().cloned().chain(bots.iter().map(ToString::to_string));
        let known = known.chain([tenant.bot().to_string()]).collect();
        Self { tenant, bots, documents, known }
    }

    /// Changes the bots, one after the other, again and again.
    fn work(&mut self) {
        let project = self.tenant.as_project();
        for _ in 0..EVENTS.div_ceil(PROJECTS * BOTS_EACH * ROUND) {
            for bot in &self.bots {
                let of_bot = |path: &str| format!("{BOTS}/{bot}/{path}");
                let skill = project.post(&of_bot("skills"), &json!({"name": "a"})).ok();
                let at = of_bot(&format!("skills/{}", id(&skill)));
                let _ = project.put(&at, &json!({"name": "b"})).ok();
                let _ = project.delete(&at).ok();
                let stage = project.post(&of_bot("stages"), &json!({"title": "a"})).ok();
                let all = json!({"docIds": self.documents});
                let _ = project.post(&of_bot("doc/assign"), &all).ok();
                let _ = project.post(&of_bot("doc/unassign"), &all).ok();
                self.known.extend([id(&skill), id(&stage)]);
            }
        }
        for bot in &self.bots {
            let stages = project.get(&format!("{BOTS}/{bot}/stages")).items();
            let last = id(stages.last().expect("a stage"));
            let _ = project.delete(&format!("{BOTS}/{bot}/stages/{last}")).ok();
        }
    }

    /// That an event is of this project.
    fn is_own(&self, event: &Value) {
        let tokens = ["token.minted", "token.revoked"];
        let is_known = |id: &Value| id.as_str().is_some_and(|id| self.known.contains(id));
        assert_eq!(event["projectId"], self.tenant.project().id.to_string(), "{event}");
        assert!(event["botId"].is_null() || is_known(&event["botId"]), "{event}");
        let is_of_token = event["type"].as_str().is_some_and(|word| tokens.contains(&word));
        assert!(is_of_token || is_known(&event["resourceId"]), "{event}");
    }
}

/// All events from the first on, page by page.
fn listed(client: &Client<'_>, path: &str) -> Vec<Value> {
    let mut all: Vec<Value> = Vec::new();
    loop {
        let after = all.last().map_or("0", |event| event["cursor"].as_str().expect("a cursor"));
        let page = client.get(&format!("{path}?limit=1000&after={after}")).items();
        if page.is_empty() {
            return all;
        }
        all.extend(page);
    }
}

/// All events that are sent until each of so many bots has been reported as done.
fn streamed(client: &Client<'_>, scheme: Scheme, bots: usize) -> Vec<Value> {
    let mut stream = Stream::open(client, scheme, "?after=0", &[]);
    let (mut all, mut done) = (Vec::new(), 0);
    while done < bots {
        let event = stream.next();
        done += usize::from(event["type"] == LAST);
        all.push(event);
    }
    all
}

each_database! {
    fn thousands_of_events_of_five_projects_reach_their_own_readers_only(app: &TestApp) {
        let first = app.tenant();
        let sibling = first.sibling();
        let others = (2..PROJECTS).map(|_| app.tenant());
        let tenants: Vec<_> = [first, sibling].into_iter().chain(others).collect();
        let mut writers: Vec<_> = tenants.into_iter().map(Writer::new).collect();
        let clients: Vec<_> = writers
            .iter()
            .map(|writer| (writer.tenant.as_project(), writer.tenant.as_bot(writer.bots[0])))
            .collect();
        // Readers follow while all projects are written to.
        let followed: Vec<_> = thread::scope(|scope| {
            let readers: Vec<_> = clients
                .iter()
                .map(|(project, bot)| {
                    let of_project = scope.spawn(|| streamed(project, Scheme::Project, BOTS_EACH));
                    (of_project, scope.spawn(|| streamed(bot, Scheme::Bot, 1)))
                })
                .collect();
            for writer in &mut writers {
                scope.spawn(|| writer.work());
            }
            let joined = readers.into_iter().map(|(project, bot)| {
                (project.join().expect("a stream"), bot.join().expect("a stream"))
            });
            joined.collect()
        });

        let mut seen = HashSet::new();
        for ((writer, (project, bot)), (of_project, of_bot)) in
            writers.iter().zip(&clients).zip(&followed)
        {
            let last = of_project.last().expect("events")["resourceId"].as_str().expect("an id");
            let _ = wait_for_event(project, OF_PROJECT, last);
            let all = listed(project, OF_PROJECT);
            assert_eq!(&all, of_project);
            all.iter().for_each(|event| writer.is_own(event));
            let own = writer.bots[0].to_string();
            let of_own: Vec<_> = all.iter().filter(|event| event["botId"] == own).cloned().collect();
            assert_eq!(&of_own, of_bot);
            assert_eq!(listed(bot, OF_BOT), of_own);
            let changed = all.iter().filter(|event| {
                let word = event["type"].as_str().unwrap_or_default();
                ["skill.", "stage.", "document.assigned", "document.unassigned"]
                    .iter()
                    .any(|prefix| word.starts_with(prefix))
            });
            let rounds = EVENTS.div_ceil(PROJECTS * BOTS_EACH * ROUND);
            assert_eq!(changed.count(), BOTS_EACH * (rounds * ROUND + 1));
            let ids = all.iter().map(|event| event["_id"].as_str().expect("an id").to_owned());
            let before = seen.len();
            seen.extend(ids);
            assert_eq!(seen.len(), before + all.len(), "an event was read twice");
        }
        assert!(seen.len() >= EVENTS, "{}", seen.len());
    }
}
