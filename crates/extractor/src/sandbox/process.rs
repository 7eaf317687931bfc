//! What ties a worker to its parent and to nothing else.

use std::io;

use rustix::process::{Resource, Rlimit, Signal, set_parent_process_death_signal, setrlimit};
use rustix::system::uname;
use rustix::thread::{UnshareFlags, set_no_new_privs};

/// The first kernel that counts the processes of a user namespace by themselves. Older ones count all of
/// the account, those of the server included.
const COUNTS_BY_NAMESPACE: (u32, u32) = (5, 14);

/// Has the worker killed when its parent dies, and lets no program that it starts have more rights.
pub(super) fn die_with_the_parent() -> io::Result<()> {
    set_no_new_privs(true)?;
    set_parent_process_death_signal(Some(Signal::KILL))?;
    Ok(())
}

/// Moves into a user namespace, in which there may be so many processes and threads. The kernel lets
/// administrators have more.
pub(super) fn bound_their_number(processes: u32) -> io::Result<()> {
    unshare(UnshareFlags::NEWUSER)?;
    if version(&uname().release().to_string_lossy()) >= Some(COUNTS_BY_NAMESPACE) {
        let limit = Some(processes.into());
        setrlimit(Resource::Nproc, Rlimit { current: limit, maximum: limit })?;
    }
    Ok(())
}

/// Moves into a network without any interface, as the administrator or in a user namespace.
pub(super) fn leave_the_network() -> io::Result<()> {
    unshare(UnshareFlags::NEWNET)
}

#[expect(
    deprecated,
    reason = "it is marked for flags that part tables of files, which these do not"
)]
fn unshare(flags: UnshareFlags) -> io::Result<()> {
    Ok(rustix::thread::unshare(flags)?)
}

/// The first two numbers of a kernel's version, such as `6.1.0-28-amd64`.
fn version(release: &str) -> Option<(u32, u32)> {
    let mut numbers = release.split(|char: char| !char.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_kernels_are_compared_by_their_numbers() {
        assert_eq!(version("6.1.0-28-amd64"), Some((6, 1)));
        assert_eq!(version("5.4"), Some((5, 4)));
        assert_eq!(version("5"), None);
        assert!(version("5.10.0") < Some(COUNTS_BY_NAMESPACE));
        assert!(version("unknown") < Some(COUNTS_BY_NAMESPACE));
    }
}
