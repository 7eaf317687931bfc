//! Addresses that no crawl may reach unless the installation opens them.

use botyard_tests::{CRAWLS_LOOPBACK, OnBot, Reply, Site, TestApp, each_database};
use serde_json::{Value, json};

use super::{begin, crawled, ended, page, pages, star};

/// Ways to write addresses of the machine itself, of its network, and of what clouds keep there.
const CLOSED: [&str; 26] = [
    "http://localhost/",
    "http://127.0.0.1/",
    "http://127.1/",
    "http://0x7f.1/",
    "http://0177.0.0.1/",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://127.255.255.254/",
    "http://0/",
    "http://0.0.0.0:8080/",
    "http://[::1]/",
    "http://[::]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]:8080/",
    "http://[::127.0.0.1]/",
    "http://[64:ff9b::127.0.0.1]/",
    "http://[fe80::1]/",
    "http://[fc00::1]/",
    "http://[fd00:ec2::254]/latest/meta-data/",
    "http://169.254.169.254/latest/meta-data/",
    "http://169.254.169.254:8443/",
    "http://10.0.0.1/",
    "http://172.16.0.1:8080/",
    "http://192.168.0.1/",
    "http://100.64.0.1/",
    "https://224.0.0.1/",
];

/// The ports that can be crawled everywhere.
const PORTS: [u16; 4] = [8_080, 8_443, 80, 443];

/// What came of a crawl of an address that is closed.
#[track_caller]
fn is_closed(crawl: &Value) {
    assert_eq!((&crawl["status"], &crawl["error"]), (&json!("failed"), &json!("blocked_address")));
    let [page] = &pages(crawl)[..] else { panic!("one page in {crawl}") };
    let found = (&page["error"], &page["statusCode"], &page["title"], &page["content"]);
    assert_eq!(found, (&json!("blocked_address"), &Value::Null, &Value::Null, &Value::Null));
}

/// Crawls all of these; returns them when they have ended.
#[track_caller]
fn crawl_all(bot: &OnBot<'_>, urls: &[&str]) -> Vec<Value> {
    let begun: Vec<_> = urls.iter().map(|url| begin(bot, url, 2)).collect();
    begun.iter().map(|crawl| ended(bot, crawl)).collect()
}

each_database! {
    fn what_is_not_public_is_closed(database: Database) {
        let app = TestApp::sharing(database, &[]);
        let bot = app.tenant().with_bot_token();
        for crawl in crawl_all(&bot, &CLOSED) {
            is_closed(&crawl);
        }
    }

    fn no_crawl_connects_to_what_is_closed(database: Database) {
        let app = TestApp::sharing(database, &[]);
        let bot = app.tenant().with_bot_token();
        let site = Site::on(&PORTS);
        site.set("/", Reply::page("Start", &bot.text("x"), &[]));
        let [_, second, third, fourth] =
            site.host().split('.').map(|part| part.parse::<u32>().unwrap()).collect::<Vec<_>>()[..]
        else {
            panic!("an IPv4 address");
        };
        let port = site.url("").rsplit(':').next().unwrap().to_owned();
        let number = 0x7f00_0000 + (second << 16) + (third << 8) + fourth;
        let low = (third << 8) + fourth;
        let urls = [
            site.url("/"),
            format!("http://{number}:{port}/"),
            format!("http://{number:#x}:{port}/"),
            format!("http://0177.{second:#o}.{low}:{port}/").replace("0o", "0"),
            format!("http://[::ffff:{}]:{port}/", site.host()),
        ];
        let urls: Vec<_> = urls.iter().map(String::as_str).collect();
        for crawl in crawl_all(&bot, &urls) {
            is_closed(&crawl);
        }
        assert_eq!(site.connections(), 0);
    }

    fn only_the_networks_that_are_opened_are_open(database: Database) {
        let (open, closed) = (Site::start(), Site::on(&PORTS));
        let app = TestApp::start(database, &[
            ("CRAWLER__ALLOW_NETWORKS", &format!("{}/32", open.host())),
            ("CRAWLER__DELAY", "0s"),
        ]);
        let bot = app.tenant().with_bot_token();
        open.set("/", Reply::page("Start", &bot.text("x"), &["/away", "/a"]));
        open.set("/a", Reply::page("A", &bot.text("x"), &[]));
        open.set("/away", Reply::redirect(302, &closed.url("/")));
        let crawl = crawled(&bot, &open.url("/"), 1);
        assert_eq!((&crawl["status"], &crawl["pagesScraped"]), (&json!("finished"), &json!(2)));
        assert_eq!(page(&crawl, &open.url("/away"))["error"], "off_site");
        for crawl in crawl_all(&bot, &[&closed.url("/"), "http://169.254.169.254/", "http://[::1]/"]) {
            is_closed(&crawl);
        }
        assert_eq!(closed.connections(), 0);
    }

    fn the_server_does_not_crawl_itself(database: Database) {
        let app = TestApp::sharing(database, &CRAWLS_LOOPBACK);
        let bot = app.tenant().with_bot_token();
        is_closed(&crawled(&bot, &format!("{}/healthz", app.server().url()), 1));
    }

    fn the_metadata_of_a_cloud_stay_closed_whatever_is_opened(database: Database) {
        let everything = [("CRAWLER__ALLOW_NETWORKS", "0.0.0.0/0,::/0"), ("CRAWLER__DELAY", "0s")];
        let app = TestApp::start(database, &everything);
        let bot = app.tenant().with_bot_token();
        let urls = [
            "http://169.254.169.254/latest/meta-data/",
            "http://[::ffff:169.254.169.254]/",
            "http://[fd00:ec2::254]/",
        ];
        for crawl in crawl_all(&bot, &urls) {
            is_closed(&crawl);
        }
        let site = star(&bot, &["/a"]);
        assert_eq!(crawled(&bot, &site.url("/"), 1)["pagesScraped"], 2);
    }

    fn ports_are_those_of_sites(database: Database) {
        let app = TestApp::sharing(database, &[]);
        let bot = app.tenant().with_bot_token();
        let before = bot.tenant.snapshot();
        for port in [0, 1, 22, 25, 79, 81, 3306, 5432, 6379, 8000, 8081, 8444, 65_535] {
            for scheme in ["http", "https"] {
                bot.post("/embedding", &json!({"url": format!("{scheme}://10.0.0.1:{port}/")}))
                    .has_violations(&[("/url", "bad_url")]);
            }
        }
        before.assert_unchanged(&bot.tenant);
        for port in PORTS {
            is_closed(&crawled(&bot, &format!("http://10.0.0.1:{port}/"), 0));
        }
    }
}
