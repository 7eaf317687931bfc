//! Pages of lists that are sorted, searched and filtered: what a page of a long list takes beside one of a short list.

use std::time::Instant;

use anyhow::{Context as _, Result};
use serde_json::json;

use crate::bench::content::{self, Bot};
use crate::bench::list_rows::{POSTGRES, SQLITE, Sql};
use crate::bench::pgbench::Pgbench;
use crate::bench::postgres::Postgres;
use crate::bench::report::{Figure, Results, Section, Target, Unit};
use crate::bench::request::{Connection, Request, Token};
use crate::bench::rounds::{Measured, Rounds, Side};
use crate::bench::server::{Botyard, Database, PROJECT_HEADER};
use crate::bench::setting::{Setting, folder};
use crate::bench::sqlite3::Sqlite3;

/// How many items of each kind a long list and a short list have.
const LONG: u32 = 100_000;
const SHORT: u32 = 1_000;
/// How many requests make a value.
const REQUESTS: u32 = 20;
/// How many times as long a page of a long list may take.
const TARGET: Target = Target::AtMost(1.5);

/// What is asked of lists: the figure, the list, and its query. Of a status, a type, a bot and a rare name there are as
/// many items in the short list as in the long one.
const ASKED: [(&str, &str, &str); 25] = [
    ("bots by name", "", "sort=name"),
    ("bots by update, latest first", "", "sort=-updatedAt"),
    ("bots searched", "", "q=NAME"),
    ("skills by name", "/skills", "sort=name"),
    ("skills by name, last first", "/skills", "sort=-name"),
    ("skills changed since", "/skills", "updatedSince=2026-01-01T00:00:00.500Z"),
    ("skills searched", "/skills", "q=NAME"),
    ("skills searched for rare ones", "/skills", "q=RARE"),
    ("stages by name", "/stages", "sort=name"),
    ("stages by update", "/stages", "sort=updatedAt"),
    ("Fusion-Views by title", "/fusion", "sort=title"),
    ("Fusion-Views by update", "/fusion", "sort=updatedAt"),
    ("website-crawls by name", "/embedding", "sort=name"),
    ("website-crawls of a status", "/embedding", "status=failed"),
    ("website-crawls by update", "/embedding", "sort=updatedAt"),
    ("documents by name", DOCUMENTS, "sort=fileName"),
    ("documents by size", DOCUMENTS, "sort=-size"),
    ("documents by update", DOCUMENTS, "sort=updatedAt"),
    ("documents of a status", DOCUMENTS, "status=none"),
    ("documents of a type", DOCUMENTS, "mimeType=text%2Fcsv"),
    ("documents of a bot", DOCUMENTS, "botId="),
    ("documents that are assigned", DOCUMENTS, "assigned=true"),
    ("documents of a status by size", DOCUMENTS, "status=none&sort=size"),
    ("users by guestId", USERS, "sort=guestId"),
    ("users changed since", USERS, "updatedSince=2026-01-01T00:00:00.500Z"),
];
/// What no index finds: items are looked at one by one, so there is no target.
const ONE_BY_ONE: [&str; 3] = ["q=RARE", "assigned=true", "status=none&sort=size"];
const DOCUMENTS: &str = "/api/external/projectapi/doc/files";
const USERS: &str = "/api/external/useraccess/users";

/// On each database.
pub fn measure(setting: &Setting, postgres: impl Fn() -> Result<Postgres>) -> Result<Vec<Section>> {
    let database = Database::Sqlite(folder(&setting.folder, "lists")?);
    let server = Botyard::start(&setting.programs.botyard, &database, &OPTIONS)?;
    let lists = Lists::create(&server, setting)?;
    let kept = server.stop();
    Sqlite3::open(kept.database())?.insert(&lists.rows(&SQLITE))?;
    kept.put_on_disk()?;
    let server = kept.start(&setting.programs.botyard)?;
    let on_sqlite = lists.figures(setting, &server)?;
    drop(server);
    let measured = match postgres() {
        Ok(postgres) => Ok(on_postgres(setting, &postgres)?),
        Err(reason) => Err(format!("{reason:#}")),
    };
    Ok(vec![
        Section { title: "Lists, SQLite", measured: Ok(on_sqlite) },
        Section { title: "Lists, PostgreSQL on the same machine", measured },
    ])
}

