//! A throw-away PostgreSQL.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, anyhow, bail};

use crate::account::Account;
use crate::script::Script;

const SCRIPT: &str = include_str!("cluster.sh");

/// A running server. It is stopped and its folder removed when this is dropped.
pub struct Cluster {
    /// Stops the server.
    _script: Script,
    port: u16,
    log: PathBuf,
    programs: PathBuf,
    account: Option<Account>,
}

impl Cluster {
    /// Starts a server with the programs in `programs`, under `account` if there is one. What it
    /// commits need not outlive it.
    ///
    /// # Errors
    /// Why it does not start.
    pub fn start(programs: &Path, account: Option<&Account>) -> Result<Self> {
        Self::start_with(programs, account, "fast", None)
    }

    /// Starts a server that makes every commit durable, as a server in use does.
    ///
    /// # Errors
    /// Why it does not start.
    pub fn start_durable(programs: &Path, account: Option<&Account>) -> Result<Self> {
        Self::start_with(programs, account, "durable", None)
    }

    /// Starts a server with files of the caller's own in its data folder. `more.conf` among them has settings, and
    /// `pg_hba.conf` who may connect how. The account must be able to read the folder.
    ///
    /// # Errors
    /// Why it does not start.
    pub fn start_with_files(
        programs: &Path,
        account: Option<&Account>,
        files: &Path,
    ) -> Result<Self> {
        Self::start_with(programs, account, "fast", Some(files))
    }

    fn start_with(
        programs: &Path,
        account: Option<&Account>,
        commits: &str,
        files: Option<&Path>,
    ) -> Result<Self> {
        let files = files.unwrap_or(Path::new(""));
        let arguments = [programs.as_os_str(), OsStr::new(commits), files.as_os_str()];
        let (script, answer) = Script::start("PostgreSQL", SCRIPT, &arguments, account)?;
        let (port, log) = parse(&answer).ok_or_else(|| anyhow!("the script said {answer}"))?;
        let (programs, account) = (programs.to_owned(), account.copied());
        Ok(Self { _script: script, port, log, programs, account })
    }

    /// Calls `pg_ctl` with a command such as `["restart", "-m", "fast"]`, and waits until that is done.
    ///
    /// # Errors
    /// If it fails.
    pub fn control(&self, command: &[&str]) -> Result<()> {
        let mut call = Command::new(self.programs.join("pg_ctl"));
        call.args(command)
            .args(["-w", "-s", "-D"])
            .arg(self.data())
            .current_dir("/")
            // The server that it starts inherits them.
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        if command.first() == Some(&"start") {
            call.arg("-l").arg(&self.log).arg("-o").arg(format!("-p {}", self.port));
        }
        if let Some(account) = &self.account {
            account.run(&mut call);
        }
        let status = call.status().context("pg_ctl can't be started")?;
        if !status.success() {
            bail!("pg_ctl {}: {status}", command.join(" "));
        }
        Ok(())
    }

    /// The folder of its data.
    #[must_use]
    pub fn data(&self) -> PathBuf {
        self.log.with_file_name("data")
    }

    /// Where the server's superuser can be reached.
    #[must_use]
    pub fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
    }

    /// The port of the loopback address on which it listens.
    #[must_use]
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// The file into which it logs.
    #[must_use]
    pub fn log(&self) -> &Path {
        &self.log
    }
}

fn parse(answer: &str) -> Option<(u16, PathBuf)> {
    let (port, log) = answer.split_once(' ')?;
    Some((port.parse().ok()?, PathBuf::from(log)))
}

/// The script is tried with made-up server programs here; `cargo xtask test` itself is the test
/// with the real ones.
#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt as _;

    use tempfile::TempDir;

    use super::*;

    /// A folder with programs that note in `calls` how they were called.
    fn programs(initdb: &str, postgres: &str) -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        let stop = "kill $(head -n 1 \"$3/postmaster.pid\") && rm \"$3/postmaster.pid\"";
        for (name, body) in [("initdb", initdb), ("postgres", postgres), ("pg_ctl", stop)] {
            let path = folder.path().join(name);
            let note = "here=$(dirname \"$0\"); echo \"$(basename \"$0\") $*\" >>\"$here/calls\"";
            fs::write(&path, format!("#!/bin/sh\n{note}\n{body}\n")).unwrap();
            fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
        }
        folder
    }

    fn calls(programs: &TempDir) -> Vec<String> {
        let calls = fs::read_to_string(programs.path().join("calls")).unwrap();
        calls.lines().map(str::to_owned).collect()
    }

    const INITDB: &str = "mkdir \"$2\"";
    const POSTGRES: &str = r#"
        printf '%s\nready\n' $$ >"$2/postmaster.pid"
        while :; do sleep 0.02; done"#;

    #[test]
    fn the_server_runs_until_the_guard_is_dropped() {
        let programs = programs(INITDB, POSTGRES);
        let cluster = Cluster::start(programs.path(), None).unwrap();
        let home = cluster.log().parent().unwrap().to_owned();
        let settings = fs::read_to_string(home.join("data/postgresql.conf")).unwrap();
        assert!(settings.contains("listen_addresses = '127.0.0.1'"), "{settings}");
        assert!(settings.contains("fsync = off"), "{settings}");
        assert!(cluster.url().starts_with("postgres://postgres@127.0.0.1:"), "{}", cluster.url());

        drop(cluster);

        assert!(calls(&programs).last().unwrap().starts_with("pg_ctl stop"));
        assert!(!home.exists());
    }

    #[test]
    fn commits_are_durable_where_that_is_asked_for() {
        let programs = programs(INITDB, POSTGRES);
        let cluster = Cluster::start_durable(programs.path(), None).unwrap();
        let settings = cluster.log().with_file_name("data").join("postgresql.conf");
        let settings = fs::read_to_string(settings).unwrap();
        assert!(settings.contains("listen_addresses"), "{settings}");
        assert!(!settings.contains("off"), "{settings}");
    }

    #[test]
    fn a_port_that_was_taken_meanwhile_does_no_harm() {
        let taken = "[ \"$(grep -c ^postgres \"$here/calls\")\" = 1 ] && exit 1";
        let programs = programs(INITDB, &format!("{taken}\n{POSTGRES}"));
        let cluster = Cluster::start(programs.path(), None).unwrap();
        let calls = calls(&programs);
        assert_eq!(calls.len(), 3, "{calls:?}");
        assert!(calls[2].ends_with(&format!("-p {}", cluster.port)), "{calls:?}");
    }

    #[test]
    fn a_server_that_does_not_start_is_one_line_that_says_why() {
        for (initdb, postgres, expected) in [
            ("echo no; echo disk; exit 1", "", "PostgreSQL does not start: initdb: no disk"),
            (INITDB, "echo bad luck; exit 1", "PostgreSQL does not start: postgres: bad luck"),
        ] {
            let programs = programs(initdb, postgres);
            let Err(error) = Cluster::start(programs.path(), None) else { panic!("it started") };
            let line = format!("{error:#}");
            assert!(line.starts_with(expected), "{line}");
            let calls = calls(&programs);
            let data = calls[0].split_whitespace().nth(2).unwrap();
            assert!(!Path::new(data).parent().unwrap().exists(), "{data} was left behind");
        }
    }
}
