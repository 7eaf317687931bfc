//! The group of processes that a worker is in, with whatever it starts.

use std::ffi::OsStr;
use std::io;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::{Child, Command};
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use super::ending::Cut;
use super::usage::Usage;
use crate::guard;
use crate::limits::Limits;

/// How often it is looked at what its processes use.
const CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// A group of processes. All of them are killed with the drop of this, and when this process is killed.
///
/// Its number is that of the guard, and so not given to others before the guard is waited for.
#[derive(Debug)]
pub(super) struct Group {
    /// What it waits for is the end of its input, which is held here.
    guard: Child,
}

impl Group {
    /// A group with no process in it but its guard, which runs this program.
    pub(super) fn begin(program: &OsStr) -> io::Result<Self> {
        let guard = Command::new(program)
            .arg(guard::COMMAND)
            .env_clear()
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()?;
        Ok(Self { guard })
    }

    /// Starts a process in it.
    pub(super) fn start(&self, mut command: Command) -> io::Result<Child> {
        let number =
            self.number().ok_or_else(|| io::Error::other("a new process has no number"))?;
        command.process_group(number.as_raw_pid()).spawn()
    }

    /// Waits until its processes are too many, or use too much memory together.
    pub(super) async fn exceeds(&self, limits: &Limits) -> Cut {
        loop {
            sleep(CHECK_INTERVAL).await;
            let Some(number) = self.number() else { continue };
            let usage = spawn_blocking(move || Usage::of(number)).await.unwrap_or_default();
            if usage.memory > limits.memory.saturating_mul(2) {
                return Cut::Memory;
            }
            if usage.processes > limits.processes.into() {
                return Cut::Processes;
            }
        }
    }

    pub(super) fn kill(&self) {
        if let Some(number) = self.number() {
            // The group still exists, if only as a guard that was killed and not waited for.
            let _ = kill_process_group(number, Signal::KILL);
        }
    }

    /// Kills all that are left, and waits until the guard is gone.
    pub(super) async fn end(mut self) {
        self.kill();
        // The system knows nothing of it if this fails, so that there is nothing to be done.
        let _ = self.guard.wait().await;
    }

    /// There is none any more when the guard was waited for.
    fn number(&self) -> Option<Pid> {
        let number = self.guard.id().and_then(|number| i32::try_from(number).ok());
        number.and_then(Pid::from_raw)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}
