//! A shell script that runs a server for as long as this process needs it.
//!
//! The server is not our child but that of the script, which waits on a pipe that we hold. A guard
//! alone would not run on Ctrl-C and `kill -9`; the pipe closes whatever happens to us, so the
//! server never outlives us.

use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader};
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, Result, anyhow, bail};

use crate::account::Account;

/// A running script. It stops its server when this is dropped.
pub(crate) struct Script {
    child: Child,
    /// What the server is called.
    server: &'static str,
}

impl Script {
    /// Starts it under `account`, if there is one, and waits until its server is ready. Returns what it said then,
    /// behind the word `ready`.
    pub(crate) fn start(
        server: &'static str,
        text: &str,
        arguments: &[&OsStr],
        account: Option<&Account>,
    ) -> Result<(Self, String)> {
        let mut command = Command::new("sh");
        command
            .args(["-c", text, "script.sh"])
            .args(arguments)
            .args(free_ports()?)
            .env("LC_ALL", "C")
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // Its own group: Ctrl-C on the terminal does not reach the server.
            .process_group(0);
        if let Some(account) = account {
            account.run(&mut command);
        }
        let mut child = command.spawn().context("`sh` can't be started")?;
        let answer = first_line(&mut child)?;
        let Some(said) = answer.strip_prefix("ready ") else {
            // The script ends by itself; it has its folder to remove.
            child.wait()?;
            bail!("{server} does not start: {}", answer.trim_start_matches("failed: "));
        };
        Ok((Self { child, server }, said.to_owned()))
    }
}

impl Drop for Script {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        if let Err(error) = self.child.wait() {
            #[expect(clippy::print_stderr, reason = "nobody else can say so")]
            {
                eprintln!("warning: {} may still run: {error}", self.server);
            }
        }
    }
}

/// A few free ports, because another process may take one before the server does.
fn free_ports() -> Result<Vec<String>> {
    let listeners = (0..3)
        .map(|_| TcpListener::bind((Ipv4Addr::LOCALHOST, 0)))
        .collect::<Result<Vec<_>, _>>()
        .context("there is no free port")?;
    listeners.iter().map(|listener| Ok(listener.local_addr()?.port().to_string())).collect()
}

fn first_line(script: &mut Child) -> Result<String> {
    let stdout = script.stdout.take().ok_or_else(|| anyhow!("the script has no output"))?;
    let mut line = String::new();
    BufReader::new(stdout).read_line(&mut line).context("the script's output can't be read")?;
    Ok(line.trim().to_owned())
}
