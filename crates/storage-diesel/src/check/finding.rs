//! What was found.

use std::collections::HashMap;

use domain::id::{JobId, ProjectId};
use domain::job::JobKind;

/// How many findings of a kind are kept, so that a database that is damaged all over fits into memory.
const KEPT: usize = 1_000;

/// Something that must not be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What kind of thing it is: a word for programs.
    pub kind: &'static str,
    /// What it is about: mostly the identifier of a row.
    pub id: String,
    /// The project that it belongs to, if it belongs to one.
    pub project: Option<ProjectId>,
    /// What is wrong, in one sentence.
    pub sentence: String,
    /// What can be done about it without losing anything.
    pub repair: Option<Repair>,
}

/// What can be done about a finding without losing anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Repair {
    /// Queue the job that is missing. It looks by itself whether there is anything to do.
    Queue {
        /// What the job does.
        kind: JobKind,
        /// To what.
        subject: String,
    },
    /// Make a job due again that has failed for good.
    Retry(JobId),
    /// Forget a job that has nothing to work on.
    Discard(JobId),
    /// Make the jobs due that repeat, one of which looks for this.
    Sweep,
}

impl Finding {
    /// A finding that belongs to no project and can't be repaired.
    #[must_use]
    pub const fn new(kind: &'static str, id: String, sentence: String) -> Self {
        Self { kind, id, project: None, sentence, repair: None }
    }
}

/// What was found so far: of each kind the first thousand.
#[derive(Debug, Default)]
pub struct Findings {
    list: Vec<Finding>,
    counts: HashMap<&'static str, usize>,
}

impl Findings {
    /// Adds one. Behind the last one of its kind that is kept comes one that says that there are more.
    pub fn push(&mut self, finding: Finding) {
        let count = self.counts.entry(finding.kind).or_default();
        *count += 1;
        if *count <= KEPT {
            self.list.push(finding);
        } else if *count == KEPT + 1 {
            let sentence =
                "there are more of this kind: check again when these are gone".to_owned();
            self.list.push(Finding::new(finding.kind, "-".to_owned(), sentence));
        }
    }

    /// All that are kept, in the order in which they were found.
    #[must_use]
    pub fn list(&self) -> &[Finding] {
        &self.list
    }
}

/// How many rows a rule reads at most: one more than are kept.
pub(super) const READ: usize = KEPT + 1;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_each_kind_a_thousand_are_kept() {
        let mut findings = Findings::default();
        for number in 0..KEPT + 5 {
            findings.push(Finding::new("one", number.to_string(), String::new()));
        }
        findings.push(Finding::new("other", "a".to_owned(), String::new()));
        let of_one = findings.list().iter().filter(|found| found.kind == "one");
        assert_eq!(of_one.count(), KEPT + 1);
        assert!(findings.list()[KEPT].sentence.starts_with("there are more"));
        assert_eq!(findings.list().last().map(|found| found.id.as_str()), Some("a"));
    }
}
