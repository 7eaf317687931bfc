//! All floods, in the order in which they come.

use std::time::Duration;

use anyhow::Result;
use serde_json::json;

use super::busy::Busy;
use super::crowd::{Crowd, Order};
use super::flood::{Flood, Start};
use super::row_lock::RowLock;
use super::slow_connections::{ConnectionKind, SlowConnections, Until};
use super::stranger;
use super::tenant::{self, Tenant};
use crate::bench::content::{BOTS, Bot};
use crate::bench::crawl;
use crate::bench::document::{DOCUMENTS, Document};
use crate::bench::entry::KEYVAL;
use crate::bench::pgbench::Pgbench;
use crate::bench::request::{Request, Token};
use crate::bench::server::Botyard;
use crate::bench::site::Site;

/// Where the entries of a project are.
const PROJECT_KEYVAL: &str = "/api/external/projectapi/keyval";
const FEW: usize = 32;
const MANY: usize = 400;
const READERS: usize = 60;
const SLOW: usize = 500;
/// How many clients change the same bot.
const CHANGING: usize = 24;
/// How many clients delete something.
const DELETING: usize = 16;
/// How many tokens there are that do not exist.
const STRANGERS: u32 = 50_000;
/// How long the server may take to close connections.
const CLOSED: Until = Until::Closed(Duration::from_secs(20));
const READERS_CLOSED: Until = Until::Closed(Duration::from_secs(60));
/// For how many seconds the neighbour asks beside slow connections at least. It asks for so little that the p99 of a
/// shorter time is what five requests have happened to meet.
const SLOW_SECONDS: u32 = 15;
/// Almost as long as the server keeps connections that read nothing.
const READERS_SECONDS: u32 = 36;

/// The floods that a tenant makes of what it has. Those with slow connections come last, because each takes
/// until the server has closed them.
pub fn all<'a>(
    server: &'a Botyard,
    tenant: &'a Tenant,
    site: &'a Site,
    pgbench: Option<&'a Pgbench>,
    seconds: u32,
) -> Vec<Flood<'a>> {
    let control = "none, but a thread for each core that only computes";
    let mut floods = vec![Flood::new(control, Box::new(|| Ok(Box::new(Busy::start()?))))];
    let source = Source { server, tenant };
    floods.extend(source.of_requests(site));
    floods.extend(pgbench.map(|pgbench| source.of_a_held_row(pgbench, seconds)));
    floods.extend(source.of_connections());
    floods
}

#[derive(Clone, Copy)]
struct Source<'a> {
    server: &'a Botyard,
    tenant: &'a Tenant,
}

impl<'a> Source<'a> {
    /// As many requests as the clients get answered.
    fn of_requests(self, site: &'a Site) -> Vec<Flood<'a>> {
        let Self { server, tenant } = self;
        let crowd =
            |name, clients, order, requests| Flood::new(name, self.crowd(clients, order, requests));
        let duplicates = |name, clients, id: &str| {
            crowd(name, clients, Order::Endless, vec![self.on_bot("POST", id, "/duplicate")])
        };
        let entries = server.request("GET", KEYVAL);
        let of_user = |number| format!("{PROJECT_KEYVAL}/{}", tenant::user(number));
        let bulk = (0..tenant::USERS).map(|number| self.request("DELETE", of_user(number)));
        let bots = tenant.doomed.iter().map(|id| self.on_bot("DELETE", id, ""));
        vec![
            duplicates("32 duplicates of a bot with 100 skills", FEW, &tenant.usual),
            duplicates("400 duplicates of it", MANY, &tenant.usual),
            duplicates("32 duplicates of a bot with 8 MB of skills", FEW, &tenant.large),
            duplicates(
                "32 duplicates of a bot with a configuration of 13 MB",
                FEW,
                &tenant.configured,
            ),
            crowd("32 whole lists of 50 000 entries", FEW, Order::Endless, vec![entries]),
            Flood::new(
                "60 lists of bots of 13 MB that are not read",
                self.slow(READERS, ConnectionKind::Reader(self.bots()), Until::Ended),
            ),
            crowd("bulk deletes of 150 000 entries", DELETING, Order::Once, bulk.collect()),
            crowd("deletes of 250 bots with 100 skills", DELETING, Order::Once, bots.collect()),
            self.extractions(),
            self.crawls(site),
            crowd("24 changes of one bot at once", CHANGING, Order::Endless, self.changes()),
            self.of_strangers(),
        ]
    }

    /// Changes of a bot whose row is held outside of the server, too.
    fn of_a_held_row(self, pgbench: &'a Pgbench, seconds: u32) -> Flood<'a> {
        let Self { server, tenant } = self;
        let begin = move || {
            let lock = RowLock::start(pgbench, &tenant.usual, seconds, || {
                Crowd::start(server.address, CHANGING, Order::Endless, self.changes())
            });
            Ok(Box::new(lock?) as Box<_>)
        };
        Flood::new("24 changes of one bot whose row another session holds", Box::new(begin))
    }

    /// Connections that do not get on.
    fn of_connections(self) -> Vec<Flood<'a>> {
        let flood = |name, kind, until, seconds| Flood {
            seconds,
            ..Flood::new(name, self.slow(SLOW, kind, until))
        };
        let slow = |name, kind| flood(name, kind, CLOSED, SLOW_SECONDS);
        let change = self.on_bot("PUT", &self.tenant.usual, "");
        let upload = self.request("POST", format!("{DOCUMENTS}/upload"));
        let entries = self.server.request("GET", KEYVAL);
        vec![
            slow("500 first heads, a byte a second", ConnectionKind::FirstHead),
            slow("500 second heads, a byte a second", ConnectionKind::SecondHead),
            slow("500 bodies of JSON, a byte a second", ConnectionKind::JsonBody(change)),
            slow("500 forms, a byte a second", ConnectionKind::FormBody(upload)),
            flood(
                "500 lists of 50 000 entries that are not read",
                ConnectionKind::Reader(entries),
                READERS_CLOSED,
                READERS_SECONDS,
            ),
        ]
    }

    fn extractions(self) -> Flood<'a> {
        let Self { server, tenant } = self;
        let path = |id: &String| format!("{DOCUMENTS}/extract/{id}");
        let requests = tenant.documents.iter().map(|id| self.request("POST", path(id))).collect();
        let remove = move || {
            let document = |id: &String| Document { server, id: id.clone() };
            tenant.documents.iter().try_for_each(|id| document(id).delete())
        };
        Flood {
            clean_up: Box::new(remove),
            ..Flood::new(
                "100 extractions of a PDF of 200 pages",
                self.crowd(tenant.documents.len(), Order::Once, requests),
            )
        }
    }

