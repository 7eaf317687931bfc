//! Forms that are not as they should be, and those that are in an unusual way.

use botyard_tests::{Form, OnBot, Response, each_scheme};

use super::files::stored;
use super::{archive, at, new_view, send, upload_at};

const BOUNDARY: &str = "b";

/// Sends these bytes to a Fusion-View as what `content_type` says.
#[track_caller]
fn post(bot: &OnBot<'_>, id: &str, content_type: &str, body: impl Into<Vec<u8>>) -> Response {
    let request = bot.client.request("POST", &bot.path(&upload_at(id)));
    request.header("Content-Type", content_type).body(body).send()
}

/// A form that holds an archive and has the boundary `b`.
fn form() -> Form {
    Form::with_boundary(BOUNDARY).file("package.zip", "application/zip", &archive("content"))
}

/// Runs refused requests and makes sure that nothing came of them.
#[track_caller]
fn without_effect(bot: &OnBot<'_>, requests: impl FnOnce(&str)) {
    let id = new_view(bot);
    let before = bot.tenant.snapshot();
    requests(&id);
    before.assert_unchanged(&bot.tenant);
    assert_eq!(stored(&bot.tenant), [""; 0]);
}

const FILE: &str = "Content-Disposition: form-data; name=\"file\"; filename=\"a.zip\"";

