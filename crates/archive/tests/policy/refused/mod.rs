//! An archive for each way of breaking a rule.

mod content;
mod structure;

use domain::archive::ArchiveError::{Bad, NotAnArchive};
use domain::archive::ArchiveRule::{self, Empty, Malformed};

use crate::check;
use test_samples::archive::{Entry, Zip};

const TEXT: &[u8] = b"Hello, archive! Hello, archive!";

fn stored() -> Entry {
    Entry::stored("a.txt", TEXT)
}

fn deflated() -> Entry {
    Entry::deflated("b.txt", TEXT)
}

/// An honest entry before and behind the other one.
fn among_others(entry: Entry) -> Zip {
    Zip::of([Entry::stored("first", TEXT), entry, Entry::deflated("last", TEXT)])
}

fn assert_refused<'a>(cases: impl IntoIterator<Item = (&'a str, ArchiveRule, Zip)>) {
    for (what, rule, zip) in cases {
        assert_eq!(check(&zip.bytes()), Err(Bad(rule)), "{what}");
    }
}

#[test]
fn what_is_no_archive_is_distinguished_from_a_bad_one() {
    let program = [b"MZ\x90\0".as_slice(), &Zip::of([stored()]).bytes()].concat();
    for bytes in
        [b"".as_slice(), b"P", b"PK\x03", b"PK\x07\x08", b"PK\x01\x02", b"%PDF-1.7", &program]
    {
        assert_eq!(check(bytes), Err(NotAnArchive), "{bytes:?}");
    }
    assert_eq!(check(b"PK\x03\x04"), Err(Bad(Malformed)));
    assert_eq!(check(b"PK\x05\x06"), Err(Bad(Malformed)));
}

#[test]
fn archives_without_a_file_are_empty() {
    assert_refused([
        ("no entry", Empty, Zip::default()),
        ("no entry, with a comment", Empty, Zip::default().with(|zip| zip.comment = b"x".into())),
        ("a folder", Empty, Zip::of([Entry::stored("d/", b"")])),
        ("folders", Empty, Zip::of([Entry::stored("d/", b""), Entry::deflated("d/e/", b"")])),
        (
            "entries that the directory does not know",
            Empty,
            Zip::of([stored().with(|entry| entry.has_central = false)]),
        ),
    ]);
}
