//! Archives that break a rule of the policy. Its own tests have every way of breaking each; here are
//! some of each, on their way through the service.

use std::collections::BTreeSet;

use botyard_tests::{Form, TestApp, each_database, each_scheme};
use domain::archive::ArchiveRule;
use serde_json::json;

use super::files::stored;
use super::{at, both, new_view, send, upload};
use test_samples::archive::{
    EndRecord, Entry, SIGNED, STREAMED, Zip, deflate, extra, unicode_path, zip64_extra,
};

const TEXT: &[u8] = b"Hello, archive! Hello, archive!";

fn stored_file() -> Entry {
    Entry::stored("a.txt", TEXT)
}

fn deflated_file() -> Entry {
    Entry::deflated("b.txt", TEXT)
}

/// An honest entry before and behind the other one.
fn among_others(entry: Entry) -> Zip {
    Zip::of([Entry::stored("first", TEXT), entry, Entry::deflated("last", TEXT)])
}

/// A hostile archive: the rule that it breaks, how, and its bytes.
type Hostile = (&'static str, String, Vec<u8>);

fn hostile(rule: &'static str, what: &str, zip: &Zip) -> Hostile {
    (rule, what.to_owned(), zip.bytes())
}

/// By their names.
fn names() -> Vec<Hostile> {
    let long = "x".repeat(513);
    let deep = "d/".repeat(32) + "f";
    let named = [
        ("path_traversal", "../x"),
        ("path_traversal", "a/../../x"),
        ("path_traversal", "/etc/passwd"),
        ("path_traversal", "C:/x"),
        ("path_traversal", "a/.. /x"),
        ("bad_name", "..\\x"),
        ("bad_name", "a\0.txt"),
        ("bad_name", "a\x1b[2J"),
        ("bad_name", ""),
        ("bad_name", "a//b"),
        ("name_too_long", &long),
        ("too_deep", &deep),
        ("duplicate_name", "first"),
        ("duplicate_name", "FIRST"),
        ("duplicate_name", "./first"),
        ("duplicate_name", "first/x"),
    ];
    let mut all = Vec::new();
    for (rule, name) in named {
        all.push(hostile(rule, name, &among_others(Entry::stored(name, TEXT))));
        let shadowed = stored_file().with(|entry| {
            entry.both(|header| header.extra = unicode_path(&header.name, name.as_bytes()));
        });
        all.push(hostile(rule, &format!("in Unicode: {name}"), &among_others(shadowed)));
    }
    let bytes = |name: &[u8], flags: u16| {
        stored_file().with(|entry| {
            entry.both(|header| (header.name, header.flags) = (name.to_vec(), flags));
        })
    };
    let twice = [bytes(b"\x81.txt", 0), bytes("Ü.txt".as_bytes(), 0)];
    all.push(hostile("bad_name", "no UTF-8 at all", &among_others(bytes(b"Gr\x81n", 1 << 11))));
    all.push(hostile("duplicate_name", "in two alphabets", &Zip::of(twice)));
    all
}

/// By what their entries are.
fn kinds() -> Vec<Hostile> {
    let with = |attributes| among_others(stored_file().with(|entry| entry.attributes = attributes));
    let flagged = |flag: u16| {
        among_others(stored_file().with(|entry| entry.both(|header| header.flags = flag)))
    };
    let mut all = vec![
        hostile("not_a_file", "a symbolic link", &with(0o120_777 << 16)),
        hostile("not_a_file", "a device", &with(0o020_666 << 16)),
        hostile("not_a_file", "a pipe", &with(0o010_666 << 16)),
        hostile("not_a_file", "a reparse point", &with(0x400)),
        hostile("not_a_file", "a full folder", &among_others(Entry::stored("d/", TEXT))),
        hostile("encrypted", "encrypted", &flagged(1)),
        hostile("encrypted", "strongly encrypted", &flagged(1 | 1 << 6)),
        hostile("encrypted", "an encrypted directory", &flagged(1 << 13)),
        hostile("unsupported_compression", "a patch", &flagged(1 << 5)),
        hostile("empty", "nothing", &Zip::default()),
        hostile("empty", "folders", &Zip::of([Entry::stored("d/", b"")])),
    ];
    for method in [9, 12, 14, 93, 99] {
        let entry = Entry::new("x", method, TEXT, TEXT.to_vec());
        let what = format!("method {method}");
        all.push(hostile("unsupported_compression", &what, &among_others(entry)));
    }
    all
}

/// By their size, the one that they say or the one that they have.
fn bombs() -> Vec<Hostile> {
    let zeros = vec![0; 11 << 20];
    let sized = |size: u32| {
        Entry::deflated("x", &zeros[..1 << 20])
            .with(|entry| entry.both(|header| header.size = size))
    };
    let declared = |name: &str, size: u32| {
        Entry::stored(name, TEXT)
            .with(|entry| entry.both(|header| (header.packed, header.size) = (size, size)))
    };
    let in_zip64 = stored_file().with(|entry| {
        entry.central.extra = zip64_extra(&[u64::MAX, u64::MAX]);
        (entry.central.size, entry.central.packed) = (u32::MAX, u32::MAX);
    });
    // Ten entries share one content: ten times as much comes out as went in.
    let overlapping = (0..10).map(|at| {
        Entry::deflated(&format!("{at}"), &zeros[..1 << 20])
            .with(|entry| (entry.start, entry.has_local) = (Some(0), at == 0))
    });
    let many = (0..10_001).map(|at| Entry::stored(&at.to_string(), b""));
    let large = ["a", "b", "c", "d", "e"].map(|name| declared(name, 250 << 20));
    let within =
        stored_file().with(|entry| entry.both(|header| (header.packed, header.size) = (40, 40)));
    vec![
        hostile("too_many_entries", "10 001 entries", &Zip::of(many)),
        hostile("entry_too_large", "says so", &among_others(declared("x", (256 << 20) + 1))),
        hostile("entry_too_large", "says so in ZIP64", &among_others(in_zip64)),
        hostile("too_large", "says so in all", &Zip::of(large)),
        hostile("ratio_too_high", "zeros", &among_others(Entry::deflated("zeros", &zeros))),
        hostile("headers_disagree", "says that it is small", &among_others(sized(10))),
        hostile(
            "headers_disagree",
            "says it behind the content",
            &among_others(sized(10).streamed(SIGNED)),
        ),
        hostile("headers_disagree", "says that it is larger", &among_others(sized(1 << 21))),
        hostile("overlapping_entries", "records of the same content", &Zip::of(overlapping)),
        hostile("overlapping_entries", "reaches into the directory", &Zip::of([within])),
    ]
}

/// By records that say different things, and by bytes of which no record speaks.
fn contradictions() -> Vec<Hostile> {
    let two = || Zip::of([stored_file(), deflated_file()]);
    let end = |end: EndRecord| two().with(|zip| zip.end = end);
    let local = |change: fn(&mut Entry)| among_others(deflated_file().with(change));
    let packed = |packed: Vec<u8>| among_others(Entry::new("x", 8, TEXT, packed));
    let misread = stored_file().with(|entry| entry.both(|header| header.crc ^= 1));
    let behind = |bytes: &[u8]| [two().bytes().as_slice(), bytes].concat();
    let unknown = || stored_file().with(|entry| entry.has_central = false);
    let cut_off = |bytes: usize| {
        let whole = two().bytes();
        whole[..whole.len() - bytes].to_vec()
    };
    let of = |rule, what: &str, bytes| (rule, what.to_owned(), bytes);
    vec![
        hostile("checksum_mismatch", "another checksum", &among_others(misread)),
        hostile("headers_disagree", "name", &local(|entry| entry.local.name = b"x.txt".into())),
        hostile("headers_disagree", "method", &local(|entry| entry.local.method = 0)),
        hostile("headers_disagree", "size", &local(|entry| entry.local.size = 0)),
        hostile("headers_disagree", "a descriptor", &local(|entry| entry.local.flags = STREAMED)),
        hostile(
            "headers_disagree",
            "a descriptor that is missing",
            &among_others(deflated_file().streamed(SIGNED).with(|entry| entry.descriptor.clear())),
        ),
        hostile("malformed", "no stream", &packed(Vec::new())),
        hostile("malformed", "a second stream", &packed([deflate(TEXT), deflate(TEXT)].concat())),
        hostile(
            "malformed",
            "an extra field that is cut off",
            &local(|entry| entry.local.extra = vec![9; 5]),
        ),
        hostile(
            "malformed",
            "an extra field for the name that is cut off",
            &among_others(stored_file().with(|entry| entry.central.extra = extra(0x7075, &[1]))),
        ),
        hostile("leading_data", "an entry in front", &Zip::of([unknown(), deflated_file()])),
        hostile(
            "malformed",
            "an entry between",
            &Zip::of([stored_file(), unknown(), deflated_file()]),
        ),
        hostile("malformed", "a gap", &two().with(|zip| zip.entries[0].gap = b"nobody's".into())),
        hostile(
            "malformed",
            "bytes before the directory",
            &two().with(|zip| zip.before_directory = b"nobody's".into()),
        ),
        hostile("multi_disk", "a disk", &end(EndRecord { disk: 1, ..EndRecord::default() })),
        hostile(
            "multi_disk",
            "an entry on another disk",
            &among_others(stored_file().with(|entry| entry.disk = 1)),
        ),
        hostile(
            "malformed",
            "an end record in the comment",
            &two().with(|zip| zip.comment = Zip::default().bytes()),
        ),
        of("trailing_data", "a byte behind it", behind(b"x")),
        of("trailing_data", "zeros behind it", behind(&[0; 512])),
        of("malformed", "an archive behind it", behind(&two().bytes())),
        of("malformed", "much behind it", behind(&[b'x'; 70_000])),
        of("malformed", "no end record", cut_off(22)),
        of("malformed", "a byte missing", cut_off(1)),
        of("malformed", "nothing but a signature", b"PK\x03\x04".to_vec()),
        of("malformed", "nothing but another", b"PK\x05\x06".to_vec()),
    ]
}

fn all() -> Vec<Hostile> {
    [names(), kinds(), bombs(), contradictions()].concat()
}

#[test]
fn every_rule_is_among_the_cases() {
    let broken: BTreeSet<_> = all().into_iter().map(|(rule, _, _)| rule).collect();
    let mut rules: BTreeSet<_> = ArchiveRule::WORDS.iter().copied().collect();
    // This takes a setting.
    rules.remove(ArchiveRule::TookTooLong.as_str());
    assert_eq!(broken, rules);
}

each_scheme! {
    fn an_archive_that_breaks_a_rule_is_refused_with_its_word(bot: &OnBot) {
        let id = new_view(bot);
        let _ = upload(bot, &id, &super::archive("the one before"));
        let (before, kept) = (bot.tenant.snapshot(), stored(&bot.tenant));
        for (rule, what, bytes) in all() {
            let answer = send(bot, &id, &Form::archive(&bytes));
            assert_eq!(answer.status(), 422, "{what}: {answer}");
            assert_eq!(answer.problem(422, "bad_archive")["rule"], json!(rule), "{what}: {answer}");
        }
        before.assert_unchanged(&bot.tenant);
        assert_eq!(stored(&bot.tenant), kept);
        assert_eq!(bot.get(&at(&id)).ok()["file"]["fileName"], json!("package.zip"));
    }
}

each_database! {
    fn the_bounds_of_archives_are_settings(database: Database) {
        let app = TestApp::start(database, &[
            ("LIMITS__ARCHIVE_ENTRIES", "3"),
            ("LIMITS__ARCHIVE_ENTRY", "2000"),
            ("LIMITS__ARCHIVE_TOTAL", "3000"),
            ("LIMITS__ARCHIVE_RATIO", "5"),
            ("LIMITS__ARCHIVE_RATIO_FROM", "1000"),
        ]);
        let noise = |bytes: u32| -> Vec<u8> {
            (0..bytes).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect()
        };
        let file = |name: &str, bytes: u32| Entry::stored(name, &noise(bytes));
        for bot in &both(&app) {
            let id = new_view(bot);
            for (rule, zip) in [
                ("too_many_entries", Zip::of(["a", "b", "c", "d"].map(|name| file(name, 1)))),
                ("entry_too_large", Zip::of([file("a", 2_001)])),
                ("too_large", Zip::of([file("a", 2_000), file("b", 1_001)])),
                ("ratio_too_high", Zip::of([Entry::deflated("a", &[0; 1_001])])),
            ] {
                let answer = send(bot, &id, &Form::archive(&zip.bytes()));
                assert_eq!(answer.problem(422, "bad_archive")["rule"], json!(rule));
            }
            for zip in [
                Zip::of(["a", "b", "c"].map(|name| file(name, 1))),
                Zip::of([file("a", 2_000), file("b", 1_000)]),
                Zip::of([Entry::deflated("a", &[0; 1_000])]),
            ] {
                let _ = upload(bot, &id, &zip.bytes());
            }
        }
    }

    fn a_check_that_takes_too_long_is_given_up(database: Database) {
        let settings = [("LIMITS__ARCHIVE_TIME", "1ms"), ("LIMITS__ARCHIVE_RATIO", "100000")];
        let app = TestApp::start(database, &settings);
        let zeros = vec![0; 64 << 20];
        let slow = Zip::of(["a", "b", "c"].map(|name| Entry::deflated(name, &zeros))).bytes();
        for bot in &both(&app) {
            let id = new_view(bot);
            let answer = send(bot, &id, &Form::archive(&slow));
            assert_eq!(answer.problem(422, "bad_archive")["rule"], json!("took_too_long"));
            assert_eq!(stored(&bot.tenant), [""; 0]);
        }
    }
}
