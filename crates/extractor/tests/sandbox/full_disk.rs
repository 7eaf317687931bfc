//! A disk without room is not blamed on a file. It is a small one in memory, which this program alone sees,
//! started again; where it is not allowed to mount one, this is left out.

use std::env;
use std::io::{Cursor, Write as _};
use std::process::{Command, ExitCode};
use std::time::Duration;

use domain::document::ExtractorError;
use extractor::{Extractor, Limits};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::scans::{illustrated, listed, programs, scan};
use crate::stage::{Stage, program};
use test_samples::image::png;

crate::trials![a_full_disk_is_not_blamed_on_the_file];

/// Mounts a small disk in the place of a folder, and becomes the program behind it.
const MOUNT: &str = r#"mount -t tmpfs -o size=4m,mode=700 tmpfs "$1" || exit 1; shift; exec "$@""#;

const PDF: &str = "application/pdf";
const ODT: &str = "application/vnd.oasis.opendocument.text";

/// Leaves no room to anybody.
const FILL: &str = "cat /dev/zero > ballast 2>&-";
const LANGUAGES: &str = r#"[ "$1" = --list-langs ] && printf 'List (1):\neng\n' && exit"#;

async fn a_full_disk_is_not_blamed_on_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let on_small_disk = || {
        let mut command = Command::new("unshare");
        command.args(["-rm", "sh", "-c", MOUNT, "sh"]).arg(folder.path());
        command
    };
    if !on_small_disk().arg("true").output().is_ok_and(|output| output.status.success()) {
        eprintln!("left out: nobody may mount a disk here");
        return;
    }
    let own = env::current_exe().unwrap();
    let played = on_small_disk().arg(own).arg("fill").arg(folder.path()).output().unwrap();
    assert!(played.status.success(), "{}", String::from_utf8_lossy(&played.stderr));
}

/// Reads files in this folder, on whose disk their readers leave no room.
pub fn fill(folder: &str) -> ExitCode {
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let read = format!("{LANGUAGES}; {FILL}; printf Text");
        let list = format!("[ \"$6\" = -list ] && printf '{}' && exit", listed(&[(99, 99, "4 0")]));
        for (pdftoppm, file, file_type) in [
            (format!("{FILL}; echo page > \"${{12}}.png\""), scan(1), PDF),
            // It may say that it has done its work.
            (format!("{FILL}; echo page > \"${{12}}.png\"; exit 0"), scan(1), PDF),
        ] {
            let damaged = format!("{LANGUAGES}; exit 1");
            hindered(folder, &[("pdftoppm", &pdftoppm), ("tesseract", &damaged)], file_type, file)
                .await;
        }
        for end in ["exit 1", "exec yes 'libpng error' >&2", "while :; do :; done", "sleep 1000"] {
            let pdfimages = format!("{list}; {FILL}; {end}");
            let programs = [("pdfimages", pdfimages.as_str()), ("tesseract", &read)];
            hindered(folder, &programs, PDF, illustrated()).await;
        }
        // There is room for the first image, and none for the second.
        hindered(folder, &[("tesseract", &read)], ODT, with_two_images()).await;
    });
    ExitCode::SUCCESS
}

async fn hindered(folder: &str, scripts: &[(&str, &str)], media_type: &str, file: Vec<u8>) {
    let (_programs, path) = programs(scripts);
    let limits =
        Limits { cpu: Duration::from_secs(2), wall: Duration::from_secs(10), ..Limits::default() };
    let program = program(&["extract-worker"], path);
    let extractor = Extractor::new(program, folder.into(), limits).unwrap();
    let mut stage = Stage { extractor, ..Stage::new() };
    (stage.settings.ocr_enabled, stage.settings.images_enabled) = (true, true);
    let text = stage.text(media_type, file).await;
    assert!(matches!(text, Err(ExtractorError::Extractor(_))), "{scripts:?}: {text:?}");
    // What it left there went with it.
    assert_eq!(stage.play("say Hello").await, Ok("Hello".to_owned()));
}

fn with_two_images() -> Vec<u8> {
    let content = "<office:document-content xmlns:office=\"o\" xmlns:draw=\"d\" xmlns:xlink=\"l\">\
        <draw:image xlink:href=\"small\"/><draw:image xlink:href=\"large\"/>\
        </office:document-content>";
    let parts = [
        ("content.xml", content.as_bytes().to_vec()),
        ("small", png(100, 100, "Text")),
        // It takes more than what the other one has taken.
        ("large", png(100, 100, &"Text".repeat(100_000))),
    ];
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in parts {
        archive.start_file(name, SimpleFileOptions::default()).unwrap();
        archive.write_all(&bytes).unwrap();
    }
    archive.finish().unwrap().into_inner()
}
