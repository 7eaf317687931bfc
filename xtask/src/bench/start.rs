//! How long a server takes from its call until it is ready, on a database that is there.

use std::time::Instant;

use anyhow::Result;

use crate::bench::entries;
use crate::bench::report::Amount;
use crate::bench::setting::Setting;

const ENTRIES: u64 = 100_000;
/// In milliseconds.
const LONGEST: f64 = 50.0;

/// Starts a server in each round.
pub fn measure(setting: &Setting) -> Result<Amount> {
    let kept = entries::sample(setting, &setting.folder, "start", ENTRIES)?.kept;
    let mut milliseconds = Vec::new();
    for _ in 0..setting.rounds {
        let begin = Instant::now();
        let server = kept.start(&setting.programs.botyard)?;
        server.ask(&server.request("GET", "/readyz"))?;
        milliseconds.push(begin.elapsed().as_secs_f64() * 1_000.0);
        server.process.settle()?;
    }
    let name = "start to ready on a database of 100 000 entries";
    Ok(Amount::median(name, ("ms", 0), milliseconds, LONGEST))
}
