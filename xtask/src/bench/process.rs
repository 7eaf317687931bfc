//! A server under test: started here, put to sleep while others are measured, ended with us.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Lines};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail};

use crate::workspace::{check, without_variables};

/// Says the program's process id, runs it, and ends it when standard input closes: whatever happens
/// to us, the program does not outlive us. A sleeping one has to be woken to end.
const SCRIPT: &str = r#"
    exec 3<&0
    sh -c 'echo $$; exec "$@"' sh "$@" </dev/null 3<&- &
    exec >&-
    read -r _ <&3
    kill $!
    kill -CONT $!
    wait
"#;
/// A process that uses less of a processor than this is idle.
const IDLE: Duration = Duration::from_millis(250);
const LONGEST_WAIT: u32 = 80;

/// A running program. It is ended when this is dropped.
pub struct Process {
    script: Child,
    id: u32,
    lines: Lines<BufReader<ChildStdout>>,
    log: PathBuf,
}

impl Process {
    /// Starts a program in `folder`; its standard error goes to the file `log` there.
    pub fn start(program: &Path, arguments: &[String], folder: &Path) -> Result<Self> {
        let log = folder.join("log");
        let errors = File::create(&log).with_context(|| log.display().to_string())?;
        let mut command = Command::new("sh");
        without_variables(&mut command, "BOTYARD_")
            .args(["-c", SCRIPT, "sh"])
            .arg(program)
            .args(arguments)
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(errors)
            // Its own group: Ctrl-C on the terminal does not reach the program.
            .process_group(0);
        let mut script = command.spawn().context("`sh` can't be started")?;
        let stdout = script.stdout.take().ok_or_else(|| anyhow!("the script has no output"))?;
        let mut lines = BufReader::new(stdout).lines();
        let id = lines.next().ok_or_else(|| anyhow!("the script says nothing"))??;
        Ok(Self { script, id: id.parse()?, lines, log })
    }

    /// The next line that the program prints.
    pub fn line(&mut self) -> Result<String> {
        let Some(line) = self.lines.next() else {
            let log = fs::read_to_string(&self.log).unwrap_or_default();
            bail!("it ended before it was ready: {}", log.lines().last().unwrap_or_default());
        };
        Ok(line?)
    }

    /// The resident memory in bytes.
    pub fn memory(&self) -> Result<u64> {
        self.bytes("VmRSS:")
    }

    /// The most resident memory in bytes since the start, or since the peak was forgotten.
    pub fn peak(&self) -> Result<u64> {
        self.bytes("VmHWM:")
    }

    /// Makes the memory of this moment the peak.
    pub fn forget_peak(&self) -> Result<()> {
        let file = format!("/proc/{}/clear_refs", self.id);
        // The number stands for this in the system's language.
        fs::write(&file, "5").context(file)
    }

    fn bytes(&self, name: &str) -> Result<u64> {
        let status = self.read("status")?;
        let kilobytes = status.lines().find_map(|line| line.strip_prefix(name)?.strip_suffix("kB"));
        let kilobytes = kilobytes.ok_or_else(|| anyhow!("the system does not tell the memory"))?;
        Ok(kilobytes.trim().parse::<u64>()? * 1024)
    }

    /// Waits until the program has nothing more to do.
    pub fn settle(&self) -> Result<()> {
        let mut before = self.processor_time()?;
        for _ in 0..LONGEST_WAIT {
            sleep(IDLE);
            let now = self.processor_time()?;
            if now <= before + 1 {
                return Ok(());
            }
            before = now;
        }
        bail!("a server that nobody asks anything is still busy, see {}", self.log.display())
    }

    /// Stops the program where it is, so that it takes nothing from what is measured meanwhile.
    pub fn freeze(&self) -> Result<()> {
        self.signal("-STOP")
    }

    /// Lets the program go on.
    pub fn thaw(&self) -> Result<()> {
        self.signal("-CONT")
    }

    /// Ends the program as a crash of the machine would, without a chance to do anything.
    pub fn kill(&self) -> Result<()> {
        self.signal("-KILL")
    }

    fn signal(&self, signal: &str) -> Result<()> {
        let status = Command::new("kill").args([signal, &self.id.to_string()]).status();
        check("kill", status.context("`kill` can't be started")?)
    }

    /// The program's process id.
    pub const fn id(&self) -> u32 {
        self.id
    }

    /// Whether another program traces its system calls.
    pub fn is_traced(&self) -> Result<bool> {
        let status = self.read("status")?;
        let tracer = status.lines().find_map(|line| line.strip_prefix("TracerPid:"));
        Ok(tracer.is_some_and(|id| id.trim() != "0"))
    }

    /// What the program has used of the processors, in the system's ticks (mostly 10 ms).
    pub fn processor_time(&self) -> Result<u64> {
        Self::times(&self.read("stat")?, 2)
    }

    /// What we have used, and those of our children that were waited for.
    pub fn time_of_ours() -> Result<u64> {
        Self::times(&fs::read_to_string("/proc/self/stat")?, 4)
    }

    /// The time in user mode and in the system: the first two of these numbers in a line about a
    /// process. The next two are those of its children.
    fn times(stat: &str, count: usize) -> Result<u64> {
        // The name stands in brackets, and may hold anything.
        let numbers = stat.rsplit_once(')').map_or("", |(_, numbers)| numbers);
        let times = numbers.split_whitespace().skip(11).take(count);
        Ok(times.map(str::parse::<u64>).sum::<Result<u64, _>>()?)
    }

    fn read(&self, name: &str) -> Result<String> {
        let file = format!("/proc/{}/{name}", self.id);
        fs::read_to_string(&file).with_context(|| format!("{file}, see {}", self.log.display()))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.script.stdin.take());
        if let Err(error) = self.script.wait() {
            eprintln!("warning: process {} may still run: {error}", self.id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(folder: &Path, script: &str) -> Process {
        Process::start(Path::new("/bin/sh"), &["-c".to_owned(), script.to_owned()], folder).unwrap()
    }

    #[test]
    fn a_program_runs_until_the_guard_is_dropped_also_when_it_sleeps() {
        let folder = tempfile::tempdir().unwrap();
        let mut process = shell(folder.path(), "echo one; echo two; exec sleep 60");
        assert_eq!(process.line().unwrap(), "one");
        assert_eq!(process.line().unwrap(), "two");
        process.settle().unwrap();
        process.forget_peak().unwrap();
        assert!(process.memory().unwrap() > 0);
        assert!(process.peak().unwrap() >= process.memory().unwrap());
        let own = format!("/proc/{}", process.id);
        process.freeze().unwrap();
        process.thaw().unwrap();
        process.freeze().unwrap();
        assert!(Path::new(&own).exists());
        drop(process);
        assert!(!Path::new(&own).exists());
    }

    #[test]
    fn a_program_that_ends_too_early_leaves_its_last_line() {
        let folder = tempfile::tempdir().unwrap();
        let mut process = shell(folder.path(), "echo first >&2; echo bad luck >&2; exit 1");
        let error = process.line().unwrap_err().to_string();
        assert_eq!(error, "it ended before it was ready: bad luck");
    }
}
