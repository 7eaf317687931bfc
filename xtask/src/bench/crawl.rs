//! Crawls of a website: how fast they are beside wget, how much memory the server takes for them, and
//! what other requests feel of them.

use std::cell::RefCell;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, bail};
use serde_json::{Value, json};

use crate::bench::content::{Bot, id, post};
use crate::bench::postgres::Postgres;
use crate::bench::report::{Amount, Figure, Results, Section, Target, Unit, megabytes};
use crate::bench::rounds::{Measured, Rounds, Side};
use crate::bench::server::{Botyard, Database};
use crate::bench::setting::Setting;
use crate::bench::setting::folder;
use crate::bench::site::Site;
use crate::bench::steady;
use crate::bench::wget::Wget;

pub const PAGES: u32 = 2_000;
/// How many steps from the first page the site's last one may be.
pub const DEPTH: u32 = 10;
/// With which a server crawls the site.
pub const OPTIONS: [&str; 4] =
    ["--crawler-delay", "0ms", "--crawler-allow-networks", "127.0.0.0/8"];
/// By how much the peak of the memory may grow, in MB.
const GROWTH_MAX: f64 = 32.0;
/// Where a bot's crawls are.
pub const CRAWLS: &str = "/embedding";
/// How often it is checked whether a crawl has ended, and how many times at most.
const LOOK: Duration = Duration::from_millis(20);
const LOOKS: u32 = 15_000;
const DAY: Duration = Duration::from_secs(24 * 3_600);

/// On each database, if wget is there.
pub fn measure(
    setting: &Setting,
    postgres: impl FnOnce() -> Result<Postgres>,
) -> Result<Vec<Section>> {
    let parent = folder(&setting.folder, "crawl")?;
    let section = |title, measured| Section { title, measured };
    let wget = match Wget::find_or_install(&parent) {
        Ok(wget) => wget,
        Err(reason) => return Ok(vec![section("Crawls", Err(format!("{reason:#}")))]),
    };
    let bench = Crawls { setting, site: Site::start(PAGES)?, wget, parent };
    let on_sqlite = bench.on(&Database::Sqlite(folder(&bench.parent, "sqlite")?))?;
    let on_postgres = match postgres() {
        Ok(postgres) => {
            let (url, folder) = (postgres.cluster.url(), folder(&bench.parent, "postgres")?);
            let mut results = bench.on(&Database::Postgres { url, folder })?;
            results.figures.iter_mut().for_each(|figure| figure.target = None);
            Ok(results)
        }
        Err(reason) => Err(format!("{reason:#}")),
    };
    fs::remove_dir_all(&bench.parent).with_context(|| bench.parent.display().to_string())?;
    Ok(vec![
        section("Crawls, SQLite", Ok(on_sqlite)),
        section("Crawls, PostgreSQL on the same machine", on_postgres),
    ])
}

struct Crawls<'a> {
    setting: &'a Setting,
    site: Site,
    wget: Wget,
    parent: PathBuf,
}

