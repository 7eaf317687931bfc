//! Archives that ordinary programs write.

use std::fs;
use std::path::Path;

use botyard_tests::{Form, each_scheme};
use serde_json::json;

use super::{new_view, send, sha256, upload};
use test_samples::archive::{Entry, Zip};

/// The samples of the policy's own tests, by their names; README.md there says what wrote them.
fn samples() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/archive/tests/samples");
    let paths = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let archives = paths.filter(|path| path.extension().is_some_and(|name| name == "zip"));
    archives
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, fs::read(path).unwrap())
        })
        .collect()
}

each_scheme! {
    fn archives_of_ordinary_programs_are_taken(bot: &OnBot) {
        let id = new_view(bot);
        let samples = samples();
        let some = [
            ("info-zip.zip", 3),
            ("info-zip-stream.zip", 3),
            ("python-stream.zip", 3),
            ("7-zip.zip", 3),
            ("go.zip", 3),
            ("java-cp437.zip", 1),
        ];
        for (name, entries) in some {
            let (_, bytes) = samples.iter().find(|(sample, _)| sample == name).unwrap();
            assert_eq!(upload(bot, &id, bytes)["entries"], json!(entries), "{name}");
        }
        assert!(samples.len() > 20);
        for (name, bytes) in samples {
            let answer = send(bot, &id, &Form::new().file(&name, "application/zip", &bytes));
            if name == "info-zip-fifo.zip" {
                assert_eq!(answer.problem(422, "bad_archive")["rule"], json!("not_a_file"));
                continue;
            }
            let answer = answer.ok();
            assert_eq!(answer["sha256"], json!(sha256(&bytes)), "{name}");
            assert_eq!(answer["size"], json!(bytes.len()), "{name}");
            assert_eq!(answer["fileName"], json!(name));
        }
    }

    fn names_as_windows_writes_them_are_taken(bot: &OnBot) {
        let id = new_view(bot);
        let named = |name: &[u8]| {
            Entry::stored("x", b"content")
                .with(|entry| entry.both(|header| header.name = name.to_vec()))
        };
        let zip = Zip::of([named(b"Gr\x81\xe1e.html"), named("日本.html".as_bytes())]);
        assert_eq!(upload(bot, &id, &zip.bytes())["entries"], json!(2));
    }

    fn an_archive_in_an_archive_is_content_like_any_other(bot: &OnBot) {
        let id = new_view(bot);
        let bomb = Zip::of([Entry::deflated("zeros", &vec![0; 11 << 20])]).bytes();
        let zip = Zip::of([Entry::stored("bomb.zip", &bomb)]);
        assert_eq!(upload(bot, &id, &zip.bytes())["entries"], json!(1));
    }

    fn an_archive_of_very_many_entries_is_taken(bot: &OnBot) {
        let id = new_view(bot);
        let zip = Zip::of((0..10_000).map(|at| Entry::stored(&format!("d/{at}"), b"")));
        assert_eq!(upload(bot, &id, &zip.bytes())["entries"], json!(10_000));
    }
}
