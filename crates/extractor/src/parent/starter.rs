//! Starts the processes of workers, all from one thread.
//!
//! The kernel kills a worker when the *thread* that started it ends, not the process. Threads of a runtime
//! come and go; this one lives as long as anybody holds a [`Starter`].

use std::io;
use std::sync::mpsc;
use std::thread;

use tokio::process::{Child, Command};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use super::group::Group;

/// Has the thread start processes.
#[derive(Debug, Clone)]
pub(super) struct Starter(mpsc::Sender<Start>);

/// A process that is to be started.
#[derive(Debug)]
struct Start {
    command: Command,
    runtime: Handle,
    started: oneshot::Sender<io::Result<Started>>,
}

/// A process, and the group that it is in.
pub(super) type Started = (Group, Child);

impl Starter {
    pub(super) fn new() -> io::Result<Self> {
        let (sender, starts) = mpsc::channel();
        thread::Builder::new().name("extract-starter".to_owned()).spawn(move || serve(&starts))?;
        Ok(Self(sender))
    }

    /// Starts a process in a group of its own. Its pipes belong to the runtime that asks.
    pub(super) async fn start(&self, command: Command) -> io::Result<Started> {
        let (started, both) = oneshot::channel();
        let start = Start { command, runtime: Handle::current(), started };
        self.0.send(start).map_err(|_| gone())?;
        both.await.map_err(|_| gone())?
    }
}

/// Goes on until no [`Starter`] is left.
fn serve(starts: &mpsc::Receiver<Start>) {
    while let Ok(Start { command, runtime, started }) = starts.recv() {
        let _in_runtime = runtime.enter();
        // If the caller has stopped waiting, both are dropped, and so killed.
        let _ = started.send(start(command));
    }
}

/// The group comes first, so that no process of it is ever without a guard.
fn start(command: Command) -> io::Result<Started> {
    let group = Group::begin(command.as_std().get_program())?;
    let child = group.start(command)?;
    Ok((group, child))
}

fn gone() -> io::Error {
    io::Error::other("the thread that starts processes has ended")
}
