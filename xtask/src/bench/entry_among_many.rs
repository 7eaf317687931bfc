//! Whether an entry and a page of entries take longer to find among many others.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use crate::bench::entries::{self, PAGE};
use crate::bench::report::{Figure, Target, Unit};
use crate::bench::request::Request;
use crate::bench::rounds::{Measured, Rounds};
use crate::bench::server::Botyard;
use crate::bench::setting::folder;
use crate::bench::setting::{READERS, Setting};

const MANY: u64 = 5_000_000;
const FEW: u64 = 5_000;
/// Over how many entries and pages the load goes, which lie at equal distances.
const TARGETS: u64 = 100;

/// Where something is, by the number of an entry.
type AddressOf = fn(u64) -> String;

/// What is asked for: the name of the figure, where it is, and whether it is a page.
const ASKED: [(&str, AddressOf, bool); 3] = [
    ("an entry among 5 000 000 ÷ among 5 000", entries::entry, false),
    ("a page by the beginning of keys among 5 000 000 entries ÷ among 5 000", entries::page, true),
    ("the same of one user", entries::page_of_user, true),
];

/// Both servers in turn. Their databases take 2 GB, and go afterwards.
pub fn measure(setting: &Setting) -> Result<Vec<Figure>> {
    let folder = folder(&setting.folder, "many")?;
    let figures = compare(setting, &folder);
    fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())?;
    figures
}

fn compare(setting: &Setting, folder: &Path) -> Result<Vec<Figure>> {
    let start = |name, count| {
        let filled = entries::sample(setting, folder, name, count)?;
        filled.kept.start(&setting.programs.botyard)
    };
    eprintln!("filling in 5 000 000 entries");
    let (many, few) = (start("5000000", MANY)?, start("5000", FEW)?);
    many.process.settle()?;
    let mut figures = Vec::new();
    for (name, place, is_page) in ASKED {
        let requests = |server: &Botyard, count: u64| {
            let numbers = (0..TARGETS).map(|number| number * count / TARGETS);
            let paths = numbers.map(place).collect();
            let request = Request { paths, ..server.request("GET", "") };
            require_whole(server, &request, is_page).map(|()| request)
        };
        let sides = [many.side(requests(&many, MANY)?), few.side(requests(&few, FEW)?)];
        let rounds = Rounds { setting, folder, name, connections: READERS };
        let [a, b] = rounds.run(&sides)?.map(times);
        let (unit, target) = (Unit::Micros, Some(Target::AtMost(1.2)));
        figures.push(Figure { name, unit, a, b, target });
    }
    Ok(figures)
}

/// Insists on full pages and on answers that are all there.
fn require_whole(server: &Botyard, request: &Request, is_page: bool) -> Result<()> {
    for path in &request.paths {
        let answer = server.ask(&Request { paths: vec![path.clone()], ..request.clone() })?;
        let answer: Value = serde_json::from_str(&answer.body).with_context(|| path.clone())?;
        let is_whole = match answer.as_array() {
            Some(entries) => is_page && entries.len() == PAGE,
            None => !is_page,
        };
        if !is_whole {
            bail!("{path} is not answered with what was filled in");
        }
    }
    Ok(())
}

/// What a request takes of the server's time, in place of how many it answers in a second.
fn times(rates: Vec<Measured>) -> Vec<Measured> {
    let time = |rate: Measured| Measured { value: 1_000_000.0 / rate.value, ..rate };
    rates.into_iter().map(time).collect()
}
