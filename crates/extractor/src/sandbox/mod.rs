//! The sandbox: what a worker gives up before it looks at a file.
//!
//! The worker puts it on itself, because nothing may run between fork and exec of a process with threads
//! but what is written for it. All of it is inherited by the programs that the worker starts, and none of
//! it can be taken off again. Limits must hold; the rest is as much as the kernel gives, and what it does
//! not give is a [`Measure`] that is reported.

#[cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")
))]
mod calls;
/// For other processors there is no list of calls.
#[cfg(all(
    target_os = "linux",
    not(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64"))
))]
mod calls {
    pub(super) fn confine() -> Result<(), ()> {
        Err(())
    }
}
#[cfg(target_os = "linux")]
mod files;
#[cfg(target_os = "linux")]
mod process;

use std::io;

use rustix::process::{Resource, Rlimit, setrlimit};

use crate::limits::Limits;

/// How large a file may become that is written in the sandbox, in bytes.
const FILE_SIZE: u64 = 64 << 20;
/// How many files may be open at once.
const OPEN_FILES: u64 = 32;

/// What is taken from a worker where the kernel does so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Measure {
    Processes,
    DeathSignal,
    Network,
    Files,
    Calls,
}

impl Measure {
    pub(crate) const ALL: [Self; 5] =
        [Self::Processes, Self::DeathSignal, Self::Network, Self::Files, Self::Calls];

    /// The line in which a worker reports that it could not be taken.
    pub(crate) const fn refusal(self) -> &'static str {
        match self {
            Self::Processes => "sandbox: the kernel gives no user namespace",
            Self::DeathSignal => "sandbox: the kernel sends no signal when the parent dies",
            Self::Network => "sandbox: the kernel gives no empty network namespace",
            Self::Files => "sandbox: the kernel has no Landlock",
            Self::Calls => "sandbox: the kernel has no seccomp",
        }
    }
}

/// Goes into the sandbox. There must be one thread only.
///
/// Returns what the kernel refuses.
///
/// # Errors
/// The limits can't be set.
pub(crate) fn enter(limits: &Limits) -> io::Result<Vec<Measure>> {
    bound(limits)?;
    #[cfg(target_os = "linux")]
    let taken = [
        // What the kernel does not bound is bounded by the parent alone.
        (Measure::Processes, process::bound_their_number(limits.processes).is_ok()),
        (Measure::DeathSignal, process::die_with_the_parent().is_ok()),
        (Measure::Network, process::leave_the_network().is_ok()),
        (Measure::Files, files::confine().is_ok()),
        // Last, because it takes away what the others need.
        (Measure::Calls, calls::confine().is_ok()),
    ];
    #[cfg(not(target_os = "linux"))]
    let taken = Measure::ALL.map(|measure| (measure, false));
    Ok(taken.into_iter().filter(|(_, is_taken)| !is_taken).map(|(measure, _)| measure).collect())
}

fn bound(limits: &Limits) -> io::Result<()> {
    let cpu = limits.cpu.as_secs().max(1);
    let same = |value| Rlimit { current: Some(value), maximum: Some(value) };
    for (resource, limit) in [
        (Resource::As, same(limits.memory)),
        // The signal of the first says what it was; the second is for who does not heed it.
        (Resource::Cpu, Rlimit { current: Some(cpu), maximum: Some(cpu.saturating_add(1)) }),
        (Resource::Fsize, same(FILE_SIZE)),
        (Resource::Nofile, same(OPEN_FILES)),
        (Resource::Core, same(0)),
    ] {
        setrlimit(resource, limit)?;
    }
    Ok(())
}
