//! What is wrong with a form or a body, all of it named at once.

use botyard_tests::{Form, OnBot, each_database};
use serde_json::{Value, json};

use super::{UPLOAD, extract_at, on_bot, post, project, replace_at, text_form, upload_plain};
use crate::fusion::files::stored;

/// The form of a file that could be taken.
fn form() -> Form {
    text_form("a.txt", "Words")
}

/// The three operations that take a file: method and path.
fn takers(bot: &OnBot<'_>) -> [(&'static str, String); 3] {
    let replaced = replace_at(&upload_plain(bot, "replaced"));
    [("POST", UPLOAD.to_owned()), ("POST", bot.path("/doc/upload")), ("PUT", replaced)]
}

/// Sends what is refused by each of the three, and makes sure that nothing came of it.
#[track_caller]
fn refused_by_all(bot: &OnBot<'_>, cases: &[(Form, &[(&str, &str)])]) {
    let takers = takers(bot);
    let (before, kept) = (bot.tenant.snapshot(), stored(&bot.tenant));
    for (method, path) in &takers {
        for (form, violations) in cases {
            bot.client.request(method, path).form(form).send().has_violations(violations);
        }
    }
    before.assert_unchanged(&bot.tenant);
    assert_eq!(stored(&bot.tenant), kept);
}

