//! What a file can do to the process of its reader, and to no other process.
//!
//! This program is its own worker, started again with another argument: the real one in the real sandbox, whose
//! reader of HTML does what its file says (`actor.rs`), or one that answers what no worker should
//! (`liar.rs`). `probe.rs` has it start a program that tries what the sandbox forbids.

#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "these are tests, and what they play may do whatever it likes"
)]

mod actor;
mod confinement;
mod endings;
mod forbidden;
mod full_disk;
mod liar;
mod memory;
mod orphans;
mod pdf;
mod probe;
mod protocol;
mod scans;
mod stage;

use std::env;
use std::future::Future;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};

fn main() -> ExitCode {
    let mut arguments = env::args().skip(1);
    match arguments.next().as_deref() {
        Some("extract-worker") => extractor::worker::run(actor::act),
        Some("extract-guard") => extractor::guard::run(),
        Some("fill") => full_disk::fill(&arguments.next().unwrap_or_default()),
        Some("wait") => orphans::wait(&arguments.next().unwrap_or_default()),
        Some("grow") => memory::grow(),
        Some("lie") => liar::lie(&arguments.next().unwrap_or_default()),
        _ => libtest_mimic::run(&Arguments::from_args(), all()).exit_code(),
    }
}

fn all() -> Vec<Trial> {
    [
        endings::trials(),
        orphans::trials(),
        memory::trials(),
        confinement::trials(),
        probe::trials(),
        protocol::trials(),
        pdf::trials(),
        scans::trials(),
        full_disk::trials(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// A test in a runtime of its own.
fn trial<F: Future<Output = ()> + 'static>(name: &str, test: fn() -> F) -> Trial {
    Trial::test(name, move || {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        runtime.block_on(test());
        Ok::<(), Failed>(())
    })
}

/// The tests of a module by their names.
macro_rules! trials {
    ($($name:ident),+ $(,)?) => {
        pub fn trials() -> Vec<libtest_mimic::Trial> {
            vec![$(crate::trial(
                concat!(module_path!(), "::", stringify!($name)),
                $name,
            )),+]
        }
    };
}
use trials;
