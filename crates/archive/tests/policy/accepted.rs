//! What ordinary programs write.

use std::fs;
use std::path::Path;

use archive::ArchiveLimits;
use domain::archive::{Archive, ArchiveError, ArchiveRule};

use crate::{check, check_with};
use test_samples::archive::{
    EndRecord, Entry, Form, Header, SIGNED, Zip, descriptor, extra, unicode_path, zip64_extra,
};

/// The samples, by name.
pub fn samples() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples");
    let mut samples = Vec::new();
    for file in fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "zip") {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            samples.push((name, fs::read(path).unwrap()));
        }
    }
    samples.sort();
    samples
}

/// Archives of our own writer that are as they should be, by what is in them.
pub fn honest() -> Vec<(&'static str, Zip)> {
    let text = b"Hello, archive! Hello, archive!".as_slice();
    let stored = || Entry::stored("a.txt", text);
    let deflated = || Entry::deflated("b.txt", text);
    let folder =
        || Entry::stored("d/", b"").with(|entry| entry.attributes = 0o040_755 << 16 | 0x10);
    let masked = |header: &mut Header| {
        header.extra = zip64_extra(&[header.size.into(), header.packed.into()]);
        (header.size, header.packed) = (u32::MAX, u32::MAX);
    };
    let wide = Form { signed: true, wide: true };
    let bare = Form { signed: false, wide: false };
    let bare_wide = Form { signed: false, wide: true };
    vec![
        ("both methods and a folder", Zip::of([stored(), folder(), deflated()])),
        ("no content", Zip::of([Entry::stored("a", b""), Entry::deflated("b", b"")])),
        ("no attributes", Zip::of([stored().with(|entry| entry.attributes = 0)])),
        // As macOS has it; Go, .NET and Java write descriptors of the same form.
        (
            "a streamed file with the data of macOS beside it",
            Zip::of([
                Entry::deflated("b.txt", text).streamed(SIGNED),
                Entry::stored("__MACOSX/", b"").with(|entry| entry.attributes = 0x41fd_4000),
                Entry::deflated("__MACOSX/._b.txt", b"\0\x05\x16\x07").streamed(SIGNED).with(
                    |entry| {
                        entry.attributes = 0x81a4_4000;
                        entry.both(|header| header.extra = extra(0x5855, &[0; 8]));
                    },
                ),
            ]),
        ),
        ("a descriptor without a signature", Zip::of([deflated().streamed(bare), stored()])),
        ("a descriptor of 64 bits", Zip::of([deflated().streamed(wide), stored().streamed(wide)])),
        ("a bare descriptor of 64 bits", Zip::of([deflated(), stored().streamed(bare_wide)])),
        ("a stored file that was streamed", Zip::of([stored().streamed(SIGNED), deflated()])),
        (
            "a descriptor that repeats the header",
            Zip::of([deflated().with(|entry| {
                let Header { crc, packed, size, .. } = entry.central;
                entry.both(|header| header.flags = 1 << 3);
                entry.descriptor = descriptor(SIGNED, crc, packed, size);
            })]),
        ),
        (
            "a folder that was deflated and streamed",
            Zip::of([stored(), Entry::deflated("d/", b"").streamed(SIGNED)]),
        ),
        ("ZIP64 in both headers", Zip::of([deflated().with(|entry| entry.both(masked))])),
        (
            "ZIP64 in the central record, with its start",
            Zip::of([
                stored(),
                deflated().with(|entry| {
                    let start = (30 + 5 + text.len()) as u64;
                    let Header { packed, size, .. } = entry.central;
                    entry.central.extra = zip64_extra(&[size.into(), packed.into(), start]);
                    (entry.central.size, entry.central.packed) = (u32::MAX, u32::MAX);
                    entry.start = Some(u32::MAX);
                }),
            ]),
        ),
        (
            "ZIP64 in the central record, for the start alone",
            Zip::of([stored().with(|entry| {
                entry.central.extra = zip64_extra(&[0]);
                entry.start = Some(u32::MAX);
            })]),
        ),
        (
            // As Go writes large entries.
            "ZIP64 in the central record, with a start that has room",
            Zip::of([stored().with(|entry| {
                masked(&mut entry.central);
                let size = text.len() as u64;
                entry.central.extra = zip64_extra(&[size, size, 0]);
            })]),
        ),
        (
            "ZIP64 at the end",
            Zip::of([stored()]).with(|zip| zip.zip64 = Some(EndRecord::default())),
        ),
        (
            "ZIP64 at the end, where alone the numbers are",
            Zip::of([stored()]).with(|zip| {
                zip.zip64 = Some(EndRecord::default());
                let (few, many) = (Some(u64::from(u16::MAX)), Some(u64::from(u32::MAX)));
                zip.end = EndRecord {
                    disk: u32::MAX,
                    directory_disk: u32::MAX,
                    entries_here: few,
                    entries: few,
                    size: many,
                    start: many,
                    comment_size: None,
                };
            }),
        ),
        (
            "names in code page 437 and in UTF-8",
            Zip::of([
                stored().with(|entry| entry.both(|header| header.name = b"Gr\x81\xe1e.txt".into())),
                Entry::stored("日本.txt", text),
                Entry::stored("Ünï.txt", text)
                    .with(|entry| entry.both(|header| header.flags = 1 << 11)),
            ]),
        ),
        (
            "another name in Unicode",
            Zip::of([Entry::stored("Gr__e.txt", text).with(|entry| {
                entry.both(|header| {
                    header.extra = unicode_path(&header.name, "Grüße.txt".as_bytes());
                });
            })]),
        ),
        (
            "another effort in the local header",
            Zip::of([deflated().with(|entry| entry.local.flags = 1 << 1)]),
        ),
        (
            "padding in the extra field",
            Zip::of([deflated().with(|entry| entry.local.extra = vec![0; 7])]),
        ),
        (
            "comments",
            Zip::of([stored().with(|entry| entry.comment = b"of an entry".into())])
                .with(|zip| zip.comment = vec![b'x'; usize::from(u16::MAX)]),
        ),
        (
            "an archive in the archive",
            Zip::of([Entry::stored("inner.zip", &Zip::of([stored()]).bytes())]),
        ),
        (
            "a directory in another order",
            Zip::of([
                stored().with(|entry| entry.has_central = false),
                deflated().with(|entry| entry.has_central = false),
                deflated().with(|entry| {
                    entry.has_local = false;
                    entry.start = Some((30 + 5 + text.len()) as u32);
                }),
                stored().with(|entry| (entry.has_local, entry.start) = (false, Some(0))),
            ]),
        ),
        (
            "a text that packs better than the ratio, but is small",
            Zip::of([Entry::deflated("zeros", &vec![0; 1 << 20])]),
        ),
    ]
}

