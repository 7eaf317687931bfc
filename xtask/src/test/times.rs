//! Where the time of a test run went.

use std::time::{Duration, Instant};

use super::run::Ended;

/// How many of the slowest tests are shown.
const SLOWEST: usize = 10;

/// The stages of a run, and its tests.
#[derive(Default)]
pub struct Times {
    stages: Vec<(String, Duration)>,
    tests: Vec<Ended>,
}

impl Times {
    /// Does something and notes how long it took.
    pub fn stage<T>(&mut self, name: &str, work: impl FnOnce() -> T) -> T {
        let started = Instant::now();
        let result = work();
        self.stages.push((name.to_owned(), started.elapsed()));
        result
    }

    /// Notes the tests of a program.
    pub fn tests(&mut self, tests: Vec<Ended>) {
        self.tests.extend(tests);
    }

    /// Whether no test has run.
    pub fn is_empty(&self) -> bool {
        self.tests.is_empty()
    }

    /// The names of the tests that failed.
    pub fn failed(&self) -> impl Iterator<Item = &str> {
        let failed = self.tests.iter().filter(|test| test.failed);
        failed.map(|test| test.name.as_str())
    }

    /// A table of the stages and of the slowest tests.
    pub fn table(&self) -> String {
        let total: Duration = self.stages.iter().map(|(_, took)| *took).sum();
        let mut table = String::from("\nstages\n");
        for (name, took) in &self.stages {
            table.push_str(&row(*took, name));
        }
        table.push_str(&row(total, "all"));
        let mut timed: Vec<_> =
            self.tests.iter().filter_map(|test| Some((test.took?, &test.name))).collect();
        timed.sort_by(|one, other| other.cmp(one));
        if !timed.is_empty() {
            let untimed = self.tests.len() - timed.len();
            table.push_str(&format!("\nthe slowest of {} tests", timed.len()));
            table.push_str(&if untimed > 0 {
                format!(" ({untimed} more tell no time)\n")
            } else {
                "\n".to_owned()
            });
        }
        for (took, name) in timed.into_iter().take(SLOWEST) {
            table.push_str(&row(took, name));
        }
        table
    }
}

fn row(took: Duration, name: &str) -> String {
    format!("{:>8.1} s  {name}\n", took.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_and_the_slowest_tests_are_shown() {
        let mut times = Times::default();
        assert_eq!(times.stage("build", || 7), 7);
        let test = |number: u64| Ended {
            name: format!("api test {number}"),
            took: Some(Duration::from_secs(number)),
            failed: number == 3,
        };
        times.tests((0..12).map(test).collect());
        let table = times.table();
        let names: Vec<_> = table.lines().filter_map(|line| line.split_once(" s  ")).collect();
        let names: Vec<_> = names.iter().map(|(_, name)| *name).collect();
        assert_eq!(names[..3], ["build", "all", "api test 11"]);
        assert_eq!(names.len(), 2 + SLOWEST);
        assert!(table.contains("the slowest of 12 tests"), "{table}");
        assert_eq!(times.failed().collect::<Vec<_>>(), ["api test 3"]);
    }
}
