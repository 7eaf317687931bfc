//! A file that is read line by line, each line checked by itself.

use std::fmt;
use std::ops::RangeInclusive;

use super::ImportKind;
use crate::blob::{Sha256, Sha256Hasher};
use crate::input::InputSettings;
use crate::recorder::Record;
use crate::violation::{ViolationCode, Violations};

/// How many bytes a line has at most: enough for the longest texts that a line may hold, also where
/// each character of them is escaped.
pub const LINE_MAX: usize = 20 << 20;
/// How many invalid lines are listed with what is wrong with them; the others only by their numbers.
pub const INVALID_LINES_MAX: usize = 100;

/// A file that is being read.
#[derive(Debug)]
pub struct Import {
    kind: ImportKind,
    settings: InputSettings,
    records: Vec<ImportedRecord>,
    hasher: Sha256Hasher,
    violations: ImportViolations,
}

/// The records of a file in which every line is valid.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    /// What they are.
    pub kind: ImportKind,
    /// The records, in the order of their lines.
    pub records: Vec<ImportedRecord>,
    /// The hash of the kind and the lines, by which the same file is recognised.
    pub sha256: Sha256,
}

/// A line of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedRecord {
    /// The number of the line.
    pub line: u64,
    /// How many bytes the line has.
    pub bytes: usize,
    /// What it says.
    pub record: Record,
}

/// What is wrong with a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImportViolations {
    /// The first invalid lines, at most [`INVALID_LINES_MAX`].
    pub lines: Vec<InvalidLine>,
    /// The numbers of the others.
    pub others: LineNumbers,
}

/// Numbers of lines in ascending order. As text they are like `3, 7-12`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LineNumbers(Vec<RangeInclusive<u64>>);

impl LineNumbers {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.0.iter().map(|range| range.end() - range.start() + 1).sum()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Extend<u64> for LineNumbers {
    fn extend<I: IntoIterator<Item = u64>>(&mut self, numbers: I) {
        for number in numbers {
            match self.0.last_mut() {
                Some(range) if range.end() + 1 == number => *range = *range.start()..=number,
                _ => self.0.push(number..=number),
            }
        }
    }
}

impl fmt::Display for LineNumbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, range) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            write!(f, "{separator}{}", range.start())?;
            if range.end() > range.start() {
                write!(f, "-{}", range.end())?;
            }
        }
        Ok(())
    }
}

/// What is wrong with one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidLine {
    /// Its number, as it was handed over.
    pub number: u64,
    /// All that is wrong with it.
    pub violations: Violations,
}

impl fmt::Display for ImportViolations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.lines.len() as u64 + self.others.len() {
            1 => f.write_str("1 line is invalid"),
            total => write!(f, "{total} lines are invalid"),
        }
    }
}

impl std::error::Error for ImportViolations {}

impl Import {
    /// Begins a file of such lines.
    #[must_use]
    pub fn new(kind: ImportKind, settings: &InputSettings) -> Self {
        let mut hasher = Sha256Hasher::default();
        hasher.update(kind.as_str().as_bytes());
        let (records, violations) = (Vec::new(), ImportViolations::default());
        Self { kind, settings: settings.clone(), records, hasher, violations }
    }

    /// Takes the next line, without what ends it. One that is blank is passed over. Of a line with
    /// more than [`LINE_MAX`] bytes the first `LINE_MAX + 1` do.
    pub fn line(&mut self, number: u64, bytes: &[u8]) {
        if bytes.len() > LINE_MAX {
            let message = format!("A line must have at most {LINE_MAX} bytes.");
            self.invalid(number, Violations::one("", ViolationCode::TooLong, message));
        } else if !bytes.iter().all(u8::is_ascii_whitespace) {
            self.hasher.update(b"\n");
            self.hasher.update(bytes);
            match self.kind.read(bytes, &self.settings) {
                Ok(record) => {
                    self.valid(ImportedRecord { line: number, bytes: bytes.len(), record });
                }
                Err(violations) => self.invalid(number, violations),
            }
        }
    }

    /// How many records there are so far.
    #[must_use]
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Ends the file.
    ///
    /// # Errors
    /// The invalid lines, if there are any.
    pub fn finish(self) -> Result<Imported, ImportViolations> {
        if !self.violations.lines.is_empty() {
            return Err(self.violations);
        }
        let Self { kind, records, hasher, .. } = self;
        Ok(Imported { kind, records, sha256: hasher.finish() })
    }

    fn valid(&mut self, record: ImportedRecord) {
        // After a violation `finish` returns no records, so they need not be kept.
        if self.violations.lines.is_empty() {
            self.records.push(record);
        }
    }