#[test]
fn samples_of_ordinary_programs_are_accepted() {
    let samples = samples();
    assert_eq!(samples.len(), 25);
    for (name, bytes) in samples {
        if name == "info-zip-fifo.zip" {
            assert_eq!(check(&bytes), Err(ArchiveError::Bad(ArchiveRule::NotAFile)), "{name}");
            continue;
        }
        let entries = match name.trim_end_matches(".zip") {
            "jar" => 5,
            "bsdtar-dot" => 5,
            "java" | "go" | "archiver" | "jszip" | "jszip-stream" => 3,
            "7-zip" | "7-zip-stdout" | "bsdtar" | "python" | "python-stream" => 3,
            "info-zip" | "info-zip-stream" | "info-zip-zip64" => 3,
            _ => 1,
        };
        assert_eq!(check(&bytes), Ok(Archive { entries }), "{name}");
    }
}

#[test]
fn honest_archives_are_accepted() {
    for (what, zip) in honest() {
        let entries = zip.entries();
        assert_eq!(check(&zip.bytes()), Ok(Archive { entries }), "{what}");
    }
}

#[test]
fn bounds_are_part_of_what_is_allowed() {
    let limits = ArchiveLimits {
        entries: 2,
        entry_bytes: 1000,
        total_bytes: 1001,
        ratio: 1,
        ratio_from: 10,
        ..ArchiveLimits::default()
    };
    let zip = Zip::of([
        Entry::stored("many", &[b'x'; 1000]),
        Entry::deflated("few", b"x").with(|entry| assert!(entry.content.len() > 1)),
    ]);
    assert_eq!(check_with(limits, &zip.bytes()), Ok(Archive { entries: 2 }));
    let names = (0..10_000).map(|at| Entry::stored(&format!("{at}"), b""));
    assert_eq!(check(&Zip::of(names).bytes()), Ok(Archive { entries: 10_000 }));
}
