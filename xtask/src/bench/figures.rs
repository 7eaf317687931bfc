//! What is measured: three requests against their floors, and what group commit brings.

use std::path::PathBuf;

use anyhow::Result;

use crate::bench::folder;
use crate::bench::load::Wrk;
use crate::bench::request::{Request, VARIES};
use crate::bench::rounds::{Measured, Rounds, median};
use crate::bench::server::{Botyard, Database, Floor};
use crate::cluster::Cluster;

const READERS: u32 = 32;
const WRITERS: u32 = 64;
const BOT: &str = "/api/external/bot";

/// The programs that take part.
pub struct Programs {
    pub botyard: PathBuf,
    pub floor: PathBuf,
    pub wrk: Wrk,
}

/// How and where to measure.
pub struct Setting {
    pub programs: Programs,
    pub folder: PathBuf,
    pub seconds: u32,
    pub rounds: u32,
}

/// A ratio of two sides, with what each did in each round.
pub struct Figure {
    pub name: &'static str,
    pub a: Vec<Measured>,
    pub b: Vec<Measured>,
    /// What the ratio must be at least; `None` for one that is told for information.
    pub target: Option<f64>,
}

/// The figures that have targets, with the settings' defaults.
pub fn on_sqlite(setting: &Setting) -> Result<Vec<Figure>> {
    let binary = &setting.programs.botyard;
    let here = folder(&setting.folder, "sqlite")?;
    let botyard = Botyard::start(binary, &Database::Sqlite(here), &[])?;
    let single = Database::Sqlite(folder(&setting.folder, "single")?);
    let single = Botyard::start(binary, &single, &["--limits-write-batch", "1"])?;
    on(setting, &botyard, Some(&single), [Some(0.70), Some(0.50), Some(0.35)])
}

/// The same on PostgreSQL, where they have no targets.
pub fn on_postgres(setting: &Setting, cluster: &Cluster) -> Result<Vec<Figure>> {
    let folder = folder(&setting.folder, "postgres")?;
    let database = Database::Postgres { url: cluster.url(), folder };
    let botyard = Botyard::start(&setting.programs.botyard, &database, &[])?;
    on(setting, &botyard, None, [None; 3])
}

/// A request to measure against its floor.
struct Case {
    name: &'static str,
    connections: u32,
    request: Request,
    target: Option<f64>,
}

fn cases(botyard: &Botyard, [checkauth, get, put]: [Option<f64>; 3]) -> [Case; 3] {
    [
        Case {
            name: "`checkauth` ÷ floor",
            connections: READERS,
            request: botyard.request("GET", "/api/external/checkauth"),
            target: checkauth,
        },
        Case {
            name: "`GET` a bot with a 1.5 KB config ÷ floor",
            connections: READERS,
            request: botyard.request("GET", BOT),
            target: get,
        },
        Case {
            name: "`PUT` a bot, durable ÷ floor of a `PUT`",
            connections: WRITERS,
            request: changing(botyard),
            target: put,
        },
    ]
}

/// A request of which each one changes the bot.
fn changing(server: &Botyard) -> Request {
    let body = format!(r#"{{"temperature":{VARIES}}}"#);
    Request { body: Some(body), ..server.request("PUT", BOT) }
}

/// The figures of one server; `single` is another one that commits each write by itself.
fn on(
    setting: &Setting,
    botyard: &Botyard,
    single: Option<&Botyard>,
    targets: [Option<f64>; 3],
) -> Result<Vec<Figure>> {
    for server in [Some(botyard), single].into_iter().flatten() {
        server.fill_config()?;
    }
    let mut figures = Vec::new();
    for case in cases(botyard, targets) {
        let Case { name, connections, request, target } = case;
        let folder = folder(&setting.folder, "floor")?;
        let floor = Floor::of(botyard, &request, &setting.programs.floor, &folder)?;
        let mut sides = vec![botyard.side(request.clone()), floor.side(request.clone())];
        if let Some(single) = single.filter(|_| request.body.is_some()) {
            sides.push(single.side(changing(single)));
        }
        let rounds = Rounds { setting, folder: &folder, name, connections };
        let mut measured = rounds.run(&sides)?.into_iter();
        let mut next = || measured.next().unwrap_or_default();
        let (a, b) = (next(), next());
        figures.push(Figure { name, a: a.clone(), b, target });
        figures.extend(measured.next().map(|b| Figure {
            name: "the same `PUT` ÷ with a batch bound of 1",
            a,
            b,
            target: Some(2.0),
        }));
    }
    Ok(figures)
}

impl Figure {
    /// The ratio of each round.
    pub fn ratios(&self) -> Vec<f64> {
        self.a.iter().zip(&self.b).map(|(a, b)| a.rate / b.rate).collect()
    }

    /// The ratio that counts.
    pub fn ratio(&self) -> f64 {
        median(&self.ratios())
    }
}
