//! `POST …/doc/upload?onDuplicate=…&matchBy=…`: files that the project has already.

use botyard_tests::{Form, OnBot, Response, TestApp, at_once, each_database};
use serde_json::{Value, json};

use super::{FILES, UPLOAD, get, post, project, settled, status, text_form, texts};
use crate::fusion::files::{known, until_blobs};
use crate::fusion::sha256;
use crate::skills::id;

fn upload(bot: &OnBot<'_>, query: &str, (name, text): (&str, &str)) -> Response {
    post(&bot.client, &format!("{UPLOAD}?{query}"), &text_form(name, &bot.text(text)))
}

/// The document that an upload answers, when its extraction has ended.
fn uploaded(bot: &OnBot<'_>, query: &str, file: (&str, &str)) -> Value {
    let document = upload(bot, query, file).ok()["projectDoc"].clone();
    settled(bot, &id(&document))
}

fn count(bot: &OnBot<'_>) -> usize {
    bot.client.get(FILES).items().len()
}

each_database! {
    fn a_file_that_is_there_is_kept_twice_unless_something_is_said(app: &TestApp) {
        let bot = project(app);
        let first = uploaded(&bot, "", ("a.txt", "one"));
        for query in ["", "onDuplicate=keep", "matchBy=content", "onDuplicate=keep&matchBy=fileName"] {
            assert_ne!(uploaded(&bot, query, ("a.txt", "one"))["_id"], first["_id"], "{query}");
        }
        assert_eq!((count(&bot), known(&bot.tenant).len()), (5, 1));
        for query in ["onDuplicate=x", "matchBy=name", "onDuplicate=skip&onDuplicate=skip"] {
            upload(&bot, query, ("a.txt", "one")).problem(422, "bad_query");
        }
        assert_eq!(count(&bot), 5);
    }

    fn a_file_is_skipped_by_its_name_or_its_content(app: &TestApp) {
        let bot = project(app);
        let older = uploaded(&bot, "", ("a.txt", "one"));
        let newer = uploaded(&bot, "", ("a.txt", "two"));
        assert_eq!(uploaded(&bot, "onDuplicate=skip", ("a.txt", "three")), newer);
        // The name is that which is kept.
        assert_eq!(uploaded(&bot, "onDuplicate=skip", ("docs/a.txt", "three")), newer);
        let by_content = "onDuplicate=skip&matchBy=content";
        assert_eq!(uploaded(&bot, by_content, ("b.txt", "one")), older);
        assert_eq!(count(&bot), 2);
        assert_ne!(uploaded(&bot, by_content, ("a.txt", "three"))["_id"], newer["_id"]);
        assert_ne!(uploaded(&bot, "onDuplicate=skip", ("b.txt", "one"))["_id"], older["_id"]);
        assert_eq!((count(&bot), known(&bot.tenant).len()), (4, 3));
    }

    fn a_skipped_file_is_checked_like_others(app: &TestApp) {
        let bot = project(app);
        let document = uploaded(&bot, "", ("a.txt", "one"));
        let path = format!("{UPLOAD}?onDuplicate=skip");
        let send = |text: &str, field: (&str, &str)| {
            post(&bot.client, &path, &text_form("a.txt", text).text(field.0, field.1))
        };
        send("two", ("colour", "red")).problem(422, "unknown_field");
        send("", ("extract", "true")).problem(422, "too_short");
        assert_eq!(get(&bot.client, &id(&document)), document);
    }

    fn a_file_replaces_that_of_the_document_which_keeps_its_id_and_its_bots(app: &TestApp) {
        let bot = project(app);
        let other = uploaded(&bot, "", ("b.txt", "one"));
        let path = format!("{}?onDuplicate=replace", bot.path("/doc/upload"));
        let form = |text: &str| text_form("a.txt", &bot.text(text)).text("skillId", "s");
        let first = post(&bot.client, &path, &form("one").text("functionName", "f")).ok();
        let document = id(&first["projectDoc"]);
        let _ = settled(&bot, &document);
        let second = post(&bot.client, &path, &text_form("a.txt", &bot.text("two"))).ok();
        assert_eq!(id(&second["projectDoc"]), document);
        for (member, value) in [("skillId", "s"), ("functionName", "f")] {
            assert_eq!(second["projectDoc"][member], value);
        }
        assert_eq!(second["botDoc"]["_id"], first["botDoc"]["_id"]);
        assert_eq!(second["botDoc"]["sha256"], second["projectDoc"]["sha256"]);
        assert_eq!(status(&settled(&bot, &document)), "finished");
        assert_eq!(texts(&bot.client, &document), [bot.text("two")]);
        // By its content it is found under another name, which it takes.
        let query = "onDuplicate=replace&matchBy=content";
        let renamed = uploaded(&bot, query, ("c.txt", "two"));
        assert_eq!((id(&renamed), &renamed["fileName"]), (document.clone(), &json!("c.txt")));
        let settings = text_form("c.txt", &bot.text("two")).text("skillId", "t").text("extract", "false");
        let query = format!("{UPLOAD}?{query}");
        let without = post(&bot.client, &query, &settings).ok()["projectDoc"].clone();
        assert_eq!((id(&without), &without["skillId"]), (document.clone(), &json!("t")));
        assert_eq!((status(&without), texts(&bot.client, &document)), ("none", Vec::<String>::new()));
        assert_eq!(get(&bot.client, &id(&other)), other);
        assert_eq!(count(&bot), 2);
    }

    fn settings_are_those_of_the_document_that_is_replaced(app: &TestApp) {
        let bot = project(app);
        let send = |query: &str, field: (&str, &str)| {
            let form = text_form("a.txt", &bot.text("one")).text(field.0, field.1);
            post(&bot.client, &format!("{UPLOAD}?{query}"), &form)
        };
        let _ = send("", ("maxChars", "10000")).ok();
        let replaced = send("onDuplicate=replace", ("maxOverlap", "3000")).ok();
        let settings = replaced["projectDoc"]["extraction"]["settings"].clone();
        assert_eq!((&settings["maxChars"], &settings["maxOverlap"]), (&json!(10_000), &json!(3_000)));
        let _ = send("onDuplicate=skip", ("maxOverlap", "3000")).ok();
        let _ = send("onDuplicate=skip&matchBy=content", ("maxOverlap", "3000")).ok();
        send("onDuplicate=keep", ("maxOverlap", "3000")).problem(422, "out_of_range");
        assert_eq!(count(&bot), 1);
    }

    fn files_without_a_name_are_not_the_same(app: &TestApp) {
        let bot = project(app);
        for query in ["onDuplicate=skip", "onDuplicate=replace"] {
            for text in ["one", "two"] {
                let form = Form::new().part(
                    &["Content-Disposition: form-data; name=\"file\""],
                    bot.text(text).as_bytes(),
                );
                let _ = post(&bot.client, &format!("{UPLOAD}?{query}"), &form).ok();
            }
        }
        assert_eq!(count(&bot), 4);
    }

    fn a_copy_that_a_skipped_file_makes_is_for_what_the_form_says(app: &TestApp) {
        let bot = project(app);
        let _ = upload(&bot, "", ("a.txt", "one")).ok();
        let path = format!("{}?onDuplicate=skip", bot.path("/doc/upload"));
        for skill in ["s", "t"] {
            let form = text_form("a.txt", &bot.text("one")).text("skillId", skill);
            let answer = post(&bot.client, &path, &form).ok();
            assert_eq!(answer["projectDoc"]["skillId"], Value::Null);
            assert_eq!(answer["botDoc"]["skillId"], "s");
        }
    }

    fn a_document_that_is_there_is_assigned_to_the_bot(app: &TestApp) {
        let bot = project(app);
        let document = uploaded(&bot, "", ("a.txt", "one"));
        for query in ["onDuplicate=skip", "onDuplicate=skip&matchBy=content", "onDuplicate=replace"] {
            let path = format!("{}?{query}", bot.path("/doc/upload"));
            let answer = post(&bot.client, &path, &text_form("a.txt", &bot.text("one"))).ok();
            assert_eq!(id(&answer["projectDoc"]), id(&document), "{query}");
            assert_eq!(answer["projectDoc"]["botIds"], json!([bot.id().to_string()]));
            assert_eq!(answer["botDoc"]["projectDocId"], document["_id"]);
        }
        let changes = bot.get("/changelog").items();
        let actions: Vec<_> = changes.iter().map(|change| change["action"].as_str().unwrap()).collect();
        assert_eq!(actions, ["upload", "assign", "create"], "newest first");
    }
}

