//! What a request costs a server: time of the processors, and calls of the system. Both say something on a busy
//! machine as well, where the number of requests a second does not.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};

use crate::bench::process::Process;

/// How often is asked whether the system calls are being counted.
const PAUSE: Duration = Duration::from_millis(10);
const LONGEST_WAIT: u32 = 500;

/// What a request cost.
#[derive(Debug, Clone, Copy)]
pub struct Cost {
    /// Microseconds of the processors.
    pub micros: f64,
    /// Calls of the system, if they were counted.
    pub calls: Option<f64>,
}

impl Cost {
    /// What one of the requests cost that a load returns the number of.
    ///
    /// # Errors
    /// Of the load.
    #[expect(clippy::cast_precision_loss, reason = "ticks of seconds")]
    pub fn of(server: &Process, load: impl FnOnce() -> Result<u64>) -> Result<Self> {
        let before = server.processor_time()?;
        let requests = load()?;
        let ticks = server.processor_time()? - before;
        let seconds = ticks as f64 / rustix::param::clock_ticks_per_second() as f64;
        Ok(Self { micros: seconds * 1e6 / requests.max(1) as f64, calls: None })
    }
}

/// How many calls of the system a request takes, of those that a load returns the number of. It is far slower than
/// without counting.
///
/// # Errors
/// Of the load, or if strace can't count.
#[expect(clippy::cast_precision_loss, reason = "calls of a second")]
pub fn calls(server: &Process, folder: &Path, load: impl FnOnce() -> Result<u64>) -> Result<f64> {
    let counts = folder.join("calls");
    let mut strace = Command::new("strace")
        .args(["-c", "-f", "-q", "-o"])
        .arg(&counts)
        .args(["-p", &server.id().to_string()])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .context("strace can't be started")?;
    let counted = until_traced(server).and_then(|()| load());
    // It writes what it counted when it is interrupted.
    let interrupt = Command::new("kill").args(["-INT", &strace.id().to_string()]).status();
    strace.wait()?;
    interrupt?;
    let requests = counted?;
    let table = fs::read_to_string(&counts).with_context(|| counts.display().to_string())?;
    Ok(total(&table)? as f64 / requests.max(1) as f64)
}

fn until_traced(server: &Process) -> Result<()> {
    for _ in 0..LONGEST_WAIT {
        if server.is_traced()? {
            return Ok(());
        }
        sleep(PAUSE);
    }
    bail!("strace does not attach to the server")
}

/// The sum of all calls in the table that strace writes: in each row share, seconds, microseconds, calls, perhaps
/// errors, and the name.
fn total(table: &str) -> Result<u64> {
    let rows = table.lines().filter(|line| !line.ends_with("total"));
    let calls = rows.filter_map(|row| row.split_whitespace().nth(3)?.parse::<u64>().ok());
    let total = calls.sum();
    if total == 0 {
        bail!("strace has counted nothing: {table}");
    }
    Ok(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_added_up() {
        let table = "% time     seconds  usecs/call     calls    errors syscall\n\
                     ------ ----------- ----------- --------- --------- ----------------\n \
                     79.74   15.287619        7678      1991       153 futex\n  \
                     3.19    0.610888          11     52511           sendto\n\
                     ------ ----------- ----------- --------- --------- ----------------\n\
                     100.00   19.172752         173     54502       153 total\n";
        assert_eq!(total(table).unwrap(), 54_502);
        assert!(total("").is_err());
    }
}