impl Crawls<'_> {
    fn on(&self, database: &Database) -> Result<Results> {
        // A server whose memory was never larger than when it is idle.
        let server = Botyard::start(&self.setting.programs.botyard, database, &OPTIONS)?;
        let bot = Bot::create(&server)?;
        server.process.settle()?;
        server.process.forget_peak()?;
        let before = server.process.memory()?;
        let mut figures = Vec::from(self.beside_wget(&bot)?);
        figures.push(self.others(&bot)?);
        let growth = vec![megabytes(server.process.peak()?.saturating_sub(before))];
        let name = "growth of peak memory during crawls of 2 000 pages";
        let amounts = vec![Amount::worst(name, ("MB", 1), growth, GROWTH_MAX)];
        Ok(Results { figures, amounts, ..Results::default() })
    }

    /// Crawls and wget in turn: a crawl itself, and from its `POST` until it was removed.
    fn beside_wget(&self, bot: &Bot<'_>) -> Result<[Figure; 2]> {
        let process = &bot.server.process;
        let waited = RefCell::new(Vec::new());
        let crawl = |_: &Rounds<'_>, _| {
            let mut from_post = f64::NAN;
            let itself = Measured::watched(Some(process), || {
                let speed = self.crawl(bot)?;
                from_post = speed.from_post;
                Ok(speed.itself)
            })?;
            waited.borrow_mut().push(Measured { value: from_post, ..itself });
            process.settle()?;
            Ok(itself)
        };
        let wget = |_: &Rounds<'_>, _| {
            let measured = Measured::watched(None, || self.fetch_with_wget())?;
            self.wget.clean_up()?;
            Ok(measured)
        };
        let sides = [
            Side { server: Some(process), load: Box::new(crawl), calls: None },
            Side { server: None, load: Box::new(wget), calls: None },
        ];
        let name = "crawl of 2 000 pages on loopback ÷ `wget --recursive`";
        let rounds = Rounds { setting: self.setting, folder: &self.parent, name, connections: 1 };
        let [a, b] = rounds.run(&sides)?;
        drop(sides);
        // The first one warmed up.
        let waited = waited.into_inner().split_off(1);
        let (unit, target) = (Unit::Pages, Some(Target::AtLeast(2.0)));
        let from_post = "the same from the `POST` until the crawl is deleted";
        Ok([
            Figure { name, unit, a, b: b.clone(), target },
            Figure { name: from_post, unit, a: waited, b, target: None },
        ])
    }

    /// How long reads of a bot take during crawls, compared with before.
    fn others(&self, bot: &Bot<'_>) -> Result<Figure> {
        let name = "99 of 100 reads of a bot, 500 a second, during crawls ÷ before";
        let (mut during, mut before) = (Vec::new(), Vec::new());
        for round in 1..=self.setting.rounds {
            eprintln!("reads during crawls: round {round} of {}", self.setting.rounds);
            before.push(self.beside(bot, || {
                bot.list(CRAWLS)?;
                sleep(LOOK);
                Ok(())
            })?);
            let mut crawls = Vec::new();
            during.push(self.beside(bot, || {
                self.post(bot)?;
                crawls.push(self.ended(bot)?);
                Ok(())
            })?);
            crawls.iter().try_for_each(|crawl| remove(bot, crawl))?;
            bot.server.process.settle()?;
        }
        let target = Some(Target::AtMost(2.0));
        Ok(Figure { name, unit: Unit::Micros, a: during, b: before, target })
    }

    /// The longest that 99 of 100 reads took while this was done again and again. Both sides look how
    /// a crawl is doing, because that takes some of the server's time, too.
    fn beside(&self, bot: &Bot<'_>, mut work: impl FnMut() -> Result<()>) -> Result<Measured> {
        let read = bot.server.project_request("GET", vec![bot.path("")]);
        let is_going = AtomicBool::new(true);
        let reads = || steady::p99(bot.server, &read, || is_going.load(Ordering::Relaxed));
        let mut for_a_while = || {
            let begin = Instant::now();
            while begin.elapsed() < Duration::from_secs(self.setting.seconds.into()) {
                work()?;
            }
            Ok(())
        };
        Measured::watched(Some(&bot.server.process), || {
            scope(|scope| {
                let reader = scope.spawn(reads);
                let worked: Result<()> = for_a_while();
                is_going.store(false, Ordering::Relaxed);
                let p99 = reader.join().map_err(|_| anyhow!("the reader came to a sudden end"))?;
                worked.and(p99)
            })
        })
    }

    fn crawl(&self, bot: &Bot<'_>) -> Result<Speed> {
        let begin = Instant::now();
        self.post(bot)?;
        let crawl = self.ended(bot)?;
        remove(bot, &crawl)?;
        Ok(Speed { itself: rate(duration(&crawl)?), from_post: rate(begin.elapsed()) })
    }

    /// Has the server crawl the site.
    fn post(&self, bot: &Bot<'_>) -> Result<()> {
        let body = json!({ "url": self.site.url(), "depth": DEPTH });
        post(bot.server, &bot.path(CRAWLS), &body).map(drop)
    }

    /// The latest crawl, as soon as it has ended.
    fn ended(&self, bot: &Bot<'_>) -> Result<Value> {
        let crawl = wait_for_end(bot)?;
        if member(&crawl, "status") != "finished" || member(&crawl, "pagesScraped") != PAGES {
            bail!("the figure is void, because the crawl ended as {crawl}");
        }
        self.require_each_page_once()?;
        Ok(crawl)
    }

    fn fetch_with_wget(&self) -> Result<f64> {
        let begin = Instant::now();
        self.wget.fetch(&self.site.url())?;
        let rate = rate(begin.elapsed());
        self.require_each_page_once()?;
        Ok(rate)
    }

    fn require_each_page_once(&self) -> Result<()> {
        let sent = self.site.take_sent();
        if sent != u64::from(PAGES) {
            bail!("the figure is void, because {sent} pages were fetched");
        }
        Ok(())
    }
}

