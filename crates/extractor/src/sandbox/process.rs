//! What ties a worker to its parent and to nothing else.

use std::io;

use rustix::process::{Signal, set_parent_process_death_signal};
use rustix::thread::{UnshareFlags, set_no_new_privs};

/// Has the worker killed when its parent dies, and lets no program that it starts have more rights.
pub(super) fn die_with_the_parent() -> io::Result<()> {
    set_no_new_privs(true)?;
    set_parent_process_death_signal(Some(Signal::KILL))?;
    Ok(())
}

/// Moves into a network without any interface. Who is no administrator becomes one of nothing first.
#[expect(
    deprecated,
    reason = "it is marked for flags that part tables of files, which these do not"
)]
pub(super) fn leave_the_network() -> io::Result<()> {
    rustix::thread::unshare(UnshareFlags::NEWUSER | UnshareFlags::NEWNET)
        .or_else(|_| rustix::thread::unshare(UnshareFlags::NEWNET))?;
    Ok(())
}
