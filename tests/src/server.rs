//! The server as a process, which never outlives its test.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::wrapped::wrapped;

/// Runs the server and ends it when the test process is gone: a guard does not run in a process
/// that is killed, and statics are never dropped. But the pipe on which this script waits closes
/// whatever happens. Then the folder goes, too.
const SCRIPT: &str = r#"
folder=$1; shift
exec 3<&0
"$@" </dev/null 3<&- &
server=$!
echo "pid $server"
{ read -r _ <&3; trap '' TERM; kill -KILL "$server"; rm -rf "$folder"; } 2>/dev/null >/dev/null &
watch=$!
exec 3<&-
wait "$server"
code=$?
kill "$watch"
exit "$code"
"#;

/// How long a server may take to start; a server that takes longer hangs.
const TIMEOUT: Duration = Duration::from_secs(120);

/// A running server. It is killed when this is dropped.
pub struct Server {
    script: Child,
    /// Closed when this process ends. `Child::wait` would close it first, so it is kept apart.
    _leash: ChildStdin,
    pid: u32,
    address: SocketAddr,
    log: PathBuf,
    output: Mutex<Receiver<String>>,
    printed: Vec<String>,
}

impl Server {
    /// Runs a command that serves; its standard error goes to the file `log`. `folder` is removed
    /// should the test process end before this server does.
    pub(crate) fn start(command: &Command, folder: &Path, log: &Path) -> Result<Self, String> {
        let explain = |error: std::io::Error| format!("the server can't be started: {error}");
        let file = File::options().create(true).append(true).open(log).map_err(explain)?;
        let mut shell = Command::new("sh");
        shell.args(["-c", SCRIPT, "server"]).arg(folder);
        let mut script = wrapped(shell, command);
        script.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(file);
        let mut script = script.spawn().map_err(explain)?;
        let leash = script.stdin.take().expect("the input is piped");
        let stdout = script.stdout.take().expect("the output is piped");
        let (sender, output) = mpsc::channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                // The receiver is gone once the server was dropped.
                let _ = sender.send(line);
            }
        });
        let (mut pid, mut address, mut printed) = (None, None, Vec::new());
        while pid.is_none() || address.is_none() {
            let Ok(line) = output.recv_timeout(TIMEOUT) else {
                drop(leash);
                let _ = script.wait();
                let said = fs::read_to_string(log).unwrap_or_default();
                let last: Vec<_> = said.lines().rev().take(3).collect();
                return Err(format!("the server did not start: {last:?}"));
            };
            if let Some(number) = line.strip_prefix("pid ") {
                pid = number.parse().ok();
            } else {
                if let Some(at) = line.strip_prefix("listening on http://") {
                    address = at.parse().ok();
                }
                printed.push(line);
            }
        }
        Ok(Self {
            script,
            _leash: leash,
            pid: pid.expect("the loop above waits for it"),
            address: address.expect("the loop above waits for it"),
            log: log.to_owned(),
            output: Mutex::new(output),
            printed,
        })
    }

    /// The server's own process.
    #[must_use]
    pub const fn pid(&self) -> u32 {
        self.pid
    }

    /// Where it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where it listens, as the beginning of a URL.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What it has written to standard error so far.
    #[must_use]
    pub fn log(&self) -> String {
        let bytes = fs::read(&self.log).expect("the log can be read");
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// The lines that it has written to standard output so far.
    pub fn printed(&mut self) -> &[String] {
        let output = self.output.get_mut();
        let output = output.unwrap_or_else(PoisonError::into_inner);
        self.printed.extend(output.try_iter());
        &self.printed
    }

    /// Sends a signal, named like `TERM`.
    #[track_caller]
    pub fn signal(&self, name: &str) {
        let status = Command::new("kill").args(["-s", name, &self.pid.to_string()]).status();
        assert!(status.is_ok_and(|status| status.success()), "kill -s {name}");
    }

    /// Waits for its end; returns its exit code, 128 and more for a signal.
    #[track_caller]
    pub fn wait(&mut self) -> i32 {
        let status = self.script.wait().expect("the server was started");
        status.code().unwrap_or(-1)
    }

    /// Its exit code, if it has ended.
    pub fn has_ended(&mut self) -> Option<i32> {
        let status = self.script.try_wait().expect("the server was started");
        status.map(|status| status.code().unwrap_or(-1))
    }

    /// Asks it to end and waits until it has; returns its exit code.
    #[track_caller]
    pub fn stop(&mut self) -> i32 {
        self.signal("TERM");
        self.wait()
    }

    /// Ends it without asking.
    #[track_caller]
    pub fn kill(&mut self) {
        self.signal("KILL");
        self.wait();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if matches!(self.script.try_wait(), Ok(None)) {
            let pid = self.pid.to_string();
            let _ = Command::new("kill").args(["-s", "KILL", &pid]).status();
            let _ = self.script.wait();
        }
    }
}
