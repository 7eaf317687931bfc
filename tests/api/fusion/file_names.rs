//! What a package is called.

use botyard_tests::{Form, OnBot, each_scheme};
use serde_json::json;

use super::{archive, at, new_view, send};

/// What comes of a disposition with this after its field name.
#[track_caller]
fn name_of(bot: &OnBot<'_>, id: &str, rest: &str) -> String {
    let disposition = format!("Content-Disposition: form-data; name=\"file\"{rest}");
    let form = Form::new().part(&[&disposition, "Content-Type: application/zip"], &archive("x"));
    let name = send(bot, id, &form).ok()["fileName"].clone();
    assert_eq!(bot.get(&at(id)).ok()["file"]["fileName"], name);
    name.as_str().unwrap().to_owned()
}

each_scheme! {
    fn a_name_is_no_path(bot: &OnBot) {
        let id = new_view(bot);
        for (given, kept) in [
            ("course.zip", "course.zip"),
            ("site/course.zip", "course.zip"),
            ("/etc/passwd", "passwd"),
            ("../../etc/passwd", "passwd"),
            (r"C:\\Users\\ada\\course.zip", "course.zip"),
            (r"..\\..\\course.zip", "course.zip"),
            (r"a\\b/c.zip", "c.zip"),
            ("a/", "package.zip"),
            ("..", "package.zip"),
            (".", "package.zip"),
            (".htaccess", ".htaccess"),
            ("course", "course"),
            ("evil.html", "evil.html"),
        ] {
            assert_eq!(name_of(bot, &id, &format!("; filename=\"{given}\"")), kept, "{given}");
        }
    }

    fn a_package_without_a_name_gets_one(bot: &OnBot) {
        let id = new_view(bot);
        for rest in ["", "; filename=\"\"", "; filename=\"  \"", "; filename*=UTF-8''"] {
            assert_eq!(name_of(bot, &id, rest), "package.zip", "{rest}");
        }
    }

    fn letters_are_kept_in_normal_form_c(bot: &OnBot) {
        let id = new_view(bot);
        for (given, kept) in [
            ("u\u{308}bung.zip", "\u{fc}bung.zip"),
            ("\u{fc}bung.zip", "\u{fc}bung.zip"),
            ("日本語.zip", "日本語.zip"),
            ("👩\u{1f3fd}.zip", "👩\u{1f3fd}.zip"),
            ("  a b  .zip ", "a b  .zip"),
        ] {
            assert_eq!(name_of(bot, &id, &format!("; filename=\"{given}\"")), kept, "{given}");
        }
    }

    fn control_characters_and_invisible_marks_are_left_out(bot: &OnBot) {
        let id = new_view(bot);
        for (given, kept) in [
            ("a%0D%0Ab.zip", "ab.zip"),
            ("a%09b%1B%5B2J.zip", "ab[2J.zip"),
            ("a%7Fb%C2%85c.zip", "abc.zip"),
            ("gpj.%E2%80%AEpiz", "gpj.piz"),
            ("a%E2%80%8Bb.zip", "ab.zip"),
            ("a%EF%BB%BFb.zip", "ab.zip"),
            ("%E2%80%AE", "package.zip"),
        ] {
            assert_eq!(name_of(bot, &id, &format!("; filename*=UTF-8''{given}")), kept, "{given}");
        }
    }

    fn an_extended_name_counts_before_a_plain_one(bot: &OnBot) {
        let id = new_view(bot);
        for (rest, kept) in [
            ("; filename=\"plain.zip\"; filename*=UTF-8''%C3%A4.zip", "ä.zip"),
            ("; filename*=utf-8'de'%C3%A4.zip; filename=\"plain.zip\"", "ä.zip"),
            ("; filename*=ISO-8859-1''%E4.zip", "ä.zip"),
            // One that can't be read leaves the plain one.
            ("; filename=\"plain.zip\"; filename*=UTF-8''%E4.zip", "plain.zip"),
            ("; filename*=UTF-8''dir%2Fa.zip", "a.zip"),
            ("; filename*=UTF-8''dir%5Ca.zip", "a.zip"),
            // As browsers escape what would end the quotes.
            ("; filename=\"a%22b.zip\"", "a\"b.zip"),
            ("; filename=\"a%0D%0Ab.zip\"", "ab.zip"),
            ("; filename=token.zip", "token.zip"),
        ] {
            assert_eq!(name_of(bot, &id, rest), kept, "{rest}");
        }
    }

    fn a_name_has_at_most_255_bytes(bot: &OnBot) {
        let id = new_view(bot);
        let longest = "x".repeat(255);
        assert_eq!(name_of(bot, &id, &format!("; filename=\"{longest}\"")), longest);
        assert_eq!(name_of(bot, &id, &format!("; filename=\"{longest}y\"")), longest);
        let name = name_of(bot, &id, &format!("; filename=\"{}\"", "ü".repeat(200)));
        assert_eq!(name, "ü".repeat(127));
        let name = name_of(bot, &id, &format!("; filename=\"{}\"", "𝄞".repeat(1_000)));
        assert_eq!(name, "𝄞".repeat(63));
    }

    fn a_name_with_u_0000_is_refused(bot: &OnBot) {
        let id = new_view(bot);
        let before = bot.tenant.snapshot();
        let disposition = "Content-Disposition: form-data; name=\"file\"; filename*=UTF-8''a%00.zip";
        let form = Form::new().part(&[disposition], &archive("x"));
        send(bot, &id, &form).has_violations(&[("/file", "bad_character")]);
        send(bot, &id, &form.text("x", "y"))
            .has_violations(&[("/file", "bad_character"), ("/x", "unknown_field")]);
        before.assert_unchanged(&bot.tenant);
        assert_eq!(bot.get(&at(&id)).ok()["file"], json!(null));
    }
}