/// How many pages a second a crawl had.
struct Speed {
    /// From its start to its end.
    itself: f64,
    /// From when it was asked for until it was removed.
    from_post: f64,
}

fn rate(time: Duration) -> f64 {
    f64::from(PAGES) / time.as_secs_f64()
}

/// The latest crawl of a bot, as soon as it has ended.
fn wait_for_end(bot: &Bot<'_>) -> Result<Value> {
    for _ in 0..LOOKS {
        let crawl = bot.list(CRAWLS)?.pop().ok_or_else(|| anyhow!("the crawl is gone"))?;
        if !member(&crawl, "finishedAt").is_null() {
            return Ok(crawl);
        }
        sleep(LOOK);
    }
    bail!("the crawl does not end")
}

fn member<'a>(crawl: &'a Value, name: &str) -> &'a Value {
    crawl.get(name).unwrap_or(&Value::Null)
}

/// How long a crawl took by its own account.
fn duration(crawl: &Value) -> Result<Duration> {
    let [began, ended] = ["startedAt", "finishedAt"].map(|time| time_of_day(member(crawl, time)));
    let (began, ended) = (began?, ended?);
    // Around midnight it ends on the next day.
    Ok(ended + if ended < began { DAY } else { Duration::ZERO } - began)
}

/// Ends a crawl if it still runs.
pub fn remove(bot: &Bot<'_>, crawl: &Value) -> Result<()> {
    bot.server.ask(&bot.request("DELETE", &format!("{CRAWLS}/{}", id(crawl)?))).map(drop)
}

/// The time of the day in a timestamp of the API.
fn time_of_day(timestamp: &Value) -> Result<Duration> {
    let time = timestamp.as_str().and_then(|text| text.split_once('T')?.1.strip_suffix('Z'));
    let mut parts = time.unwrap_or_default().split(':');
    let mut next = || parts.next().unwrap_or_default();
    let (hours, minutes, seconds) = (next().parse::<u32>(), next().parse::<u32>(), next().parse());
    let seconds: f64 = seconds.with_context(|| format!("{timestamp} is no time"))?;
    Ok(Duration::from_secs(u64::from(hours? * 3_600 + minutes? * 60))
        + Duration::from_secs_f64(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timestamp_has_a_time_of_the_day() {
        let time = time_of_day(&json!("2026-11-22T01:02:03.250Z")).unwrap();
        assert_eq!(time, Duration::from_millis(3_723_250));
        for none in [json!(null), json!("01:02:03"), json!("2026-11-22T01:02Z")] {
            assert!(time_of_day(&none).is_err(), "{none}");
        }
    }
}
