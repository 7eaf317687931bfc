//! Entries that must not be in an archive: their names, kinds and content.

use archive::ArchiveLimits;
use domain::archive::ArchiveError::Bad;
use domain::archive::ArchiveRule::{
    BadName, ChecksumMismatch, DuplicateName, Encrypted, EntryTooLarge, HeadersDisagree, Malformed,
    MultiDisk, NameTooLong, NotAFile, PathTraversal, RatioTooHigh, TooDeep, TooLarge,
    TooManyEntries, UnsupportedCompression,
};

use super::{TEXT, among_others, assert_refused, deflated, stored};
use crate::{check, check_with};
use test_samples::archive::{Entry, SIGNED, Zip, deflate, extra, unicode_path, zip64_extra};

#[test]
fn names_must_be_good_ones() {
    let long = "x".repeat(513);
    let deep = "d/".repeat(32) + "f";
    for (name, rule) in [
        ("../x", PathTraversal),
        ("a/../../x", PathTraversal),
        ("a/..", PathTraversal),
        ("/x", PathTraversal),
        ("C:x", PathTraversal),
        ("C:/x", PathTraversal),
        ("a\\b", BadName),
        ("..\\x", BadName),
        ("C:\\x", BadName),
        ("a\nb", BadName),
        ("a\x1b[2J", BadName),
        ("a\0.txt", BadName),
        ("", BadName),
        ("a//b", BadName),
        (&long, NameTooLong),
        (&deep, TooDeep),
        ("first", DuplicateName),
        ("FIRST", DuplicateName),
        ("./first", DuplicateName),
        ("First/", DuplicateName),
        ("first/x", DuplicateName),
    ] {
        let size = if name.ends_with('/') { 0 } else { TEXT.len() };
        let zip = among_others(Entry::stored(name, &TEXT[..size]));
        assert_eq!(check(&zip.bytes()), Err(Bad(rule)), "{name:?}");
        let zip = among_others(stored().with(|entry| {
            entry.both(|header| header.extra = unicode_path(&header.name, name.as_bytes()));
        }));
        assert_eq!(check(&zip.bytes()), Err(Bad(rule)), "in Unicode: {name:?}");
    }
    let named = |name: &[u8], flags: u16| {
        stored().with(|entry| {
            entry.both(|header| (header.name, header.flags) = (name.to_vec(), flags));
        })
    };
    assert_refused([
        ("no UTF-8, but the flag for it", BadName, among_others(named(b"Gr\x81n", 1 << 11))),
        ("UTF-16", BadName, among_others(named(b"a\0b\0", 0))),
        (
            "the same in code page 437 and in UTF-8",
            DuplicateName,
            Zip::of([named(b"\x81.txt", 0), named("Ü.txt".as_bytes(), 0)]),
        ),
        ("more than 512 bytes only in UTF-8", NameTooLong, among_others(named(&[0x81; 300], 0))),
        (
            "an extra field for the name that is cut off",
            Malformed,
            among_others(stored().with(|entry| entry.central.extra = extra(0x7075, &[1, 2, 3]))),
        ),
    ]);
}

#[test]
fn only_files_and_folders_are_allowed() {
    let with = |attributes| stored().with(|entry| entry.attributes = attributes);
    for (what, attributes) in [
        ("a symbolic link", 0o120_777 << 16),
        ("a symbolic link of 7-Zip", 0o120_777 << 16 | 0x8000),
        ("a device", 0o020_666 << 16),
        ("a disk", 0o060_666 << 16),
        ("a pipe", 0o010_666 << 16),
        ("a socket", 0o140_666 << 16),
        ("no kind that there is", 0o170_666 << 16),
        ("a reparse point", 0x400),
        ("a volume label", 0x08),
        ("a folder by its mode alone", 0o040_755 << 16),
        ("a folder by its attribute alone", 0x10),
    ] {
        assert_refused([(what, NotAFile, among_others(with(attributes)))]);
    }
    assert_refused([("a folder with content", NotAFile, among_others(Entry::stored("d/", TEXT)))]);
}

