//! Running one test program, and what it says of its tests.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result};

use super::programs::Program;

/// libtest reports the time of each test only where unstable options are allowed, by this variable; on a
/// stable toolchain, too.
const ALLOWS_UNSTABLE: (&str, &str) = ("RUSTC_BOOTSTRAP", "1");

/// A program of which no test has ended for so long hangs. It is killed, because a run that never ends reports nothing.
const SILENCE_LIMIT: Duration = Duration::from_secs(10 * 60);

/// A test that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// Program and name.
    pub name: String,
    /// How long it took, if the program says so.
    pub took: Option<Duration>,
    /// Whether it did not pass.
    pub failed: bool,
}

/// How a program ended.
pub struct Run {
    pub tests: Vec<Ended>,
    /// What is wrong: tests that failed, or how the program ended without naming one.
    pub failure: Option<String>,
}

/// Runs a program, its output going to the terminal line by line.
pub fn run(program: &Program, arguments: &[String], variables: &[(&str, String)]) -> Result<Run> {
    println!("\n── {}", program.name);
    let mut command = Command::new(&program.path);
    command
        .args(arguments)
        .current_dir(&program.folder)
        .env("CARGO_MANIFEST_DIR", &program.folder)
        .stdout(Stdio::piped());
    if has_main_of_libtest(program) {
        command.env(ALLOWS_UNSTABLE.0, ALLOWS_UNSTABLE.1);
        command.args(["-Z", "unstable-options", "--report-time"]);
    }
    for (name, value) in variables {
        if value.is_empty() {
            command.env_remove(name);
        } else {
            command.env(name, value);
        }
    }
    let context = || format!("{} can't be run", program.path.display());
    let mut child = command.spawn().with_context(context)?;
    let output = child.stdout.take().with_context(context)?;
    let child = Mutex::new(child);
    let tests = read_until_silent(SILENCE_LIMIT, &child, |is_alive| {
        let mut tests = Vec::new();
        // A test may write what is no text.
        for line in BufReader::new(output).split(b'\n') {
            let line = line.with_context(context)?;
            let line = String::from_utf8_lossy(&line);
            println!("{line}");
            if let Some(test) = ended(&program.name, &line) {
                is_alive();
                tests.push(test);
            }
        }
        Ok::<_, anyhow::Error>(tests)
    })?;
    let mut child = child.into_inner().unwrap_or_else(PoisonError::into_inner);
    let status = child.wait().with_context(context)?;
    let failed = tests.iter().filter(|test: &&Ended| test.failed).count();
    let failure = (!status.success())
        .then(|| if failed > 0 { format!("{failed} failed") } else { status.to_string() });
    Ok(Run { tests, failure })
}

/// Reads the output of a program to its end, and kills the program if it gives no sign of life for so long.
fn read_until_silent<T>(
    limit: Duration,
    child: &Mutex<Child>,
    read: impl FnOnce(&dyn Fn()) -> T,
) -> T {
    let (sign, signs) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let silence = loop {
                match signs.recv_timeout(limit) {
                    Ok(()) => {}
                    Err(silence) => break silence,
                }
            };
            if silence == RecvTimeoutError::Timeout {
                println!("killed: no test has ended for {} s", limit.as_secs());
                let mut child = child.lock().unwrap_or_else(PoisonError::into_inner);
                drop(child.kill());
            }
        });
        let result = read(&|| sign.send(()).unwrap_or_default());
        drop(sign);
        result
    })
}

/// What the names of tests contain that each run of the program tests: a program with a `main` of its own
/// takes one filter, so it runs once for each of them.
pub fn filters_of_runs(program: &Program, filters: &[String]) -> Vec<Vec<String>> {
    if has_main_of_libtest(program) || filters.is_empty() {
        vec![filters.to_vec()]
    } else {
        filters.iter().map(|filter| vec![filter.clone()]).collect()
    }
}

/// Whether the program has libtest's `main`. One that is started again as something else has a `main` of
/// its own, which reports no times and takes one filter.
fn has_main_of_libtest(program: &Program) -> bool {
    program.name != "extractor/sandbox"
}

/// Reads a line like `test skills::names ... ok <0.013s>`.
fn ended(program: &str, line: &str) -> Option<Ended> {
    let (name, verdict) = line.strip_prefix("test ")?.rsplit_once(" ... ")?;
    let failed = verdict.starts_with("FAILED");
    if !failed && !verdict.starts_with("ok") {
        return None;
    }
    let seconds = verdict.split_once('<').and_then(|(_, rest)| rest.strip_suffix("s>"));
    let took = seconds.and_then(|seconds| seconds.parse().ok()).map(Duration::from_secs_f64);
    Some(Ended { name: format!("{program} {name}"), took, failed })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_hangs_is_killed() {
        let mut child = Command::new("sleep").arg("3600").stdout(Stdio::piped()).spawn().unwrap();
        let mut output = child.stdout.take().unwrap();
        let child = Mutex::new(child);
        let read = read_until_silent(Duration::from_millis(1), &child, |_| {
            std::io::copy(&mut output, &mut std::io::sink())
        });
        read.unwrap();
        assert!(!child.into_inner().unwrap().wait().unwrap().success());
    }

    #[test]
    fn the_end_of_a_test_is_read() {
        let test = |took: Option<u64>, failed| {
            let took = took.map(Duration::from_millis);
            Some(Ended { name: "api a::b".to_owned(), took, failed })
        };
        assert_eq!(ended("api", "test a::b ... ok <0.013s>"), test(Some(13), false));
        assert_eq!(ended("api", "test a::b ... FAILED <62.500s>"), test(Some(62_500), true));
        assert_eq!(ended("api", "test a::b ... ok"), test(None, false));
        for line in ["test a::b ... ignored", "test result: ok. 1 passed", "running 1 test", ""] {
            assert_eq!(ended("api", line), None, "{line}");
        }
    }
}
