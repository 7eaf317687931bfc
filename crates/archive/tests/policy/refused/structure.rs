//! Records that contradict each other, and bytes that belong to none of them or to several.

use domain::archive::ArchiveError::Bad;
use domain::archive::ArchiveRule::{
    self, HeadersDisagree, LeadingData, Malformed, MultiDisk, OverlappingEntries, TooManyEntries,
    TrailingData,
};

use super::{TEXT, among_others, assert_refused, deflated, stored};
use crate::check;
use test_samples::archive::{
    EndRecord, Entry, Form, SIGNED, STREAMED, Zip, descriptor, unicode_path, zip64_extra,
};

#[test]
fn the_local_header_must_agree() {
    type Change = fn(&mut Entry);
    let changes: [(&str, ArchiveRule, Change); 16] = [
        ("name", HeadersDisagree, |entry| entry.local.name = b"x.txt".into()),
        ("length of the name", HeadersDisagree, |entry| entry.local.name = b"other.txt".into()),
        ("method", HeadersDisagree, |entry| entry.local.method = 0),
        ("checksum", HeadersDisagree, |entry| entry.local.crc ^= 1),
        ("no checksum", HeadersDisagree, |entry| entry.local.crc = 0),
        ("packed size", HeadersDisagree, |entry| entry.local.packed += 1),
        ("size", HeadersDisagree, |entry| entry.local.size = 0),
        ("size in ZIP64", HeadersDisagree, |entry| {
            entry.local.extra = zip64_extra(&[7, entry.local.packed.into()]);
            (entry.local.size, entry.local.packed) = (u32::MAX, u32::MAX);
        }),
        ("size in ZIP64 that has room", HeadersDisagree, |entry| {
            entry.local.extra = zip64_extra(&[7, entry.local.packed.into()]);
        }),
        ("no number in ZIP64", Malformed, |entry| entry.local.size = u32::MAX),
        ("too few numbers in ZIP64", Malformed, |entry| {
            entry.local.extra = zip64_extra(&[]);
            entry.local.size = u32::MAX;
        }),
        ("ZIP64 twice", Malformed, |entry| {
            let once = zip64_extra(&[entry.local.size.into(), entry.local.packed.into()]);
            entry.local.extra = [once.clone(), once].concat();
        }),
        ("encryption", HeadersDisagree, |entry| entry.local.flags = 1),
        ("a descriptor", HeadersDisagree, |entry| entry.local.flags = STREAMED),
        ("a flag without a meaning", HeadersDisagree, |entry| entry.local.flags = 1 << 15),
        ("a name in Unicode", HeadersDisagree, |entry| {
            entry.local.extra = unicode_path(&entry.local.name, b"other.txt");
        }),
    ];
    for (what, rule, change) in changes {
        assert_refused([(what, rule, among_others(deflated().with(change)))]);
    }
    let streamed: [(&str, Change); 4] = [
        ("checksum", |entry| entry.local.crc = 1),
        ("packed size", |entry| entry.local.packed = 1),
        ("size", |entry| entry.local.size = 1),
        ("flags", |entry| entry.local.flags = 0),
    ];
    for (what, change) in streamed {
        let zip = among_others(deflated().streamed(SIGNED).with(change));
        assert_refused([(what, HeadersDisagree, zip)]);
    }
    let extra_is_cut_off = deflated().with(|entry| entry.local.extra = vec![9, 9, 9, 9, 9]);
    assert_refused([("an extra field that is cut off", Malformed, among_others(extra_is_cut_off))]);
}

#[test]
fn the_descriptor_must_agree() {
    let with = |content: Vec<u8>| {
        among_others(deflated().streamed(SIGNED).with(|entry| entry.descriptor = content))
    };
    let entry = deflated();
    let (crc, packed, size) = (entry.central.crc, entry.central.packed, entry.central.size);
    for signed in [false, true] {
        for wide in [false, true] {
            let form = Form { signed, wide };
            assert_refused([
                ("checksum", HeadersDisagree, with(descriptor(form, crc ^ 1, packed, size))),
                ("packed size", HeadersDisagree, with(descriptor(form, crc, packed + 1, size))),
                ("size", HeadersDisagree, with(descriptor(form, crc, packed, size - 1))),
            ]);
        }
    }
    let mut unsigned = descriptor(SIGNED, crc, packed, size);
    unsigned[0] = b'X';
    let mut long = descriptor(SIGNED, crc, packed, size);
    long.push(0);
    assert_refused([
        ("none", HeadersDisagree, with(Vec::new())),
        ("another signature", Malformed, with(unsigned)),
        ("a byte more", Malformed, with(long.clone())),
        ("a byte less", Malformed, with(long[..15].to_vec())),
        (
            "one that is not announced",
            Malformed,
            among_others(deflated().with(|entry| entry.descriptor = long[..16].to_vec())),
        ),
    ]);
}

