//! Running a command to its end.

use std::io::{self, Read, Write as _};
use std::process::{Child, Command, Stdio};
use std::thread::{self, JoinHandle};

use botyard_tests::Installation;
use botyard_tests::waiting::eventually;
use serde_json::Value;

use super::setup::members;

/// What a command did.
#[must_use]
#[derive(Debug)]
pub struct Ran {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

/// Runs `botyard` with the settings of an installation.
#[track_caller]
pub fn botyard(installation: &Installation, arguments: &[&str]) -> Ran {
    let mut command = installation.command(&[]);
    run(command.args(arguments))
}

/// Runs a command that ends by itself. One that does not is killed.
#[track_caller]
pub fn run(command: &mut Command) -> Ran {
    run_with_input(command, &[])
}

/// The same with something on standard input.
#[track_caller]
pub fn run_with_input(command: &mut Command, input: &[u8]) -> Ran {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = Hung(command.spawn().expect("the binary can be started"));
    let (stdout, stderr) = (child.0.stdout.take().unwrap(), child.0.stderr.take().unwrap());
    let (stdout, stderr) = (collect(stdout), collect(stderr));
    let mut stdin = child.0.stdin.take().unwrap();
    // A command that does not read all of it says why by itself.
    let _ = stdin.write_all(input);
    drop(stdin);
    Ran { code: child.end(), stdout: text(stdout), stderr: text(stderr) }
}

/// Runs a command whose standard output no process reads.
#[track_caller]
pub fn run_unread(command: &mut Command) -> Ran {
    let (reader, writer) = io::pipe().expect("a pipe");
    drop(reader);
    let command = command.stdin(Stdio::null()).stdout(writer).stderr(Stdio::piped());
    let mut child = Hung(command.spawn().expect("the binary can be started"));
    let stderr = collect(child.0.stderr.take().unwrap());
    Ran { code: child.end(), stdout: String::new(), stderr: text(stderr) }
}

/// A process that goes when the test fails.
struct Hung(Child);

impl Hung {
    #[track_caller]
    fn end(&mut self) -> Option<i32> {
        eventually("the command ends", || self.0.try_wait().expect("it was started")).code()
    }
}

impl Drop for Hung {
    fn drop(&mut self) {
        // It has ended already, unless it hung.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn collect(mut output: impl Read + Send + 'static) -> JoinHandle<String> {
    thread::spawn(move || {
        let mut text = String::new();
        output.read_to_string(&mut text).expect("the output can be read");
        text
    })
}

fn text(output: JoinHandle<String>) -> String {
    output.join().expect("the output is text")
}

impl Ran {
    /// What a command printed that did what it should, and had nothing to complain about.
    #[track_caller]
    pub fn done(&self) -> &str {
        assert_eq!(self.code, Some(0), "{self:?}");
        assert_eq!(self.stderr, "", "{self:?}");
        &self.stdout
    }

    /// The same for one that printed JSON, which is one line.
    #[track_caller]
    pub fn json(&self) -> Value {
        let line = self.done().strip_suffix('\n').unwrap_or_else(|| panic!("no line: {self:?}"));
        assert!(!line.contains('\n'), "{self:?}");
        serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Why a command failed: the lines that it wrote, each without the name of the program in front.
    /// It printed no result.
    #[track_caller]
    pub fn reasons(&self) -> Vec<&str> {
        assert_eq!(self.code, Some(1), "{self:?}");
        assert_eq!(self.stdout, "", "{self:?}");
        assert!(self.stderr.ends_with('\n'), "{self:?}");
        let reason =
            |line| str::strip_prefix(line, "botyard: ").filter(|reason| !reason.is_empty());
        let reasons: Option<Vec<_>> = self.stderr.lines().map(reason).collect();
        reasons.unwrap_or_else(|| panic!("more than reasons: {self:?}"))
    }

    /// Whether a command said this, wherever and however it ended.
    pub fn says(&self, text: &str) -> bool {
        self.stdout.contains(text) || self.stderr.contains(text)
    }

    /// What a command printed that did a part of its work, and what it wrote to standard error of the rest.
    #[track_caller]
    pub fn half_done(&self) -> (&str, &str) {
        assert_eq!(self.code, Some(1), "{self:?}");
        (&self.stdout, &self.stderr)
    }

    /// The one reason why a command failed.
    #[track_caller]
    pub fn failed(&self) -> &str {
        let [reason] = self.reasons()[..] else { panic!("one reason: {self:?}") };
        reason
    }

    /// The reasons why a command that was to print JSON failed.
    #[track_caller]
    pub fn failed_as_json(&self) -> Value {
        assert_eq!(self.code, Some(1), "{self:?}");
        assert_eq!(self.stdout, "", "{self:?}");
        let said = serde_json::from_str::<Value>(&self.stderr);
        let said = said.unwrap_or_else(|error| panic!("{error}: {self:?}"));
        assert_eq!(members(&said), ["errors"], "{self:?}");
        said["errors"].clone()
    }

    /// What a check printed that found something.
    #[track_caller]
    pub fn found(&self) -> &str {
        assert_eq!(self.code, Some(1), "{self:?}");
        assert_eq!(self.stderr, "", "{self:?}");
        &self.stdout
    }

    /// Why a check could not be made, in one line.
    #[track_caller]
    pub fn could_not_look(&self) -> &str {
        assert_eq!(self.code, Some(2), "{self:?}");
        assert_eq!(self.stdout, "", "{self:?}");
        let reason = self.stderr.strip_prefix("botyard: ").and_then(|line| line.strip_suffix('\n'));
        reason.filter(|line| !line.contains('\n')).unwrap_or_else(|| panic!("one line: {self:?}"))
    }

    /// What a command said that was typed wrongly. It printed no result.
    #[track_caller]
    pub fn misused(&self) -> &str {
        assert_eq!(self.code, Some(2), "{self:?}");
        assert_eq!(self.stdout, "", "{self:?}");
        assert!(self.stderr.contains("--help"), "{self:?}");
        &self.stderr
    }
}