/// As many bots as there are, and no limit on requests.
const OPTIONS: [&str; 4] =
    ["--limits-bots-per-project", "0", "--rate-limit-requests-per-second", "0"];

fn on_postgres(setting: &Setting, postgres: &Postgres) -> Result<Results> {
    let folder = folder(&setting.folder, "lists-postgres")?;
    let url = postgres.cluster.url();
    let database = Database::Postgres { url: url.clone(), folder };
    let server = Botyard::start(&setting.programs.botyard, &database, &OPTIONS)?;
    let lists = Lists::create(&server, setting)?;
    let pgbench = Pgbench::find(&postgres.programs, url, &server.folder)?;
    pgbench.run("lists.sql", &format!("{};\nANALYZE;\n", lists.rows(&POSTGRES)))?;
    lists.figures(setting, &server)
}

/// A project with one bot, of which everything has so many.
struct Project {
    count: u32,
    project_id: String,
    bot_id: String,
    project: Token,
    bot: Token,
}

struct Lists {
    long: Project,
    short: Project,
}

impl Lists {
    fn create(server: &Botyard, setting: &Setting) -> Result<Self> {
        let long = Project::create(server, setting, LONG)?;
        Ok(Self { long, short: Project::create(server, setting, SHORT)? })
    }

    fn each(&self) -> [&Project; 2] {
        [&self.long, &self.short]
    }

    /// Statements that make what the lists have.
    fn rows(&self, sql: &Sql) -> String {
        let rows = self.each().map(|of| sql.rows(of.count, &of.project_id, &of.bot_id));
        rows.concat().join(";\n")
    }

    fn figures(&self, setting: &Setting, server: &Botyard) -> Result<Results> {
        let mut results = Results::default();
        for (name, list, query) in ASKED {
            let sides = self.each().map(|of| of.side(server, list, query));
            let rounds = Rounds { setting, folder: &server.folder, name, connections: 1 };
            let [a, b] = rounds.run(&sides)?;
            let target = Some(TARGET).filter(|_| !ONE_BY_ONE.contains(&query));
            results.figures.push(Figure { name, unit: Unit::Micros, a, b, target });
        }
        Ok(results)
    }
}

impl Project {
    /// Creates the project, as an operator would, and its bot.
    fn create(server: &Botyard, setting: &Setting, count: u32) -> Result<Self> {
        let call = |arguments: &[&str]| server.call(&setting.programs.botyard, arguments);
        let project_id = content::id(&call(&["project", "create", "--name", "Lists"])?)?;
        let mint = |owner: [&str; 2]| -> Result<String> {
            let minted = ["token", "mint", "--name", "lists", "--scopes", "all"];
            let minted = call(&[&minted[..], &owner].concat())?;
            let secret = minted.get("token").and_then(|token| token.as_str());
            Ok(secret.context("the minted token has no text")?.to_owned())
        };
        let secret = mint(["--project", &project_id])?;
        let project = Token { header: PROJECT_HEADER, secret };
        let bot_id = Bot::create_with(server, &project, &json!({ "name": "Lists" }))?.id;
        let bot = Token { header: "X-Api-Key", secret: mint(["--bot", &bot_id])? };
        Ok(Self { count, project_id, bot_id, project, bot })
    }

    /// Asks for a page, and measures how long that takes in microseconds.
    fn side<'a>(&self, server: &'a Botyard, list: &str, query: &str) -> Side<'a> {
        let query =
            if query == "botId=" { format!("botId={}", self.bot_id) } else { query.to_owned() };
        let (path, token) = match list {
            DOCUMENTS => (list.to_owned(), &self.project),
            USERS => (list.to_owned(), &self.bot),
            "" => (content::BOTS.to_owned(), &self.project),
            of_bot => (format!("{}/{}{of_bot}", content::BOTS, self.bot_id), &self.project),
        };
        let paths = vec![format!("{path}?limit=100&{query}")];
        let request = Request { method: "GET", paths, token: token.clone(), body: None };
        let load = move |_: &Rounds<'_>, _: u32| {
            Measured::watched(Some(&server.process), || {
                let mut connection = Connection::open(server.address)?;
                let begin = Instant::now();
                for _ in 0..REQUESTS {
                    connection.ask(&request)?;
                }
                Ok(begin.elapsed().as_secs_f64() * 1e6 / f64::from(REQUESTS))
            })
        };
        Side { server: Some(&server.process), load: Box::new(load), calls: None }
    }
}