#[test]
fn only_what_every_reader_unpacks_is_allowed() {
    let flagged =
        |flag: u16| among_others(stored().with(|entry| entry.both(|header| header.flags = flag)));
    assert_refused([
        ("encrypted", Encrypted, flagged(1)),
        ("strongly encrypted", Encrypted, flagged(1 | 1 << 6)),
        ("an encrypted directory", Encrypted, flagged(1 << 13)),
        ("a patch", UnsupportedCompression, flagged(1 << 5)),
        ("parts", MultiDisk, among_others(stored().with(|entry| entry.disk = 1))),
    ]);
    // Shrunk, imploded, deflate64, bzip2, LZMA, Zstandard, XZ, PPMd, AES.
    for method in [1, 6, 9, 12, 14, 93, 95, 98, 99] {
        let entry = Entry::new("x", method, TEXT, TEXT.to_vec());
        assert_refused([("a method", UnsupportedCompression, among_others(entry))]);
    }
}

#[test]
fn the_content_has_bounds() {
    let declared = |name: &str, size: u32| {
        Entry::stored(name, TEXT).with(|entry| {
            entry.both(|header| (header.packed, header.size) = (size, size));
        })
    };
    let zeros = vec![0; 11 << 20];
    let limits = ArchiveLimits { total_bytes: 61, ..ArchiveLimits::default() };
    assert_eq!(check_with(limits, &Zip::of([stored(), deflated()]).bytes()), Err(Bad(TooLarge)));
    let limits = ArchiveLimits { entry_bytes: 30, ..ArchiveLimits::default() };
    assert_eq!(check_with(limits, &Zip::of([deflated()]).bytes()), Err(Bad(EntryTooLarge)));
    assert_refused([
        (
            "too many entries",
            TooManyEntries,
            Zip::of((0..10_001).map(|at| Entry::stored(&at.to_string(), b""))),
        ),
        ("a large entry", EntryTooLarge, among_others(declared("x", (256 << 20) + 1))),
        (
            "a large entry in ZIP64",
            EntryTooLarge,
            among_others(stored().with(|entry| {
                entry.central.extra = zip64_extra(&[u64::MAX, u64::MAX]);
                (entry.central.size, entry.central.packed) = (u32::MAX, u32::MAX);
            })),
        ),
        (
            "large entries",
            TooLarge,
            Zip::of(["a", "b", "c", "d", "e"].map(|name| declared(name, 250 << 20))),
        ),
        ("a ratio", RatioTooHigh, among_others(Entry::deflated("zeros", &zeros))),
    ]);
}

#[test]
fn the_content_must_be_what_the_records_say() {
    let zeros = vec![0; 1 << 20];
    let sized = |size: u32| {
        Entry::deflated("x", &zeros).with(|entry| entry.both(|header| header.size = size))
    };
    let packed = |packed: Vec<u8>| among_others(Entry::new("x", 8, TEXT, packed));
    let mut broken = deflate(TEXT);
    broken[0] = 7;
    let mut cut_off = deflate(TEXT);
    cut_off.pop();
    let trailing = [deflate(TEXT).as_slice(), b"garbage"].concat();
    let twice = [deflate(TEXT), deflate(TEXT)].concat();
    let misread = among_others(stored().with(|entry| entry.both(|header| header.crc ^= 1)));
    assert_refused([
        ("a bomb that says it is small", HeadersDisagree, among_others(sized(10))),
        (
            "a streamed bomb that says it is small",
            HeadersDisagree,
            among_others(sized(10).streamed(SIGNED)),
        ),
        ("a byte more than said", HeadersDisagree, among_others(sized((1 << 20) - 1))),
        ("a byte less than said", HeadersDisagree, among_others(sized((1 << 20) + 1))),
        (
            "stored, with two sizes",
            HeadersDisagree,
            among_others(stored().with(|entry| entry.both(|header| header.size += 1))),
        ),
        ("another checksum", ChecksumMismatch, misread),
        (
            "another checksum, deflated",
            ChecksumMismatch,
            among_others(deflated().with(|entry| entry.both(|header| header.crc ^= 1))),
        ),
        ("no deflate stream", Malformed, packed(broken)),
        ("a stream that is cut off", Malformed, packed(cut_off)),
        ("no stream at all", Malformed, packed(Vec::new())),
        ("bytes after the stream", Malformed, packed(trailing)),
        ("a second stream", Malformed, packed(twice)),
    ]);
}
