//! Crawls that outlive the server which began them.

use std::net::SocketAddr;

use botyard_tests::waiting::{eventually, until};
use botyard_tests::{CRAWLS_LOOPBACK, Database, Installation, Reply, Server, Site, each_database};
use serde_json::{Value, json};

use super::{pages, urls};
use crate::process::setup::{BOTS, bot, project, project_token};
use crate::process::wire::Wire;
use crate::skills::id;

/// Pages of the site that answer at once.
const PAGES: usize = 12;

/// A site with one page that does not answer.
fn site() -> Site {
    let site = Site::start();
    let pages: Vec<_> = (1..=PAGES).map(|number| format!("/page-{number}")).collect();
    let links: Vec<_> = ["/held"].into_iter().chain(pages.iter().map(String::as_str)).collect();
    site.set("/", Reply::page("Start", "The start.", &links));
    site.set("/held", Reply::page("Held", "At last.", &["/behind"]));
    site.set("/behind", Reply::page("Behind", "Found late.", &["/"]));
    for path in &pages {
        site.set(path, Reply::page(path, "One of many.", &["/", "/held"]));
    }
    site.hold("/held");
    site
}

/// A server that takes jobs over soon after their worker has died. On SQLite it does so at its start,
/// however long they are leased: no other one is there that could be at work.
#[track_caller]
fn serve(installation: &Installation) -> Server {
    let lease = match installation.database() {
        Database::Sqlite => "1d",
        Database::Postgres => "3s",
    };
    installation.serve(&[&CRAWLS_LOOPBACK[..], &[("JOBS__LEASE", lease)]].concat())
}

/// Kills a server, and starts another one in its place.
#[track_caller]
fn killed(mut server: Server, installation: &Installation, site: &Site) -> Server {
    server.kill();
    for page in ["/held", "/behind"] {
        until("the connection is gone", || site.waiting(page) == 0);
    }
    serve(installation)
}

/// A crawl of that site, reached through whatever server there is.
struct Crawl {
    token: String,
    path: String,
}

impl Crawl {
    /// Begins one, and waits until it has every page but those that do not come.
    #[track_caller]
    fn begin(installation: &Installation, address: SocketAddr, site: &Site) -> Self {
        let token = project_token(installation, &project(installation));
        let path = format!("{BOTS}/{}/embedding", bot(address, &token, "Bot"));
        let mut crawl = Self { token, path };
        let body = json!({"url": site.url("/"), "depth": 2});
        let made = crawl.ask(address, "POST", Some(&body));
        crawl.path = format!("{}/{}", crawl.path, id(&made));
        until("every other page is there", || pages(&crawl.read(address)).len() == 1 + PAGES);
        assert_eq!(site.waiting("/held"), 1);
        crawl
    }

    #[track_caller]
    fn ask(&self, address: SocketAddr, method: &str, body: Option<&Value>) -> Value {
        let mut wire = Wire::open(address).expect("the server listens");
        wire.set_project_token(&self.token);
        wire.ask(method, &self.path, body).expect("an answer").ok()
    }

    #[track_caller]
    fn read(&self, address: SocketAddr) -> Value {
        self.ask(address, "GET", None)
    }

    /// Waits until it has ended.
    #[track_caller]
    fn ended(&self, address: SocketAddr) -> Value {
        eventually("the crawl ends", || {
            let crawl = self.read(address);
            (crawl["status"] != "running").then_some(crawl)
        })
    }

    /// Waits until it has ended; everything is there then, and nothing twice.
    #[track_caller]
    fn ends(&self, address: SocketAddr, site: &Site, before: &Value) {
        let crawl = self.ended(address);
        assert_eq!((&crawl["status"], &crawl["error"]), (&json!("finished"), &Value::Null));
        let all = 1 + PAGES + 2;
        assert_eq!((&crawl["pagesScraped"], &crawl["pagesFailed"]), (&json!(all), &json!(0)));
        let mut found = urls(&crawl);
        found.dedup();
        assert_eq!(found.len(), all);
        assert_eq!(crawl["startedAt"], before["startedAt"]);
        let kept = pages(&crawl);
        assert!(pages(before).iter().all(|page| kept.contains(page)), "{crawl}");
        // What was stored was not asked for again.
        for number in 1..=PAGES {
            assert_eq!(site.hits(&format!("/page-{number}")), 1, "{number}");
        }
        assert_eq!((site.hits("/"), site.hits("/behind")), (1, 1));
    }
}

