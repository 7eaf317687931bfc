//! `cargo xtask package --try`: the Debian package in a throw-away copy of this system.

mod machine;
mod service;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};

use self::machine::Machine;
use self::service::Service;
use crate::debian::find_or_install;
use crate::workspace::{Workspace, check};

/// Documents of the samples, and a text that each has.
const DOCUMENTS: [(&str, &str); 2] =
    [("luna-manual.pdf", "Touch the base to switch the lamp on"), ("returns.docx", "return")];
const DATA: &str = "/var/lib/botyard";
const SETTINGS: &str = "/etc/botyard/botyard.toml";

/// Checks a package, installs it, calls the server, upgrades to the next package, removes and purges it. Prints each
/// step with its result.
pub fn run(workspace: &Workspace, package: &Path, next: &Path) -> Result<()> {
    for program in ["lintian", "curl"] {
        find_or_install(program)?;
    }
    step("lintian finds neither errors nor warnings");
    let status = Command::new("lintian")
        .args(["--allow-root", "--fail-on", "error,warning", "--info"])
        .arg(package)
        .stdin(Stdio::null())
        .status()
        .context("lintian can't be started")?;
    check("lintian", status)?;

    step("a copy of this system boots");
    let samples = workspace.root.join("crates/server/seed/documents");
    let mut files: Vec<PathBuf> = DOCUMENTS.map(|(name, _)| samples.join(name)).into();
    files.extend([package.to_owned(), next.to_owned()]);
    let machine = Machine::boot(workspace.target.join("packaging").join("trial"), &files)?;
    let trial = Trial { machine };
    trial.go(&in_copy(package)?, &in_copy(next)?)?;
    println!("\nthe package passed its trial");
    Ok(())
}

/// Where a file is in the copy.
fn in_copy(file: &Path) -> Result<String> {
    let name = file.file_name().and_then(|name| name.to_str()).context("a file without a name")?;
    Ok(format!("/trial/{name}"))
}

struct Trial {
    machine: Machine,
}

impl Trial {
    fn go(&self, package: &str, next: &str) -> Result<()> {
        step("the package installs, and the service starts by itself");
        self.run(&["dpkg", "--install", package])?;
        self.expect_running()?;
        self.run(&["stat", "--format=%A %U:%G %n", DATA, SETTINGS])?;

        step("the server answers a token that was minted beside it");
        let service = Service::prepare(self)?;
        // In tenths, as in the test of the unit; this is what it is in the running system.
        let threshold = ["systemd-analyze", "security", "--no-pager", "--threshold=20", "botyard"];
        let rating = self.quiet(&threshold).context("the unit leaves too much open")?;
        println!("{}", rating.lines().last().unwrap_or_default());

        step("documents are read, in the whole of their sandbox");
        for (name, text) in DOCUMENTS {
            service.read_document(self, name, text)?;
        }
        let log = self.quiet(&["journalctl", "--unit=botyard", "--output=cat"])?;
        let mut lines = log.lines();
        if let Some(line) = lines.find(|line| line.contains("WARN") || line.contains("ERROR")) {
            bail!("the server's log has: {line}");
        }

        step("an upgrade restarts the service and keeps the data");
        let before = self.quiet(&["systemctl", "show", "--property=MainPID", "botyard"])?;
        self.run(&["dpkg", "--install", next])?;
        self.expect_running()?;
        let after = self.quiet(&["systemctl", "show", "--property=MainPID", "botyard"])?;
        if before == after {
            bail!("the service was not restarted");
        }
        service.expect_documents(self, DOCUMENTS.len())?;

        step("a removal stops the service and keeps the data");
        self.run(&["dpkg", "--remove", "botyard"])?;
        let state = self.machine.command(&["systemctl", "is-active", "botyard"]).output()?;
        println!("{}", String::from_utf8_lossy(&state.stdout).trim());
        if state.status.success() {
            bail!("the service runs");
        }
        self.expect_files(&[
            ("/usr/bin/botyard", false),
            (SETTINGS, true),
            (&format!("{DATA}/botyard.db"), true),
        ])?;

        step("a new installation finds the data");
        self.run(&["dpkg", "--install", package])?;
        self.expect_running()?;
        service.expect_documents(self, DOCUMENTS.len())?;

        step("a purge leaves nothing behind");
        self.run(&["dpkg", "--purge", "botyard"])?;
        self.expect_files(&[("/usr/bin/botyard", false), ("/etc/botyard", false), (DATA, false)])
    }

    /// Runs a command in the copy, prints it with its output, and returns the output.
    fn run(&self, arguments: &[&str]) -> Result<String> {
        println!("# {}", arguments.join(" "));
        let text = self.quiet(arguments)?;
        println!("{}", text.trim_end());
        Ok(text)
    }

    fn quiet(&self, arguments: &[&str]) -> Result<String> {
        let output =
            self.machine.command(arguments).output().context("nsenter can't be started")?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        if !output.status.success() {
            println!("{text}{}", String::from_utf8_lossy(&output.stderr));
        }
        check(&arguments.join(" "), output.status)?;
        Ok(text)
    }

    /// Checks that the service is enabled and answers; it may have been started just now.
    fn expect_running(&self) -> Result<()> {
        self.run(&["systemctl", "is-enabled", "botyard"])?;
        let answer = [
            "curl",
            "--silent",
            "--show-error",
            "--fail",
            "--retry",
            "30",
            "--retry-delay",
            "1",
            "--retry-all-errors",
            "http://127.0.0.1:8080/readyz",
        ];
        let ready = self.run(&answer);
        if ready.is_err() {
            self.run(&["systemctl", "status", "--no-pager", "--lines=50", "botyard"])?;
        }
        ready.map(drop)
    }

    fn expect_files(&self, files: &[(&str, bool)]) -> Result<()> {
        for (path, is_expected) in files {
            let is_there = self.machine.has(path)?;
            println!("{path} {}", if is_there { "is there" } else { "is gone" });
            if is_there != *is_expected {
                bail!("{path} should {}", if *is_expected { "be there" } else { "be gone" });
            }
        }
        Ok(())
    }
}

fn step(what: &str) {
    println!("\n── {what}");
}