#[test]
fn every_byte_belongs_to_exactly_one_record() {
    let same_content = (0..10).map(|at| {
        Entry::deflated(&format!("{at}"), &vec![0; 1 << 20])
            .with(|entry| (entry.start, entry.has_local) = (Some(0), at == 0))
    });
    // The content of the first one quotes the local header of the second one and goes on into it.
    let inner = deflated();
    let header = inner.local_header();
    let size = header.len() as u16;
    let all = [header.as_slice(), TEXT].concat();
    let block = [&[0][..], &size.to_le_bytes(), &(!size).to_le_bytes()].concat();
    let quoting = Entry::new("quoting", 8, &all, block.clone()).with(|entry| {
        let packed = (block.len() + header.len() + inner.content.len()) as u32;
        entry.both(|header| header.packed = packed);
    });
    let between = [stored().with(|entry| entry.gap = b"nobody's".into()), deflated()];
    let moved = |start: u32| among_others(stored().with(|entry| entry.start = Some(start)));
    assert_refused([
        ("records of the same content", OverlappingEntries, Zip::of(same_content)),
        ("a quoted header", OverlappingEntries, Zip::of([quoting, inner])),
        ("a start within another entry", OverlappingEntries, moved(10)),
        ("a start behind the entries", Malformed, moved(100_000)),
        (
            "content that reaches into the directory",
            OverlappingEntries,
            Zip::of([stored().with(|entry| {
                entry.both(|header| (header.packed, header.size) = (40, 40));
            })]),
        ),
        ("bytes between entries", Malformed, Zip::of(between)),
        (
            "bytes before the directory",
            Malformed,
            Zip::of([stored()]).with(|zip| zip.before_directory = b"nobody's".into()),
        ),
        (
            "bytes behind the directory",
            Malformed,
            Zip::of([stored()]).with(|zip| zip.after_directory = b"nobody's".into()),
        ),
        (
            "bytes in the directory",
            Malformed,
            Zip::of([stored()]).with(|zip| {
                let size = 46 + 5 + 8;
                (zip.after_directory, zip.end.size) = (b"nobody's".into(), Some(size));
            }),
        ),
    ]);
}

#[test]
fn the_archive_begins_with_its_first_entry() {
    let unknown = || stored().with(|entry| entry.has_central = false);
    assert_refused([
        ("an entry in front that is not known", LeadingData, Zip::of([unknown(), deflated()])),
        ("one between others", Malformed, Zip::of([stored(), unknown(), deflated()])),
        ("one at the end", Malformed, Zip::of([deflated(), unknown()])),
    ]);
    // A program that unpacks itself, made by putting one file behind the other.
    let program = [unknown().local_header(), Zip::of([deflated()]).bytes()].concat();
    assert_eq!(check(&program), Err(Bad(Malformed)));
}