each_database! {
    fn a_crawl_goes_on_after_its_server_was_killed(database: Database) {
        let (installation, site) = (Installation::new(database), site());
        let server = serve(&installation);
        let crawl = Crawl::begin(&installation, server.address(), &site);
        let before = crawl.read(server.address());
        let mut server = killed(server, &installation, &site);
        assert_eq!(crawl.read(server.address())["status"], "running");
        until("the page is asked for again", || site.waiting("/held") == 1);
        site.release("/held");
        crawl.ends(server.address(), &site, &before);
        assert_eq!(site.hits("/held"), 2);
        assert_eq!(server.stop(), 0);
    }

    fn a_crawl_goes_on_however_often_its_server_is_killed(database: Database) {
        let (installation, site) = (Installation::new(database), site());
        let mut server = serve(&installation);
        let crawl = Crawl::begin(&installation, server.address(), &site);
        let before = crawl.read(server.address());
        site.hold("/behind");
        // More often than a job may fail that does not get on.
        for (round, page) in ["/held", "/held", "/behind", "/behind"].into_iter().enumerate() {
            server = killed(server, &installation, &site);
            until("somebody goes on with it", || site.waiting(page) == 1);
            if round == 1 {
                site.release("/held");
                until("it has got on", || site.waiting("/behind") == 1);
                until("that is recorded", || pages(&crawl.read(server.address())).len() == PAGES + 2);
            }
        }
        site.release("/behind");
        let after = crawl.ended(server.address());
        assert_eq!((&after["status"], &after["error"]), (&json!("finished"), &Value::Null));
        assert_eq!((&after["pagesScraped"], &after["pagesFailed"]), (&json!(PAGES + 3), &json!(0)));
        assert!(pages(&before).iter().all(|page| pages(&after).contains(page)), "{after}");
        assert_eq!(server.stop(), 0);
    }

    fn a_crawl_that_gets_nowhere_is_given_up(database: Database) {
        let (installation, site) = (Installation::new(database), site());
        let mut server = serve(&installation);
        let crawl = Crawl::begin(&installation, server.address(), &site);
        let before = crawl.read(server.address());
        for attempt in 1..=3 {
            server = killed(server, &installation, &site);
            if attempt < 3 {
                until("somebody goes on with it", || site.waiting("/held") == 1);
            }
        }
        let after = crawl.ended(server.address());
        assert_eq!((&after["status"], &after["error"]), (&json!("failed"), &json!("interrupted")));
        assert!(after["finishedAt"].is_string(), "{after}");
        // What it has stays.
        assert_eq!(after["pages"], before["pages"]);
        assert_eq!(after["pagesScraped"], before["pagesScraped"]);
        assert_eq!(site.hits("/held"), 3);
        assert_eq!(server.stop(), 0);
    }

    fn a_server_that_is_stopped_gives_its_crawl_back(database: Database) {
        let (installation, site) = (Installation::new(database), site());
        // Within this lease no other server takes a job over that was not released.
        let settings = [&CRAWLS_LOOPBACK[..], &[("JOBS__LEASE", "1d")]].concat();
        let mut server = installation.serve(&settings);
        let crawl = Crawl::begin(&installation, server.address(), &site);
        let before = crawl.read(server.address());
        assert_eq!(server.stop(), 0);
        assert!(server.log().contains("a job was released"), "{}", server.log());
        let mut server = installation.serve(&settings);
        until("the page is asked for again", || site.waiting("/held") == 1);
        site.release("/held");
        crawl.ends(server.address(), &site, &before);
        assert_eq!(server.stop(), 0);
    }
}

#[test]
fn another_server_takes_a_crawl_over_from_one_that_was_killed_postgres() {
    let (installation, site) = (Installation::new(Database::Postgres), site());
    let mut first = serve(&installation);
    let crawl = Crawl::begin(&installation, first.address(), &site);
    let mut second = serve(&installation);
    let before = crawl.read(second.address());
    first.kill();
    until("the other one asks for the page", || {
        site.waiting("/held") == 1 && site.hits("/held") == 2
    });
    site.release("/held");
    crawl.ends(second.address(), &site, &before);
    assert_eq!(second.stop(), 0);
}
