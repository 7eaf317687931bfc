//! Which files a worker can reach: those in its own folder, and programs with what they read.

use std::env;
use std::path::PathBuf;

use landlock::{
    ABI, Access as _, AccessFs, CompatLevel, Compatible as _, PathBeneath, PathFd, PathFdError,
    Ruleset, RulesetAttr as _, RulesetCreatedAttr as _, RulesetError, RulesetStatus, Scope,
};

/// Where programs, their libraries, fonts and models are.
const SYSTEM: [&str; 8] = [
    "/usr",
    "/bin",
    "/lib",
    "/lib64",
    "/nix/store",
    "/etc/ld.so.cache",
    "/etc/fonts",
    "/var/cache/fontconfig",
];
/// What programs open as a matter of course.
const DEVICES: [&str; 3] = ["/dev/null", "/dev/zero", "/dev/urandom"];

/// The newest rules that are asked for; of a kernel that is older, those that it has. What it lacks (to
/// truncate a file by its name, signals, sockets) is among the calls that are forbidden.
const WANTED: ABI = ABI::V6;
/// The oldest that keep a worker off files.
const NEEDED: ABI = ABI::V1;

/// Why there is no confinement.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unconfined {
    #[error(transparent)]
    Rules(#[from] RulesetError),
    #[error(transparent)]
    Folder(#[from] PathFdError),
    #[error("the kernel does not enforce it")]
    NotEnforced,
}

/// Leaves the worker its own folder, which is the current one, and what OCR programs need for reading.
pub(super) fn confine() -> Result<(), Unconfined> {
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(NEEDED))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(WANTED))?
        // Nor can it send signals to what is not in the sandbox.
        .scope(Scope::Signal | Scope::AbstractUnixSocket)?
        .create()?
        .add_rule(PathBeneath::new(PathFd::new(".")?, AccessFs::from_all(WANTED)))?;
    for path in SYSTEM.map(PathBuf::from).into_iter().chain(programs()) {
        // What is not there needs no rule.
        if let Ok(folder) = PathFd::new(path) {
            rules = rules.add_rule(PathBeneath::new(folder, AccessFs::from_read(WANTED)))?;
        }
    }
    for path in DEVICES {
        if let Ok(device) = PathFd::new(path) {
            let access = AccessFs::ReadFile | AccessFs::WriteFile;
            rules = rules.add_rule(PathBeneath::new(device, access))?;
        }
    }
    match rules.restrict_self()?.ruleset {
        RulesetStatus::NotEnforced => Err(Unconfined::NotEnforced),
        RulesetStatus::PartiallyEnforced | RulesetStatus::FullyEnforced => Ok(()),
    }
}

/// Where the operator says that programs and models are.
fn programs() -> Vec<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let models = env::var_os("TESSDATA_PREFIX").map(PathBuf::from);
    env::split_paths(&path).filter(|path| path.is_absolute()).chain(models).collect()
}
