//! What a document is called, in JSON and as a download.

use botyard_tests::{Form, OnBot, each_database};
use serde_json::json;

use super::{UPLOAD, download_at, post, project, replace, text_form, upload_plain};
use crate::skills::id;

/// What comes of a disposition with this after its field name: the name, and how it is offered.
#[track_caller]
fn names(bot: &OnBot<'_>, rest: &str) -> (String, String) {
    let disposition = format!("Content-Disposition: form-data; name=\"file\"{rest}");
    let form = Form::new().part(&[&disposition], b"Words").text("extract", "false");
    let made = post(&bot.client, UPLOAD, &form).ok()["projectDoc"].clone();
    let answer = bot.client.get(&download_at(&id(&made)));
    let offered = answer.header("content-disposition").unwrap().to_owned();
    (made["fileName"].as_str().unwrap().to_owned(), offered)
}

/// The name that a program finds in `filename*` (RFC 8187), and the one in ASCII.
#[track_caller]
fn offered(disposition: &str) -> (String, String) {
    let rest = disposition.strip_prefix("attachment; ").unwrap();
    let (mut extended, mut plain) = (None, None);
    for parameter in rest.split("; ") {
        let (name, value) = parameter.split_once('=').unwrap();
        match name {
            "filename*" => extended = Some(value.strip_prefix("UTF-8''").unwrap()),
            "filename" => plain = Some(value.trim_matches('"')),
            _ => panic!("{disposition}"),
        }
    }
    let (extended, plain) = (extended.unwrap(), plain.unwrap());
    let is_safe = |byte: u8| byte.is_ascii_alphanumeric() || b"._- ()[]".contains(&byte);
    assert!(plain.bytes().all(is_safe) && !plain.is_empty(), "{disposition}");
    let is_encoded = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$&+-.^_`|~%".contains(&byte);
    assert!(extended.bytes().all(is_encoded), "{disposition}");
    let mut bytes = Vec::new();
    let mut rest = extended.as_bytes();
    while let [first, after @ ..] = rest {
        if *first == b'%' {
            let digits = str::from_utf8(&after[..2]).unwrap();
            bytes.push(u8::from_str_radix(digits, 16).unwrap());
            rest = &after[2..];
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    (String::from_utf8(bytes).unwrap(), plain.to_owned())
}

/// Asserts that a name is kept like this, and comes back in a download.
#[track_caller]
fn is_kept(bot: &OnBot<'_>, rest: &str, kept: &str) {
    let (name, disposition) = names(bot, rest);
    assert_eq!(name, kept, "{rest}");
    assert_eq!(offered(&disposition).0, kept, "{disposition}");
}

each_database! {
    fn a_name_is_no_path(app: &TestApp) {
        let bot = project(app);
        for (given, kept) in [
            ("notes.txt", "notes.txt"),
            ("folder/notes.txt", "notes.txt"),
            ("/etc/passwd", "passwd"),
            ("../../etc/passwd", "passwd"),
            (r"C:\\Users\\ada\\notes.txt", "notes.txt"),
            (r"..\\..\\notes.txt", "notes.txt"),
            ("a/", "document"),
            ("..", "document"),
            (".", "document"),
            (".htaccess", ".htaccess"),
            ("evil.html", "evil.html"),
        ] {
            is_kept(&bot, &format!("; filename=\"{given}\""), kept);
        }
        for rest in ["", "; filename=\"\"", "; filename=\"  \"", "; filename*=UTF-8''"] {
            is_kept(&bot, rest, "document");
        }
    }

    fn quotes_and_letters_of_all_kinds_come_back(app: &TestApp) {
        let bot = project(app);
        for (given, kept) in [
            ("a%22b%22.txt", "a\"b\".txt"),
            ("it%27s%20100%25%3B%20a%2Cb.txt", "it's 100%; a,b.txt"),
            ("%C3%84hre.txt", "Ähre.txt"),
            ("A%CC%88hre.txt", "Ähre.txt"),
            ("%E6%97%A5%E6%9C%AC.pdf", "日本.pdf"),
            ("%F0%9F%91%A9%F0%9F%8F%BD.txt", "👩🏽.txt"),
            ("%D8%A7.txt", "\u{627}.txt"),
            ("dir%2Fa.txt", "a.txt"),
            ("dir%5Ca.txt", "a.txt"),
            ("%3Cscript%3E.html", "<script>.html"),
            ("a%26amp%3Bb.txt", "a&amp;b.txt"),
        ] {
            is_kept(&bot, &format!("; filename*=UTF-8''{given}"), kept);
        }
        is_kept(&bot, "; filename=\"a%22b.txt\"", "a\"b.txt");
        is_kept(&bot, "; filename=\"übung.txt\"", "übung.txt");
    }

    fn control_characters_and_invisible_marks_are_left_out(app: &TestApp) {
        let bot = project(app);
        for (given, kept) in [
            ("a%0D%0AX-Evil%3A%20b.txt", "aX-Evil: b.txt"),
            ("a%09b%1B%5B2J.txt", "ab[2J.txt"),
            ("a%7Fb%C2%85c.txt", "abc.txt"),
            ("txt.%E2%80%AEfdp", "txt.fdp"),
            ("%E2%80%AE", "document"),
        ] {
            is_kept(&bot, &format!("; filename*=UTF-8''{given}"), kept);
        }
    }

    fn the_name_in_ascii_has_safe_characters_only(app: &TestApp) {
        let bot = project(app);
        for (given, plain) in [("a-b_c.1.txt", "a-b_c.1.txt"), ("a (1) [2].pdf", "a (1) [2].pdf")] {
            let (_, disposition) = names(&bot, &format!("; filename=\"{given}\""));
            assert_eq!(offered(&disposition).1, plain, "{disposition}");
        }
        for given in ["日本.pdf", "a b;c.txt", "%22.txt", "..x", "ä"] {
            let (name, disposition) = names(&bot, &format!("; filename=\"{given}\""));
            assert_eq!(offered(&disposition).0, name, "{disposition}");
        }
    }

    fn a_name_has_at_most_255_bytes(app: &TestApp) {
        let bot = project(app);
        is_kept(&bot, &format!("; filename=\"{}\"", "x".repeat(256)), &"x".repeat(255));
        is_kept(&bot, &format!("; filename=\"{}\"", "ü".repeat(200)), &"ü".repeat(127));
    }

    fn a_name_with_u_0000_is_refused(app: &TestApp) {
        let bot = project(app);
        let replaced = upload_plain(&bot, "replaced");
        let before = bot.tenant.snapshot();
        let disposition = "Content-Disposition: form-data; name=\"file\"; filename*=UTF-8''a%00.txt";
        let form = Form::new().part(&[disposition], b"Words");
        for answer in [
            post(&bot.client, UPLOAD, &form),
            post(&bot.client, &bot.path("/doc/upload"), &form),
            replace(&bot.client, &replaced, &form),
        ] {
            answer.has_violations(&[("/file", "bad_character")]);
        }
        before.assert_unchanged(&bot.tenant);
    }

    fn a_replaced_document_has_the_name_of_the_new_file(app: &TestApp) {
        let bot = project(app);
        let replaced = upload_plain(&bot, "first.txt");
        let form = text_form("dir/zweite Übung.txt", "Words").text("extract", "false");
        let _ = replace(&bot.client, &replaced, &form).ok();
        let document = super::get(&bot.client, &replaced);
        assert_eq!(document["fileName"], json!("zweite Übung.txt"));
        let answer = bot.client.get(&download_at(&replaced));
        let disposition = answer.header("content-disposition").unwrap();
        assert_eq!(offered(disposition).0, "zweite Übung.txt");
    }
}