each_database! {
    fn many_at_once_end_in_one_document(database: Database) {
        let app = TestApp::sharing(database, &[("LIMITS__UPLOADS_PER_PROJECT", "64"), ("BLOBS__GRACE", "0s")]);
        for query in ["onDuplicate=skip", "onDuplicate=replace", "onDuplicate=skip&matchBy=content"] {
            let bot = project(app);
            let is_one_content = query.ends_with("content");
            let made = at_once(12, |number| {
                let (name, text) = if is_one_content {
                    (format!("{number}.txt"), "one".to_owned())
                } else {
                    ("a.txt".to_owned(), format!("file {number}"))
                };
                let path = if number % 2 == 0 { UPLOAD.to_owned() } else { bot.path("/doc/upload") };
                let form = text_form(&name, &bot.text(&text));
                id(&post(&bot.client, &format!("{path}?{query}"), &form).ok()["projectDoc"])
            });
            assert!(made.iter().all(|document| *document == made[0]), "{query}: {made:?}");
            assert_eq!(count(&bot), 1, "{query}");
            let left = settled(&bot, &made[0]);
            assert_eq!(status(&left), "finished");
            let text = texts(&bot.client, &made[0]).concat();
            assert_eq!(left["sha256"], json!(sha256(text.as_bytes())), "{query}");
            until_blobs(&bot.tenant, 1);
        }
    }
}