    fn crawls(self, site: &Site) -> Flood<'a> {
        let Self { server, tenant } = self;
        let body = json!({ "url": site.url(), "depth": crawl::DEPTH }).to_string();
        let post = |id: &String| {
            let body = Some(body.clone());
            Request { body, ..self.on_bot("POST", id, crawl::CRAWLS) }
        };
        let requests = tenant.crawling.iter().map(post).collect();
        let remove = move || {
            for id in &tenant.crawling {
                let bot = Bot::existing(server, id);
                let crawls = bot.list(crawl::CRAWLS)?;
                crawls.iter().try_for_each(|crawl| crawl::remove(&bot, crawl))?;
            }
            Ok(())
        };
        Flood {
            clean_up: Box::new(remove),
            ..Flood::new(
                "16 crawls of 2 000 pages",
                self.crowd(tenant.crawling.len(), Order::Once, requests),
            )
        }
    }

    fn crowd(self, clients: usize, order: Order, requests: Vec<Request>) -> Start<'a> {
        let server = self.server.address;
        Box::new(move || Ok(Box::new(Crowd::start(server, clients, order, requests.clone())?)))
    }

    fn slow(self, count: usize, kind: ConnectionKind, until: Until) -> Start<'a> {
        let server = self.server;
        Box::new(move || Ok(Box::new(SlowConnections::open(server, count, &kind, until)?)))
    }

    /// Changes of one bot, each of which is another one than the one before.
    fn changes(self) -> Vec<Request> {
        let change = |number: u32| {
            let body = Some(json!({ "temperature": f64::from(number) / 100.0 }).to_string());
            Request { body, ..self.on_bot("PUT", &self.tenant.usual, "") }
        };
        (0..200).map(change).collect()
    }

    /// Requests with tokens that do not exist.
    fn of_strangers(self) -> Flood<'a> {
        let server = self.server.address;
        let begin = move || {
            let stranger = |number| {
                let request = self.bots();
                let secret = stranger::token(&request.token.secret, number)?;
                Ok(Request { token: Token { secret, ..request.token.clone() }, ..request })
            };
            let requests = (0..STRANGERS).map(stranger).collect::<Result<_>>()?;
            Ok(Box::new(Crowd::start(server, MANY, Order::Endless, requests)?) as Box<_>)
        };
        Flood::new("400 clients with tokens that do not exist", Box::new(begin))
    }

    fn bots(self) -> Request {
        self.request("GET", BOTS.to_owned())
    }

    fn on_bot(self, method: &'static str, id: &str, rest: &str) -> Request {
        Bot::existing(self.server, id).request(method, rest)
    }

    fn request(self, method: &'static str, path: String) -> Request {
        self.server.project_request(method, vec![path])
    }
}