#[test]
fn there_is_one_end_record_and_it_is_at_the_end() {
    let zip = Zip::of([stored(), deflated()]).bytes();
    let commented = |comment: Vec<u8>| Zip::of([stored()]).with(|zip| zip.comment = comment);
    let end_record = Zip::default().bytes();
    let far = vec![b'x'; 70_000];
    for (what, rule, bytes) in [
        ("bytes behind it", TrailingData, [zip.as_slice(), b"x"].concat()),
        ("a line break behind it", TrailingData, [zip.as_slice(), b"\r\n"].concat()),
        ("zeros behind it", TrailingData, [zip.as_slice(), &[0; 512]].concat()),
        ("many bytes behind it", Malformed, [zip.as_slice(), &far].concat()),
        ("none", Malformed, zip[..zip.len() - 22].to_vec()),
        ("one in the comment", Malformed, commented(end_record.clone()).bytes()),
        (
            "one in the comment that does not reach to the end",
            Malformed,
            commented([end_record.as_slice(), b"xx"].concat()).bytes(),
        ),
        (
            "an archive behind the archive",
            Malformed,
            [zip.as_slice(), &Zip::of([stored()]).bytes()].concat(),
        ),
        ("another end record", Malformed, [zip.as_slice(), &end_record].concat()),
    ] {
        assert_eq!(check(&bytes), Err(Bad(rule)), "{what}");
    }
    let with = |end| Zip::of([stored(), deflated()]).with(|zip| zip.end = end);
    let none = EndRecord::default();
    assert_refused([
        ("a long comment", Malformed, with(EndRecord { comment_size: Some(9), ..none })),
        (
            "a short comment",
            TrailingData,
            with(EndRecord { comment_size: Some(1), ..none })
                .with(|zip| zip.comment = b"xy".into()),
        ),
        ("a second disk", MultiDisk, with(EndRecord { disk: 1, ..none })),
        ("a directory elsewhere", MultiDisk, with(EndRecord { directory_disk: 1, ..none })),
        ("entries elsewhere", MultiDisk, with(EndRecord { entries_here: Some(1), ..none })),
        (
            "fewer entries than records",
            Malformed,
            with(EndRecord { entries_here: Some(1), entries: Some(1), ..none }),
        ),
        (
            "more entries than records",
            Malformed,
            with(EndRecord { entries_here: Some(3), entries: Some(3), ..none }),
        ),
        ("another start", Malformed, with(EndRecord { start: Some(7), ..none })),
        ("another size", Malformed, with(EndRecord { size: Some(7), ..none })),
        (
            "numbers for ZIP64 without it",
            Malformed,
            with(EndRecord { start: Some(u64::MAX), size: Some(u64::MAX), ..none }),
        ),
    ]);
}

#[test]
fn the_end_record_of_zip64_must_agree() {
    let with = |end| Zip::of([stored(), deflated()]).with(|zip| zip.zip64 = Some(end));
    let none = EndRecord::default();
    assert_refused([
        ("entries", HeadersDisagree, with(EndRecord { entries: Some(1), ..none })),
        ("entries here", HeadersDisagree, with(EndRecord { entries_here: Some(1), ..none })),
        ("a disk", HeadersDisagree, with(EndRecord { disk: 1, ..none })),
        ("size", HeadersDisagree, with(EndRecord { size: Some(1), ..none })),
        ("start", HeadersDisagree, with(EndRecord { start: Some(1), ..none })),
        (
            "numbers that wrap around",
            Malformed,
            with(EndRecord { start: Some(u64::MAX), size: Some(u64::MAX), ..none }).with(|zip| {
                let full = Some(u64::from(u32::MAX));
                zip.end = EndRecord { start: full, size: full, ..none };
            }),
        ),
        (
            "more entries than there can be",
            TooManyEntries,
            with(EndRecord { entries: Some(u64::MAX), entries_here: Some(u64::MAX), ..none }).with(
                |zip| {
                    let full = Some(u64::from(u16::MAX));
                    zip.end = EndRecord { entries: full, entries_here: full, ..none };
                },
            ),
        ),
    ]);
    // The record is 76 bytes before the end record, its locator 20 bytes before it.
    let honest = with(none).bytes();
    let end = honest.len() - 22;
    for (what, rule, at) in [
        ("signature of the record", Malformed, end - 76),
        ("size of the record", Malformed, end - 76 + 4),
        ("disk of the record", MultiDisk, end - 20 + 4),
        ("place of the record", Malformed, end - 20 + 8),
        ("disks", MultiDisk, end - 20 + 16),
    ] {
        let mut bytes = honest.clone();
        bytes[at] ^= 0x10;
        assert_eq!(check(&bytes), Err(Bad(rule)), "{what}");
    }
    // Without its locator nothing refers to the record.
    let mut bytes = honest.clone();
    bytes[end - 20] = b'X';
    assert_eq!(check(&bytes), Err(Bad(Malformed)));
}
