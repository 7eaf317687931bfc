//! What other programs took of the machine during a load. A ratio from a busy machine says little:
//! who has more threads gets more of what is left.

use std::fs;

use anyhow::{Context as _, Result};

use crate::bench::process::Process;

/// The processors' time so far, in the system's ticks.
pub struct Watch<'a> {
    server: Option<&'a Process>,
    whole: u64,
    busy: u64,
    ours: u64,
}

impl<'a> Watch<'a> {
    /// Watches a load for which only this server, this process and its children work.
    pub fn begin(server: Option<&'a Process>) -> Result<Self> {
        let file = "/proc/stat";
        let text = fs::read_to_string(file).context(file)?;
        let (whole, busy) = whole_and_busy(&text)?;
        let ours = server.map_or(Ok(0), Process::processor_time)? + Process::time_of_ours()?;
        Ok(Self { server, whole, busy, ours })
    }

    /// The share of the processors that others took since then.
    #[expect(clippy::cast_precision_loss, reason = "ticks of minutes")]
    pub fn end(self) -> Result<f64> {
        let now = Self::begin(self.server)?;
        let others = (now.busy - self.busy).saturating_sub(now.ours - self.ours);
        Ok(others as f64 / (now.whole - self.whole).max(1) as f64)
    }
}

/// All time, and the time that went to programs or was withheld from the machine. The time of
/// interrupts is left out of the latter: most of it is our own network traffic.
fn whole_and_busy(stat: &str) -> Result<(u64, u64)> {
    let line = stat.lines().next().unwrap_or_default();
    let times: Vec<u64> =
        line.split_whitespace().skip(1).take(8).map(str::parse).collect::<Result<_, _>>()?;
    // User, nice, system, idle, waiting for disks, two kinds of interrupts, stolen.
    let busy = [0, 1, 2, 7].into_iter().filter_map(|at| times.get(at)).sum();
    Ok((times.iter().sum(), busy))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_time_and_interrupts_belong_to_no_process() {
        let stat = "cpu  100 20 3 5000 70 11 13 4 99 0\ncpu0 1 2 3\n";
        assert_eq!(whole_and_busy(stat).unwrap(), (5221, 127));
    }

    #[test]
    fn the_share_of_others_lies_between_nothing_and_all() {
        let folder = tempfile::tempdir().unwrap();
        let arguments = ["-c".to_owned(), "sleep 60".to_owned()];
        let server =
            Process::start(std::path::Path::new("/bin/sh"), &arguments, folder.path()).unwrap();
        let share = Watch::begin(Some(&server)).unwrap().end().unwrap();
        assert!((0.0..=1.0).contains(&share), "{share}");
    }
}