    fn invalid(&mut self, number: u64, violations: Violations) {
        self.records = Vec::new();
        if self.violations.lines.len() < INVALID_LINES_MAX {
            self.violations.lines.push(InvalidLine { number, violations });
        } else {
            self.violations.others.extend([number]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Input as _;
    use crate::recorder::NewVisualBlock;

    fn import(kind: ImportKind, lines: &[&[u8]]) -> Result<Imported, ImportViolations> {
        let mut import = Import::new(kind, &InputSettings::default());
        for (number, line) in (1..).zip(lines) {
            import.line(number, line);
        }
        import.finish()
    }

    /// A valid line of each kind.
    const SAMPLES: [(ImportKind, &str); 6] = [
        (
            ImportKind::History,
            r#"{"userId":"0197d0c8-3c5e-7000-8000-0123456789ab","role":"user","kind":"message",
                "text":"t"}"#,
        ),
        (ImportKind::Usage, r#"{"day":"2026-01-31","kind":"chatCompletion","model":"m"}"#),
        (ImportKind::Feedback, r#"{"messageId":"m","rating":"up"}"#),
        (ImportKind::Keyval, r#"{"userId":"u","type":"t","key":"k","value":null}"#),
        (ImportKind::Users, r#"{"guestId":"g"}"#),
        (ImportKind::VisualBlocks, r#"{"name":"n","content":{}}"#),
    ];

    #[test]
    fn each_kind_has_lines_of_its_own() {
        for (kind, line) in SAMPLES {
            for (other, _) in SAMPLES {
                assert_eq!(import(other, &[line.as_bytes()]).is_ok(), kind == other, "{other:?}");
            }
        }
        assert_eq!(SAMPLES.len(), ImportKind::WORDS.len());
    }

    #[test]
    fn records_keep_the_order_and_the_numbers_of_their_lines() {
        let line = |name: &str| format!(r#"{{"name":"{name}","content":1}}"#);
        let (a, b) = (line("a"), line("b"));
        let lines = [b"".as_slice(), a.as_bytes(), b" \t\r", b.as_bytes(), b""];
        let imported = import(ImportKind::VisualBlocks, &lines).unwrap();
        let settings = InputSettings::default();
        let block = |line, name: &str| {
            let content = crate::json::Json::of(&1);
            let block = NewVisualBlock { name: name.to_owned(), content };
            let record = Record::from(block.check(&settings).unwrap());
            ImportedRecord { line, bytes: a.len(), record }
        };
        assert_eq!(imported.records, [block(2, "a"), block(4, "b")]);
        assert_eq!(import(ImportKind::Usage, &[b"", b" "]).unwrap().records, []);
    }

    #[test]
    fn a_file_is_known_by_its_kind_and_its_lines() {
        let hash = |kind, lines: &[&[u8]]| import(kind, lines).unwrap().sha256;
        let user = |guest: &str| format!(r#"{{"guestId":"{guest}"}}"#).into_bytes();
        let (a, b) = (user("a"), user("b"));
        let both = hash(ImportKind::Users, &[&a, &b]);
        assert_eq!(hash(ImportKind::Users, &[&a, b"", &b]), both);
        let others = [
            hash(ImportKind::Users, &[]),
            hash(ImportKind::Usage, &[]),
            hash(ImportKind::Users, &[&a]),
            hash(ImportKind::Users, &[&b, &a]),
        ];
        for (at, other) in others.iter().enumerate() {
            assert!(*other != both && !others[..at].contains(other), "{at}");
        }
    }

    #[test]
    fn every_invalid_line_is_reported_with_its_number() {
        let valid = br#"{"guestId":"g"}"#.as_slice();
        let lines = [b"{".as_slice(), valid, b"[]", b"\xff", b"\x0b", br#"{"guestId":1,"_id":2}"#];
        let violations = import(ImportKind::Users, &lines).unwrap_err();
        let reported: Vec<_> =
            violations.lines.iter().map(|line| (line.number, line.codes())).collect();
        let expected = [
            (1, vec!["malformed_json"]),
            (3, vec!["not_an_object"]),
            (4, vec!["malformed_json"]),
            (5, vec!["malformed_json"]),
            (6, vec!["wrong_type", "reserved_field"]),
        ];
        assert_eq!(reported, expected);
        assert!(violations.others.is_empty());
        assert_eq!(violations.to_string(), "5 lines are invalid");
    }

    impl InvalidLine {
        fn codes(&self) -> Vec<&'static str> {
            self.violations.iter().map(|violation| violation.code.as_str()).collect()
        }
    }

    #[test]
    fn invalid_lines_beyond_the_first_hundred_are_reported_by_their_numbers() {
        let mut lines = vec![b"x".as_slice(); INVALID_LINES_MAX + 9];
        lines[102] = br#"{"day":"2026-01-31","kind":"chatCompletion","model":"m"}"#;
        lines[104] = b"";
        let violations = import(ImportKind::Usage, &lines).unwrap_err();
        assert_eq!(violations.lines.len(), INVALID_LINES_MAX);
        assert_eq!(violations.lines.last().map(|line| line.number), Some(100));
        assert_eq!(violations.others.to_string(), "101-102, 104, 106-109");
        assert_eq!(violations.to_string(), "107 lines are invalid");
    }

    #[test]
    fn a_line_has_a_bounded_length() {
        let padded = |length: usize| {
            let mut line = br#"{"guestId":"g"}"#.to_vec();
            line.resize(length, b' ');
            line
        };
        assert!(import(ImportKind::Users, &[&padded(LINE_MAX)]).is_ok());
        let violations = import(ImportKind::Users, &[&padded(LINE_MAX + 1)]).unwrap_err();
        assert_eq!(
            violations.lines.iter().flat_map(InvalidLine::codes).collect::<Vec<_>>(),
            ["too_long"]
        );
        assert_eq!(violations.to_string(), "1 line is invalid");
    }

    #[test]
    fn nothing_is_kept_once_a_line_is_faulty() {
        let mut import = Import::new(ImportKind::Users, &InputSettings::default());
        import.line(1, br#"{"guestId":"g"}"#);
        assert_eq!((import.len(), import.is_empty()), (1, false));
        import.line(2, b"{}");
        import.line(3, br#"{"guestId":"h"}"#);
        assert!(import.is_empty() && import.finish().is_err());
    }
}