each_database! {
    fn there_must_be_a_file(app: &TestApp) {
        let bot = project(app);
        refused_by_all(&bot, &[
            (Form::new().text("maxChars", "200"), &[("/file", "missing_field")]),
            (Form::new().text("extract", "false"), &[("/file", "missing_field")]),
            // Under another name it is none.
            (
                Form::new().part(
                    &["Content-Disposition: form-data; name=\"document\"; filename=\"a.txt\""],
                    b"Words",
                ),
                &[("/document", "unknown_field"), ("/file", "missing_field")],
            ),
        ]);
    }

    fn a_file_has_at_least_one_byte(app: &TestApp) {
        let bot = project(app);
        refused_by_all(&bot, &[
            (text_form("a.txt", ""), &[("/file", "too_short")]),
            (text_form("a.pdf", "").text("extract", "false"), &[("/file", "too_short")]),
        ]);
    }

    fn an_unknown_field_is_refused(app: &TestApp) {
        let bot = project(app);
        refused_by_all(&bot, &[
            (form().text("colour", "red"), &[("/colour", "unknown_field")]),
            (form().text("_id", "x"), &[("/_id", "unknown_field")]),
            (form().text("botId", "x"), &[("/botId", "unknown_field")]),
            (form().text("fileName", "x"), &[("/fileName", "unknown_field")]),
            (form().text("maxchars", "200"), &[("/maxchars", "unknown_field")]),
            (form().text("chunkingStrategy", "text"), &[("/chunkingStrategy", "unknown_field")]),
        ]);
    }

    fn a_field_is_there_once(app: &TestApp) {
        let bot = project(app);
        refused_by_all(&bot, &[
            (form().file("b.txt", "text/plain", b"More"), &[("/file", "duplicate_field")]),
            (
                form().text("maxChars", "200").text("maxChars", "200"),
                &[("/maxChars", "duplicate_field")],
            ),
            (
                form().text("extract", "true").text("extract", "false"),
                &[("/extract", "duplicate_field")],
            ),
        ]);
    }

    fn settings_have_their_forms_and_bounds(app: &TestApp) {
        let bot = project(app);
        let cases = [
            ("extract", "yes", "wrong_type"),
            ("extract", "TRUE", "wrong_type"),
            ("extract", " True", "wrong_type"),
            ("extract", "1", "wrong_type"),
            ("extract", "", "wrong_type"),
            ("maxChars", "x", "wrong_type"),
            ("maxChars", "", "wrong_type"),
            ("maxChars", "1e3", "wrong_type"),
            ("maxChars", "200.0", "wrong_type"),
            ("maxChars", "0x100", "wrong_type"),
            ("maxChars", "true", "wrong_type"),
            ("maxChars", "99", "out_of_range"),
            ("maxChars", "100001", "out_of_range"),
            ("maxChars", "-1", "out_of_range"),
            ("maxChars", "99999999999", "out_of_range"),
            ("maxOverlap", "x", "wrong_type"),
            ("maxOverlap", "-1", "out_of_range"),
            ("maxOverlap", "100000", "out_of_range"),
            // There is room for 2000 by default.
            ("maxOverlap", "2000", "out_of_range"),
            ("chunking_strategy", "pages", "not_allowed"),
            ("chunking_strategy", "Text", "not_allowed"),
            ("chunking_strategy", "", "not_allowed"),
            ("imagesEnabled", "on", "wrong_type"),
            ("ocrEnabled", "0", "wrong_type"),
            ("ocrLanguage", "", "bad_format"),
            ("ocrLanguage", "-l deu", "bad_format"),
            ("ocrLanguage", "deu,eng", "bad_format"),
            ("ocrLanguage", "deu+", "bad_format"),
            ("ocrLanguage", "../eng", "bad_format"),
            ("ocrLanguage", "ä", "bad_format"),
        ];
        let pointers = cases.map(|(name, _, code)| (format!("/{name}"), code));
        let violations: Vec<_> = pointers.iter().map(|(name, code)| [(name.as_str(), *code)]).collect();
        let cases: Vec<(Form, &[(&str, &str)])> = cases
            .iter()
            .zip(&violations)
            .map(|((name, value, _), violation)| (form().text(name, value), violation.as_slice()))
            .collect();
        refused_by_all(&bot, &cases);
        let both = form().text("maxChars", "200").text("maxOverlap", "200");
        refused_by_all(&bot, &[(both, &[("/maxOverlap", "out_of_range")])]);
    }

    fn what_a_document_is_for_has_its_bounds(app: &TestApp) {
        let bot = project(app);
        let before = bot.tenant.snapshot();
        let (long_id, long_name) = ("x".repeat(129), "ä".repeat(201));
        for path in [UPLOAD.to_owned(), bot.path("/doc/upload")] {
            for (name, value, code) in [
                ("skillId", "", "too_short"),
                ("skillId", long_id.as_str(), "too_long"),
                ("functionName", "", "too_short"),
                ("functionName", " \t", "too_short"),
                ("functionName", long_name.as_str(), "too_long"),
            ] {
                let answer = post(&bot.client, &path, &form().text(name, value));
                answer.has_violations(&[(&format!("/{name}"), code)]);
            }
        }
        before.assert_unchanged(&bot.tenant);
        // A replaced document stays what it is for.
        let path = replace_at(&upload_plain(&bot, "replaced"));
        let before = bot.tenant.snapshot();
        for name in ["skillId", "functionName"] {
            let answer = bot.client.request("PUT", &path).form(&form().text(name, "x")).send();
            answer.has_violations(&[(&format!("/{name}"), "unknown_field")]);
        }
        before.assert_unchanged(&bot.tenant);
    }

    fn all_violations_are_named_at_once(app: &TestApp) {
        let bot = project(app);
        let texts = |form: Form| {
            form.text("maxChars", "1").text("extract", "maybe").text("colour", "red")
        };
        let of_texts =
            [("/maxChars", "out_of_range"), ("/extract", "wrong_type"), ("/colour", "unknown_field")];
        let and = |more: (&'static str, &'static str)| [&of_texts[..], &[more]].concat();
        refused_by_all(&bot, &[
            (texts(form()), &of_texts),
            (texts(Form::new()), &and(("/file", "missing_field"))),
            (texts(form()).text("colour", "blue"), &of_texts),
            (
                texts(form().file("b.txt", "text/plain", b"More")),
                &and(("/file", "duplicate_field")),
            ),
            (texts(text_form("a.txt", "")), &and(("/file", "too_short"))),
        ]);
    }

    fn what_is_no_form_is_not_taken(app: &TestApp) {
        let bot = project(app);
        let takers = takers(&bot);
        let before = bot.tenant.snapshot();
        for (method, path) in &takers {
            let request = || bot.client.request(method, path);
            request().body(form().bytes()).send().problem(415, "unsupported_media_type");
            request().send().problem(415, "unsupported_media_type");
            request().json(&json!({"extract": true})).send().problem(415, "unsupported_media_type");
            for content_type in ["text/plain", "application/pdf", "multipart/mixed; boundary=b", ""] {
                let request = request().header("Content-Type", content_type);
                request.body("Words").send().problem(415, "unsupported_media_type");
            }
            let request = request().header("Content-Encoding", "gzip").form(&form());
            request.send().problem(415, "unsupported_content_encoding");
        }
        before.assert_unchanged(&bot.tenant);
    }

    fn a_form_that_is_broken_is_refused(app: &TestApp) {
        let bot = project(app);
        let takers = takers(&bot);
        let before = bot.tenant.snapshot();
        let many = (0..17).fold(form(), |form, number| form.text(&format!("x{number}"), "y"));
        let long = form().text("ocrLanguage", &"x".repeat((8 << 10) + 1));
        let whole = form().bytes();
        for (method, path) in &takers {
            for bytes in [&b""[..], b"Words", form().unfinished(), &whole[..whole.len() - 4]] {
                let request = bot.client.request(method, path);
                let request = request.header("Content-Type", &form().content_type());
                request.body(bytes).send().problem(422, "bad_form");
            }
            for form in [&many, &long] {
                bot.client.request(method, path).form(form).send().problem(422, "bad_form");
            }
        }
        before.assert_unchanged(&bot.tenant);
    }

    fn a_query_is_checked_with_the_rest(app: &TestApp) {
        let bot = project(app);
        let takers = takers(&bot);
        let before = bot.tenant.snapshot();
        for (method, path) in &takers {
            let path = format!("{path}?extract=false");
            let answer = bot.client.request(method, &path).form(&form()).send();
            answer.problem(422, "bad_query");
        }
        before.assert_unchanged(&bot.tenant);
    }

    fn settings_of_an_extraction_are_checked_like_those_of_an_upload(app: &TestApp) {
        let bot = project(app);
        let path = extract_at(&upload_plain(&bot, "text"));
        let before = bot.tenant.snapshot();
        for (body, violations) in [
            (json!({"maxChars": 99}), vec![("/maxChars", "out_of_range")]),
            (json!({"maxChars": "500"}), vec![("/maxChars", "wrong_type")]),
            (json!({"maxOverlap": 2_000}), vec![("/maxOverlap", "out_of_range")]),
            (json!({"maxChars": 300, "maxOverlap": 300}), vec![("/maxOverlap", "out_of_range")]),
            (json!({"chunking_strategy": "html"}), vec![("/chunking_strategy", "not_allowed")]),
            (json!({"ocrLanguage": "a b"}), vec![("/ocrLanguage", "bad_format")]),
            (json!({"extract": true}), vec![("/extract", "unknown_field")]),
            (
                json!({"ocrEnabled": 1, "imagesEnabled": "true", "x": 1}),
                vec![
                    ("/ocrEnabled", "wrong_type"),
                    ("/imagesEnabled", "wrong_type"),
                    ("/x", "unknown_field"),
                ],
            ),
        ] {
            bot.client.post(&path, &body).has_violations(&violations);
        }
        before.assert_unchanged(&bot.tenant);
    }

    fn some_documents_must_be_named(app: &TestApp) {
        let bot = project(app);
        let known = upload_plain(&bot, "text");
        let before = bot.tenant.snapshot();
        let many = vec![known.clone(); 1_001];
        for what in ["assign", "unassign"] {
            let path = on_bot(&bot.id().to_string(), what);
            for (body, violation) in [
                (json!({}), ("/docIds", "missing_field")),
                (json!({"docIds": null}), ("/docIds", "missing_field")),
                (json!({"docIds": []}), ("/docIds", "too_short")),
                (json!({"docIds": known}), ("/docIds", "wrong_type")),
                (json!({"docIds": [known, 1]}), ("/docIds/1", "wrong_type")),
                (json!({"docIds": [null]}), ("/docIds/0", "wrong_type")),
                (json!({"docIds": many}), ("/docIds", "too_many_items")),
                (json!({"docIds": [known], "botId": "x"}), ("/botId", "unknown_field")),
                (json!([known]), ("", "not_an_object")),
            ] {
                bot.client.post(&path, &body).has_violations(&[violation]);
            }
            let answer = bot.client.request("POST", &path).send();
            assert_eq!(answer.problem(422, "malformed_json")["errors"][0]["pointer"], json!(""));
        }
        before.assert_unchanged(&bot.tenant);
    }
}

/// What every list asks of its query.
#[track_caller]
fn checks_its_query(bot: &OnBot<'_>, path: &str) {
    for query in ["limit=0", "limit=1001", "limit=x", "limit=", "cursor=", "cursor=%FF", "name=a"] {
        let answer = bot.client.get(&format!("{path}?{query}"));
        answer.problem(422, "bad_query");
        assert_eq!(answer.violations().len(), 1, "{query}");
    }
}

each_database! {
    fn a_wrong_query_of_a_list_is_refused(app: &TestApp) {
        let bot = project(app);
        let known = upload_plain(&bot, "text");
        checks_its_query(&bot, super::FILES);
        checks_its_query(&bot, &super::chunks_at(&known));
        for path in [super::at(&known), super::download_at(&known)] {
            bot.client.get(&format!("{path}?limit=1")).problem(422, "bad_query");
        }
        let answer = bot.client.delete(&format!("{}?x=1", super::at(&known)));
        answer.problem(422, "bad_query");
        assert_ne!(bot.client.get(super::FILES).items(), Vec::<Value>::new());
    }
}
