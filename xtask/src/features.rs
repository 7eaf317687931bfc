//! What the tests and the lints build beyond a plain build, and what that takes.

use std::process::{Command, Stdio};
use std::sync::OnceLock;

use anyhow::{Context as _, Result, bail};

use crate::debian::{apt_get, can_install};
use crate::workspace::{self, Workspace, check};

/// The features that the server is tested with. TLS to PostgreSQL is left out of a plain build because it needs
/// OpenSSL, and the export of spans because few need it; with one build that has both, all tests run on what is
/// shipped.
pub const TESTED: &str = "botyard-server/otlp,botyard-server/postgres-tls";

/// Debian's packages of OpenSSL for programs that are built with it.
const PACKAGES: [&str; 2] = ["libssl-dev", "pkg-config"];
/// What configuring OpenSSL from source takes beyond the language itself, which Debian's `perl-base` does not have.
const PERL_MODULES: [&str; 4] = ["FindBin", "IPC::Cmd", "File::Compare", "Time::Piece"];
/// Has the system's OpenSSL taken instead of one that is compiled along, which takes minutes.
const NO_VENDOR: (&str, &str) = ("OPENSSL_NO_VENDOR", "1");

/// Makes sure that a build with the features can be had here: with the system's OpenSSL, which is installed where that
/// is possible and allowed, or else with one from source.
pub fn prepare() -> Result<()> {
    if has_openssl() {
        return Ok(());
    }
    let packages = PACKAGES.join(" ");
    if can_install()? {
        eprintln!("OpenSSL is not there: installing {packages}");
        apt_get(&["update"])?;
        let install = [&["install"][..], &PACKAGES[..]].concat();
        return apt_get(&install).with_context(|| format!("installing {packages}"));
    }
    if !has("make", &["--version"]) || !has_perl() {
        bail!(
            "OpenSSL is not there, and compiling it needs perl and make: install one or the other (Debian: \
             `apt-get install {packages}`, or perl and make)"
        );
    }
    Ok(())
}

/// Cargo, for builds with the features. [`prepare`] must have been called.
pub fn cargo() -> Command {
    let mut cargo = workspace::cargo();
    cargo.envs(variable());
    cargo
}

/// The variable that such a build has where the system's OpenSSL is taken.
pub fn variable() -> Option<(&'static str, &'static str)> {
    static HAS_OPENSSL: OnceLock<bool> = OnceLock::new();
    HAS_OPENSSL.get_or_init(has_openssl).then_some(NO_VENDOR)
}

/// Runs [`cargo`] at the root of the workspace, its output going to the terminal.
pub fn run_cargo(workspace: &Workspace, arguments: &[&str]) -> Result<()> {
    let status = cargo().args(arguments).current_dir(&workspace.root).status();
    let name = format!("cargo {}", arguments.join(" "));
    check(&name, status.with_context(|| format!("{name} can't be started"))?)
}

fn has_openssl() -> bool {
    has("pkg-config", &["--exists", "openssl >= 1.1.1"])
}

fn has_perl() -> bool {
    let modules: Vec<_> = PERL_MODULES.iter().map(|module| format!("-M{module}")).collect();
    let modules = modules.iter().map(String::as_str);
    has("perl", &modules.chain(["-e", "1"]).collect::<Vec<_>>())
}

fn has(program: &str, arguments: &[&str]) -> bool {
    let mut call = Command::new(program);
    call.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    call.status().is_ok_and(|status| status.success())
}
