//! The list of all entries of a bot: how fast it is, and how much memory the server takes for it.

use std::time::{Duration, Instant};

use anyhow::Result;

use crate::bench::entries::{self, Filled};
use crate::bench::entry::KEYVAL;
use crate::bench::process::Process;
use crate::bench::report::{Amount, Figure, Results, Target, Unit, megabytes};
use crate::bench::rounds::{Measured, Rounds, Side};
use crate::bench::setting::Setting;
use crate::bench::sqlite3::Sqlite3;

const ENTRIES: u64 = 100_000;
/// By how much the peak of the memory may grow, in MB.
const GROWTH_MAX: f64 = 16.0;

/// The list, one after the other, and the same rows as SQLite's own program prints them, in turn.
pub fn measure(setting: &Setting) -> Result<Results> {
    let Filled { kept, bot_id } = entries::sample(setting, &setting.folder, "list", ENTRIES)?;
    let sqlite3 = Sqlite3::open(kept.database())?;
    let rows = rows(&bot_id);
    // A server whose memory was never larger than when it is idle.
    let server = kept.start(&setting.programs.botyard)?;
    server.process.settle()?;
    server.process.forget_peak()?;
    let before = server.process.memory()?;

    let request = server.request("GET", KEYVAL);
    let sides = [
        again_and_again(Some(&server.process), || request.drain(server.address)),
        again_and_again(None, || sqlite3.print_json(&rows)),
    ];
    let name = "list of 100 000 entries ÷ `sqlite3 -json` printing the same rows";
    let rounds = Rounds { setting, folder: &server.folder, name, connections: 1 };
    let [a, b] = rounds.run(&sides)?;
    let (unit, target) = (Unit::Megabytes, Some(Target::AtLeast(1.2)));
    let figure = Figure { name, unit, a, b, target };

    let growth = vec![megabytes(server.process.peak()?.saturating_sub(before))];
    let name = "growth of peak memory during lists of 100 000 entries";
    Ok(Results {
        figures: vec![figure],
        amounts: vec![Amount::worst(name, ("MB", 1), growth, GROWTH_MAX)],
        ..Results::default()
    })
}

/// Something that returns how many bytes came of it, repeated for as long as a load lasts.
fn again_and_again<'a>(
    server: Option<&'a Process>,
    once: impl Fn() -> Result<u64> + 'a,
) -> Side<'a> {
    let rate = move |seconds| -> Result<f64> {
        let begin = Instant::now();
        let mut bytes = 0;
        loop {
            bytes += once()?;
            let elapsed = begin.elapsed();
            if elapsed >= Duration::from_secs(seconds) {
                return Ok(megabytes(bytes) / elapsed.as_secs_f64());
            }
        }
    };
    let load =
        move |_: &Rounds<'_>, seconds: u32| Measured::watched(server, || rate(u64::from(seconds)));
    Side { server, load: Box::new(load), calls: None }
}

/// A query for what the list returns, in its order.
fn rows(bot_id: &str) -> String {
    let bot = entries::id(bot_id);
    format!(
        "SELECT hex(id) AS _id, user_id AS userId, type, key, value,
             created_at AS createdAt, updated_at AS updatedAt, accessed_at AS accessedAt
         FROM keyval_entries
         WHERE project_id = (SELECT project_id FROM bots WHERE id = {bot}) AND owner_id = {bot}
         ORDER BY user_id, type, key;"
    )
}