each_scheme! {
    fn what_is_no_form_is_refused(bot: &OnBot) {
        without_effect(bot, |id| {
            let path = bot.path(&upload_at(id));
            let without_type = bot.client.request("POST", &path).body(form().bytes()).send();
            without_type.problem(415, "unsupported_media_type");
            for content_type in [
                "application/json",
                "application/zip",
                "application/octet-stream",
                "application/x-www-form-urlencoded",
                "multipart/mixed; boundary=b",
                "multipart/related; boundary=b",
                "multipart; boundary=b",
                "text/plain",
                "form-data; boundary=b",
                "x",
                "",
            ] {
                let answer = post(bot, id, content_type, form().bytes());
                answer.problem(415, "unsupported_media_type");
            }
        });
    }

    fn a_form_names_its_boundary(bot: &OnBot) {
        without_effect(bot, |id| {
            let long = format!("multipart/form-data; boundary={}", "b".repeat(71));
            for content_type in [
                "multipart/form-data",
                "multipart/form-data; charset=utf-8",
                "multipart/form-data; boundary=",
                "multipart/form-data; boundary=\"\"",
                "multipart/form-data; boundary=\"b \"",
                "multipart/form-data; boundary=\"b*\"",
                "multipart/form-data; boundary=\"<b>\"",
                "multipart/form-data; boundary=\"b@b\"",
                &long,
            ] {
                post(bot, id, content_type, form().bytes()).problem(422, "bad_form");
            }
        });
        let id = new_view(bot);
        for boundary in ["b".repeat(70), "a'()+_,-./:=? b".to_owned(), "0".to_owned()] {
            let form = Form::with_boundary(&boundary);
            let form = form.file("a.zip", "application/zip", &archive(&boundary));
            let _ = send(bot, &id, &form).ok();
        }
        for content_type in
            ["Multipart/Form-Data; Boundary=b", "multipart/form-data;charset=utf-8;boundary=b"]
        {
            let _ = post(bot, &id, content_type, form().bytes()).ok();
        }
    }

    fn malformed_forms_are_refused(bot: &OnBot) {
        let whole = form().bytes();
        let with = |head: &[&str]| Form::with_boundary(BOUNDARY).part(head, b"x").bytes();
        let long = format!("X: {}", "x".repeat(8 << 10));
        let many: Vec<_> = (0..40).map(|number| format!("X-{number}: y")).collect();
        let many: Vec<_> = many.iter().map(String::as_str).chain([FILE]).collect();
        let other = Form::with_boundary("other").file("a.zip", "application/zip", b"x").bytes();
        let broken = |from: &str, to: &str| {
            let text = String::from_utf8(with(&[FILE])).unwrap();
            text.replacen(from, to, 1).into_bytes()
        };
        without_effect(bot, |id| {
            for (what, bytes) in [
                ("nothing", Vec::new()),
                ("no boundary", b"something else".to_vec()),
                ("another boundary", other),
                ("the first boundary alone", b"--b".to_vec()),
                ("no head", b"--b\r\n".to_vec()),
                ("a head that does not end", format!("--b\r\n{FILE}\r\n").into_bytes()),
                ("a file that does not end", form().unfinished().to_vec()),
                ("a last boundary that is cut off", whole[..whole.len() - 3].to_vec()),
                ("letters behind a boundary", broken("--b\r\n", "--bb\r\n")),
                ("a hyphen behind a boundary", broken("--b\r\n", "--b-\r\n")),
                ("lines that end in LF alone", broken("--b\r\n", "--b\n")),
                ("no disposition", with(&["Content-Type: application/zip"])),
                ("no head line at all", with(&[])),
                ("no name", with(&["Content-Disposition: form-data; filename=\"file\""])),
                ("another disposition", with(&["Content-Disposition: attachment; name=\"file\""])),
                ("two dispositions", with(&[FILE, FILE])),
                ("a line that is none", with(&[FILE, "no colon"])),
                ("a name of a line that is none", with(&[FILE, "a b: c"])),
                ("a head of more than 8 KiB", with(&[FILE, &long])),
                ("a head of very many lines", with(&many)),
            ] {
                let answer = post(bot, id, "multipart/form-data; boundary=b", bytes);
                assert_eq!(answer.status(), 422, "{what}: {answer}");
                answer.problem(422, "bad_form");
            }
        });
    }

    fn a_form_has_at_most_16_parts(bot: &OnBot) {
        let texts = |count: usize| {
            (0..count).fold(form(), |form, number| form.text(&format!("x{number}"), "y"))
        };
        without_effect(bot, |id| {
            // The file is one of them.
            assert_eq!(send(bot, id, &texts(15)).violations().len(), 15);
            send(bot, id, &texts(16)).problem(422, "bad_form");
            let many = (0..1_000).fold(Form::new(), |form, _| form.text("x", ""));
            send(bot, id, &many).problem(422, "bad_form");
        });
    }

    fn the_head_of_a_part_has_at_most_8_kib(bot: &OnBot) {
        let head = |bytes: usize| {
            // Line breaks included: behind the boundary, behind each line, the empty line.
            let line = format!("X: {}", "x".repeat(bytes - 2 - FILE.len() - 2 - 3 - 2 - 2));
            Form::with_boundary(BOUNDARY).part(&[FILE, &line], &archive("content"))
        };
        without_effect(bot, |id| {
            send(bot, id, &head((8 << 10) + 1)).problem(422, "bad_form");
        });
        let _ = send(bot, &new_view(bot), &head(8 << 10)).ok();
    }

    fn a_form_holds_one_file_and_nothing_else(bot: &OnBot) {
        let package = archive("content");
        let file = |form: Form| form.file("a.zip", "application/zip", &package);
        without_effect(bot, |id| {
            for (form, violations) in [
                (Form::new(), vec![("/file", "missing_field")]),
                (Form::new().text("x", "y"), vec![("/x", "unknown_field"), ("/file", "missing_field")]),
                (file(Form::new()).text("x", "y"), vec![("/x", "unknown_field")]),
                (file(Form::new().text("x", "y")), vec![("/x", "unknown_field")]),
                (file(Form::new()).text("a/b~", ""), vec![("/a~1b~0", "unknown_field")]),
                (file(Form::new()).text("File", ""), vec![("/File", "unknown_field")]),
                (file(Form::new()).text("", ""), vec![("/", "unknown_field")]),
                (file(file(Form::new())), vec![("/file", "duplicate_field")]),
                (file(Form::new()).text("file", "y"), vec![("/file", "duplicate_field")]),
                (
                    file(file(Form::new().text("x", "y"))).text("z", ""),
                    vec![
                        ("/x", "unknown_field"),
                        ("/file", "duplicate_field"),
                        ("/z", "unknown_field"),
                    ],
                ),
            ] {
                send(bot, id, &form).has_violations(&violations);
            }
        });
    }

    fn a_file_says_that_it_is_an_archive_or_says_nothing(bot: &OnBot) {
        let with = |line: &str| Form::new().part(&[FILE, line], &archive(line));
        without_effect(bot, |id| {
            for media_type in [
                "text/html",
                "image/png",
                "application/x-zip",
                "application/zipx",
                "application/x-7z-compressed",
                "multipart/x-zip",
                "application/json",
                "*/*",
                "zip",
            ] {
                let answer = send(bot, id, &with(&format!("Content-Type: {media_type}")));
                answer.problem(415, "unsupported_media_type");
            }
        });
        let id = new_view(bot);
        for line in [
            "Content-Type: application/zip",
            "Content-Type: application/x-zip-compressed",
            "Content-Type: application/octet-stream",
            "content-type: Application/ZIP; charset=binary",
            "Content-Type:",
            "X: without a type",
        ] {
            let answer = send(bot, &id, &with(line)).ok();
            assert_eq!(answer["mimeType"], "application/zip", "{line}");
        }
    }

    fn the_bytes_decide_what_a_file_is(bot: &OnBot) {
        let package = archive("content");
        let behind_a_program = [b"MZ\x90\0".as_slice(), &package].concat();
        without_effect(bot, |id| {
            for bytes in [
                b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".as_slice(),
                b"",
                b"P",
                b"PK",
                b"PK\x03",
                b"%PDF-1.7",
                b"Rar!\x1a\x07\x01\0",
                b"7z\xbc\xaf\x27\x1c",
                b"\x1f\x8b\x08\0",
                b"<html></html>",
                b"PK\x07\x08PK\x03\x04",
                b"PK\x01\x02",
                b"pk\x03\x04",
                b"\0PK\x03\x04",
                &behind_a_program,
                &[b' '; 100_000],
            ] {
                for media_type in ["application/zip", "application/octet-stream"] {
                    let form = Form::new().file("package.zip", media_type, bytes);
                    send(bot, id, &form).problem(415, "unsupported_media_type");
                }
            }
        });
    }

    fn a_compressed_body_is_refused(bot: &OnBot) {
        without_effect(bot, |id| {
            for encoding in ["gzip", "br", "deflate", "zstd", "x", "gzip, identity", "GZIP"] {
                let request = bot.client.request("POST", &bot.path(&upload_at(id)));
                let answer = request.header("Content-Encoding", encoding).form(&form()).send();
                answer.problem(415, "unsupported_content_encoding");
            }
        });
        let id = new_view(bot);
        let request = bot.client.request("POST", &bot.path(&upload_at(&id)));
        let _ = request.header("Content-Encoding", "identity").form(&form()).send().ok();
    }

    fn what_stands_around_the_parts_counts_for_nothing(bot: &OnBot) {
        let id = new_view(bot);
        let content_type = "multipart/form-data; boundary=b";
        let around = [b"before\r\n".as_slice(), &form().bytes(), b"behind --b\r\n"].concat();
        let _ = post(bot, &id, content_type, around).ok();
        let bytes = form().bytes();
        let without_last_line_break = &bytes[..bytes.len() - 2];
        let _ = post(bot, &id, content_type, without_last_line_break).ok();
        let blanks = String::from_utf8_lossy(form().unfinished()).into_owned();
        assert!(blanks.starts_with("--b\r\n"));
        let blanks = [b"--b \t\r\n", &form().bytes()[5..]].concat();
        let _ = post(bot, &id, content_type, blanks).ok();
    }

    fn what_looks_like_a_boundary_is_part_of_the_file(bot: &OnBot) {
        let id = new_view(bot);
        let text = "--b\r\n--b--\r\n\r\n--\r\n-b\r\n--B--\r\n\n--b--\n";
        // Stored, so that the text stands in the archive as it is.
        let package = test_samples::archive::Zip::of([test_samples::archive::Entry::stored("a", text.as_bytes())]).bytes();
        let form = Form::with_boundary("bb").file("a.zip", "application/zip", &package);
        let answer = send(bot, &id, &form).ok();
        assert_eq!(answer["sha256"], serde_json::json!(super::sha256(&package)));
    }

    fn a_form_may_come_in_pieces_of_any_size(bot: &OnBot) {
        let id = new_view(bot);
        let path = bot.path(&upload_at(&id));
        let content_type = format!("Content-Type: {}", form().content_type());
        for size in [1, 2, 3, 7, 64] {
            let mut body = Vec::new();
            for piece in form().bytes().chunks(size) {
                body.extend_from_slice(format!("{:x}\r\n", piece.len()).as_bytes());
                body.extend_from_slice(piece);
                body.extend_from_slice(b"\r\n");
            }
            body.extend_from_slice(b"0\r\n\r\n");
            let lines = [content_type.as_str(), "Transfer-Encoding: chunked"];
            let answer = bot.connect().exchange("POST", &path, &lines, &body).ok();
            let got = bot.get(&at(&id)).ok();
            assert_eq!(got["file"]["uploadedAt"], answer["uploadedAt"], "{size}");
        }
    }

    fn a_connection_goes_on_after_an_upload(bot: &OnBot) {
        let id = new_view(bot);
        let path = bot.path(&upload_at(&id));
        let mut connection = bot.connect();
        let content_type = format!("Content-Type: {}", form().content_type());
        for form in [form(), Form::with_boundary(BOUNDARY), form()] {
            let bytes = form.bytes();
            let length = format!("Content-Length: {}", bytes.len());
            let answer = connection.exchange("POST", &path, &[&content_type, &length], &bytes);
            assert!(matches!(answer.status(), 200 | 422), "{answer}");
            assert_eq!(answer.header("connection"), None, "{answer}");
        }
        let _ = connection.exchange("GET", bot.base(), &[], b"").ok();
    }

    fn a_client_that_expects_100_continue_can_go_on(bot: &OnBot) {
        let id = new_view(bot);
        let path = bot.path(&upload_at(&id));
        let bytes = form().bytes();
        let content_type = format!("Content-Type: {}", form().content_type());
        let length = format!("Content-Length: {}", bytes.len());
        let lines = [content_type.as_str(), &length, "Expect: 100-continue"];
        let _ = bot.connect().exchange("POST", &path, &lines, &bytes).ok();
    }
}
