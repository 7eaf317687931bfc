//! A throw-away copy of this system, booted with its own systemd.
//!
//! Its files are those of this system until it changes them: an overlay file system, whose changes are in memory. It
//! has no network but the loopback address.

use std::fs;
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};

use crate::debian::find_or_install_from;
use crate::workspace::check;
use test_postgres::is_root;

/// How long the system may take to boot, and to shut down.
const TIME_LIMIT: Duration = Duration::from_secs(60);
const LANDLOCK: &str = "landlock_create_ruleset landlock_add_rule landlock_restrict_self";
/// What nspawn calls the first process of the copy, in its messages.
const LEADER: &str = "X_NSPAWN_LEADER_PID=";

/// A copy that runs; it is gone when this is dropped.
pub struct Machine {
    nspawn: Child,
    leader: String,
    /// They go when the copy has ended.
    _files: Files,
}

impl Machine {
    /// Boots a copy in which these files are in `/trial`.
    pub fn boot(folder: PathBuf, files: &[PathBuf]) -> Result<Self> {
        if !is_root()? {
            bail!("the trial boots a copy of this system, which only root may");
        }
        find_or_install_from("systemd-container", "systemd-nspawn")?;
        let overlay = Files::mount(folder)?;
        let trial = overlay.root().join("trial");
        fs::create_dir(&trial).context("/trial in the copy")?;
        for file in files {
            let name = file.file_name().context("a file without a name")?;
            fs::copy(file, trial.join(name)).with_context(|| file.display().to_string())?;
        }
        // The copy is another machine, and it starts services also if this system is a container that does not.
        for file in ["etc/machine-id", "usr/sbin/policy-rc.d"] {
            let _ = fs::remove_file(overlay.root().join(file));
        }

        let log = overlay.folder.join("nspawn.log");
        let socket = overlay.folder.join("notify");
        let messages = UnixDatagram::bind(&socket).context("the socket for messages of nspawn")?;
        messages.set_read_timeout(Some(TIME_LIMIT))?;
        let mut nspawn = Command::new("systemd-nspawn")
            .args(["--boot", "--register=no", "--keep-unit", "--private-network", "--quiet"])
            .args(["--console=pipe", "--notify-ready=yes", "--directory"])
            .arg(overlay.root())
            // Which nspawn would forbid, and a system that is no container has.
            .arg(format!("--system-call-filter={LANDLOCK}"))
            // Without the services of this system, of which the trial needs none.
            .arg("systemd.unit=basic.target")
            .env("NOTIFY_SOCKET", &socket)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(fs::File::create(&log).context("the log of nspawn")?)
            .spawn()
            .context("systemd-nspawn can't be started")?;
        let leader = leader_when_ready(&messages);
        // Once its buffer is full, a socket that is not read would block nspawn, and the copy with it; a closed one
        // does not.
        drop(messages);
        match leader {
            Ok(leader) => Ok(Self { nspawn, leader, _files: overlay }),
            Err(error) => {
                let _ = nspawn.kill();
                let _ = nspawn.wait();
                let reported = fs::read_to_string(&log).unwrap_or_default();
                Err(error.context(format!("systemd-nspawn reports: {}", reported.trim())))
            }
        }
    }

    /// A command in the copy.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("nsenter");
        command.args(["--target", &self.leader, "--all", "--wd=/", "--"]).args(arguments);
        command
            .env_clear()
            .env("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
        command
            .env("LANG", "C.UTF-8")
            .env("DEBIAN_FRONTEND", "noninteractive")
            .stdin(Stdio::null());
        command
    }

    /// Whether the copy has a file of this path.
    pub fn has(&self, path: &str) -> Result<bool> {
        let status = self.command(&["test", "-e", path]).status().context("nsenter")?;
        Ok(status.success())
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        // Without the first process nothing in the copy goes on, and nspawn ends.
        let _ = Command::new("kill").args(["-KILL", &self.leader]).status();
        let _ = self.nspawn.wait();
    }
}

/// Reads the messages of nspawn until it says that the copy is ready.
fn leader_when_ready(messages: &UnixDatagram) -> Result<String> {
    let mut leader = None;
    loop {
        let mut buffer = [0; 4096];
        let size = messages.recv(&mut buffer).context("the copy of this system does not boot")?;
        let message = String::from_utf8_lossy(buffer.get(..size).unwrap_or_default()).into_owned();
        let number = message.lines().find_map(|line| line.strip_prefix(LEADER));
        leader = number.map(str::to_owned).or(leader);
        if message.lines().any(|line| line == "READY=1") {
            return leader.context("nspawn does not say which process is the first of the copy");
        }
    }
}

/// The files of the copy.
struct Files {
    folder: PathBuf,
}

impl Files {
    fn mount(folder: PathBuf) -> Result<Self> {
        fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        mount(&["-t", "tmpfs", "tmpfs"], &folder)?;
        let files = Self { folder };
        let made = ["upper", "work", "root"].map(|name| files.folder.join(name));
        for part in &made {
            fs::create_dir(part).with_context(|| part.display().to_string())?;
        }
        let [upper, work, root] = &made;
        let options = format!("lowerdir=/,upperdir={},workdir={}", upper.display(), work.display());
        mount(&["-t", "overlay", "-o", &options, "overlay"], root)?;
        Ok(files)
    }

    fn root(&self) -> PathBuf {
        self.folder.join("root")
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        // One that is not mounted is not there.
        for mounted in [self.root(), self.folder.clone()] {
            let _ = Command::new("umount").arg("--quiet").arg(mounted).status();
        }
    }
}

fn mount(options: &[&str], folder: &Path) -> Result<()> {
    let status = Command::new("mount").args(options).arg(folder).status();
    check("mount", status.context("mount can't be started")?)
}
