//! Uploads of a large package: how fast they are, and how much memory the server takes for them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Instant;

use anyhow::{Context as _, Result, anyhow};

use crate::bench::archive::Archive;
use crate::bench::content::Bot;
use crate::bench::report::{Amount, Figure, Results, Unit, megabytes};
use crate::bench::request::Request;
use crate::bench::rounds::Measured;
use crate::bench::server::{Botyard, Database};
use crate::bench::setting::Setting;
use crate::bench::setting::folder;
use crate::workspace::check;

const ENTRIES: u32 = 20;
const ENTRY: u64 = 10 << 20;
/// How many uploads run at once where several do.
const AT_ONCE: u64 = 3;
/// By how much the peak of the memory may grow, in MB.
const GROWTH_MAX: f64 = 16.0;
/// What an upload can't do without, one after the other: the hash of the bytes, and a durable copy.
const YARDSTICK: &str = r#"sha256sum "$1" && cp --reflink=never "$1" "$2" && sync "$2""#;

/// One upload, three at once and the yardstick, in turn.
pub fn measure(setting: &Setting) -> Result<Results> {
    let folder = folder(&setting.folder, "upload")?;
    let archive = Archive::build(&folder, ENTRIES, ENTRY)?;
    let bench = Uploads { botyard: &setting.programs.botyard, folder, archive };
    let (mut one, mut three, mut yardstick) = (Side::default(), Side::default(), Vec::new());
    for round in 1..=setting.rounds {
        eprintln!("uploads: round {round} of {}", setting.rounds);
        one.add(bench.run(1)?);
        three.add(bench.run(AT_ONCE)?);
        yardstick.push(bench.yardstick()?);
    }
    let figure = |name, a, b| Figure { name, unit: Unit::Megabytes, a, b, target: None };
    let growth = |name, values| Amount::worst(name, ("MB", 1), values, GROWTH_MAX);
    Ok(Results {
        figures: vec![
            figure("upload of 200 MB ÷ `sha256sum`, `cp`, `sync`", one.speed, yardstick.clone()),
            figure("three of them at once ÷ the same of one", three.speed, yardstick),
        ],
        amounts: vec![
            growth("growth of peak memory during an upload of 200 MB", one.growth),
            growth("the same during three of them at once", three.growth),
        ],
        ..Results::default()
    })
}

/// What was measured in each round.
#[derive(Default)]
struct Side {
    speed: Vec<Measured>,
    /// In MB.
    growth: Vec<f64>,
}

impl Side {
    fn add(&mut self, (speed, growth): (Measured, f64)) {
        self.speed.push(speed);
        self.growth.push(growth);
    }
}

struct Uploads<'a> {
    botyard: &'a Path,
    folder: PathBuf,
    archive: Archive,
}

impl Uploads<'_> {
    /// So many uploads at once to a new server: its memory was never larger than when it is idle.
    fn run(&self, count: u64) -> Result<(Measured, f64)> {
        let folder = folder(&self.folder, "botyard")?;
        let server = Botyard::start(self.botyard, &Database::Sqlite(folder.clone()), &[])?;
        let bot = Bot::create(&server)?;
        let views = (0..count).map(|_| bot.add_view()).collect::<Result<Vec<_>>>()?;
        server.process.settle()?;
        server.process.forget_peak()?;
        let before = server.process.memory()?;
        let speed = Measured::watched(Some(&server.process), || {
            let begin = Instant::now();
            self.send(&server, &views)?;
            Ok(self.rate(count, begin))
        })?;
        let growth = server.process.peak()?.saturating_sub(before);
        drop(server);
        fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())?;
        Ok((speed, megabytes(growth)))
    }

    /// Each upload has other bytes, because the same ones are stored once.
    fn send(&self, server: &Botyard, views: &[Request]) -> Result<()> {
        let upload = |(view, mark)| self.archive.upload(view, server.address, mark);
        thread::scope(|scope| {
            let threads: Vec<_> =
                views.iter().zip(0..).map(|one| scope.spawn(move || upload(one))).collect();
            threads.into_iter().try_for_each(|thread| {
                thread.join().map_err(|_| anyhow!("an upload came to a sudden end"))?
            })
        })
    }

    fn yardstick(&self) -> Result<Measured> {
        let copy = self.folder.join("copy");
        let speed = Measured::watched(None, || {
            let begin = Instant::now();
            let mut command = Command::new("sh");
            command.args(["-c", YARDSTICK, "sh"]).arg(&self.archive.file).arg(&copy);
            let status = command.stdout(Stdio::null()).status().context("`sh` can't be started")?;
            check("sha256sum, cp and sync", status)?;
            Ok(self.rate(1, begin))
        })?;
        fs::remove_file(&copy).with_context(|| copy.display().to_string())?;
        Ok(speed)
    }

    /// In MB a second.
    fn rate(&self, count: u64, begin: Instant) -> f64 {
        megabytes(self.archive.length() * count) / begin.elapsed().as_secs_f64()
    }
}
