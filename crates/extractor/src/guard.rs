//! The guard: a process that ends a worker, and whatever that has started, when the parent is gone.
//!
//! The kernel signals the death of the parent to the worker alone, and not to the programs that the
//! worker runs. So the guard leads the group in which they all are, and which none of them can leave. It is
//! in no sandbox, since what is in there can't send signals, and it reads nothing.

use std::process::ExitCode;
use std::slice;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::retry_on_intr;
use rustix::process::{Signal, getpgrp, getpid, kill_current_process_group};
use rustix::stdio::stdin;

use crate::worker::NOT_BEGUN;

/// What the program of the workers is called with, and with nothing else, when it is to be a guard.
pub const COMMAND: &str = "extract-guard";

/// Does the work of a guard: waits until no process can write to standard input any more, and then kills
/// its group, itself included.
pub fn run() -> ExitCode {
    // Without a group of its own, as when a script calls it, it would kill its caller as well.
    if getpgrp() != getpid() {
        return ExitCode::from(NOT_BEGUN);
    }
    let parent = stdin();
    let mut end = PollFd::new(&parent, PollFlags::empty());
    // If it can't be waited for, it counts as come.
    let _ = retry_on_intr(|| poll(slice::from_mut(&mut end), None));
    let _ = kill_current_process_group(Signal::KILL);
    ExitCode::FAILURE
}
