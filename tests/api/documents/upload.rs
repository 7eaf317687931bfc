//! `POST /api/external/projectapi/doc/upload` and `POST {bot}/doc/upload`

use botyard_tests::{Form, each_database};
use serde_json::{Value, json};

use super::{
    UPLOAD, at, chunks, chunks_at, get, on_bot, post, project, settled, status, text_form, upload,
};
use crate::fusion::files::{content, stored};
use crate::fusion::sha256;
use crate::skills::id;

/// How a text is made into chunks of which nothing was said.
const OF_TEXT: &str = r#"{"maxChars":2000,"maxOverlap":200,"chunking_strategy":"text","imagesEnabled":false,"ocrEnabled":false,"ocrLanguage":"eng"}"#;

fn text<'a>(value: &'a Value, member: &str) -> &'a str {
    value[member].as_str().unwrap_or_else(|| panic!("no {member} in {value}"))
}

each_database! {
    fn an_upload_answers_the_document_and_a_read_shows_it(app: &TestApp) {
        let bot = project(app);
        let (name, words) = (bot.text("notes.txt"), bot.text("Ähren\r\nim Feld 𝄞"));
        let answer = post(&bot.client, UPLOAD, &text_form(&name, &words));
        let made = answer.ok()["projectDoc"].clone();
        let (id, project, size) = (id(&made), bot.tenant.project().id, words.len());
        let hash = sha256(words.as_bytes());
        let [ended, created, updated] = [
            text(&made["extraction"], "finishedAt"),
            text(&made, "createdAt"),
            text(&made, "updatedAt"),
        ];
        let document = format!(
            "{{\"_id\":\"{id}\",\"projectId\":\"{project}\",\"botId\":null,\"projectDocId\":null,\
             \"fileName\":\"{name}\",\"mimeType\":\"text/plain\",\"size\":{size},\
             \"sha256\":\"{hash}\",\"skillId\":null,\"functionName\":null,\
             \"extraction\":{{\"status\":\"finished\",\"error\":null,\"settings\":{OF_TEXT},\
             \"chunkCount\":1,\"finishedAt\":\"{ended}\"}},\"botIds\":[],\
             \"createdAt\":\"{created}\",\"updatedAt\":\"{updated}\"}}"
        );
        assert_eq!(answer.text(), format!("{{\"projectDoc\":{document}}}"));
        assert_eq!(bot.client.get(&at(&id)).text(), document);
        assert!(created <= ended, "{document}");
        assert_eq!(content(&bot.tenant, &hash), words.as_bytes());
    }

    fn an_upload_through_a_bot_makes_a_copy_on_it(app: &TestApp) {
        let bot = project(app);
        let form = text_form(&bot.text("notes.txt"), &bot.text("Words"))
            .text("skillId", "help")
            .text("functionName", "answer");
        let answer = bot.client.request("POST", &bot.path("/doc/upload")).form(&form).send();
        let members: Vec<_> = answer.ok().as_object().unwrap().keys().cloned().collect();
        assert_eq!(members, ["botDoc", "projectDoc"]);
        let (document, copy) = (answer.ok()["projectDoc"].clone(), answer.ok()["botDoc"].clone());
        assert_eq!(get(&bot.client, &id(&document)), document);
        assert_eq!(document["botId"], Value::Null);
        assert_eq!(document["botIds"], json!([bot.id().to_string()]));
        assert_eq!(document["projectDocId"], Value::Null);
        assert_eq!((text(&document, "skillId"), text(&document, "functionName")), ("help", "answer"));

        // The copy has all that the document has, but for what is its own.
        assert_ne!(copy["_id"], document["_id"]);
        let mut expected = document.clone();
        let members = expected.as_object_mut().unwrap();
        members.remove("botIds");
        members.insert("_id".to_owned(), copy["_id"].clone());
        members.insert("botId".to_owned(), json!(bot.id().to_string()));
        members.insert("projectDocId".to_owned(), document["_id"].clone());
        members.insert("createdAt".to_owned(), copy["createdAt"].clone());
        members.insert("updatedAt".to_owned(), copy["updatedAt"].clone());
        assert_eq!(copy, expected);
        // It is not addressed here.
        bot.client.get(&at(&id(&copy))).problem(404, "document_not_found");
    }

    fn every_field_is_taken(app: &TestApp) {
        let bot = project(app);
        let given = [
            ("extract", "true"),
            ("maxChars", "500"),
            ("maxOverlap", "0"),
            ("chunking_strategy", "yaml"),
            ("imagesEnabled", "true"),
            ("ocrEnabled", "true"),
            ("ocrLanguage", "deu+eng"),
            ("skillId", "any skill, known or not"),
            ("functionName", "  answer "),
        ];
        let settings = json!({
            "maxChars": 500, "maxOverlap": 0, "chunking_strategy": "yaml", "imagesEnabled": true,
            "ocrEnabled": true, "ocrLanguage": "deu+eng",
        });
        for path in [UPLOAD.to_owned(), bot.path("/doc/upload")] {
            let form = text_form(&bot.text("notes.txt"), &bot.text("a: b"));
            let form = given.iter().fold(form, |form, (name, value)| form.text(name, value));
            let answer = post(&bot.client, &path, &form).ok();
            for document in answer.as_object().unwrap().values() {
                assert_eq!(document["extraction"]["settings"], settings);
                assert_eq!(status(document), "finished");
                assert_eq!(document["skillId"], json!("any skill, known or not"));
                assert_eq!(document["functionName"], json!("answer"));
            }
        }
    }

    fn fields_may_stand_before_and_behind_the_file(app: &TestApp) {
        let bot = project(app);
        let words = bot.text("Words");
        let file = |form: Form| form.file("a.txt", "text/plain", words.as_bytes());
        let before = file(Form::new().text("maxChars", "300").text("skillId", "s"));
        let behind = file(Form::new()).text("maxChars", "300").text("skillId", "s");
        let around = file(Form::new().text("skillId", "s")).text("maxChars", "300");
        for form in [before, behind, around] {
            let document = upload(&bot, &form);
            assert_eq!(document["extraction"]["settings"]["maxChars"], json!(300));
            assert_eq!(document["skillId"], json!("s"));
            assert_eq!(document["sha256"], json!(sha256(words.as_bytes())));
        }
    }

    fn the_overlap_is_a_tenth_of_small_chunks(app: &TestApp) {
        let bot = project(app);
        for (chars, overlap) in [("100", 10), ("1999", 199), ("2000", 200), ("100000", 200)] {
            let form = text_form("a.txt", &bot.text("Words")).text("maxChars", chars);
            let settings = upload(&bot, &form)["extraction"]["settings"].clone();
            assert_eq!(settings["maxOverlap"], json!(overlap), "{chars}");
        }
        let form = text_form("a.txt", &bot.text("Words"));
        let document = upload(&bot, &form.text("maxChars", "100").text("maxOverlap", "99"));
        assert_eq!(document["extraction"]["settings"]["maxOverlap"], json!(99));
    }

    fn where_chunks_end_goes_by_the_type_unless_it_was_said(app: &TestApp) {
        let bot = project(app);
        let words = bot.text("Words");
        for (name, strategy) in [
            ("a.txt", "text"), ("a.json", "text"), ("a.md", "markdown"), ("a.html", "markdown"),
            ("a.yaml", "yaml"), ("a.yml", "yaml"),
        ] {
            let form = Form::new().file(name, "application/octet-stream", words.as_bytes());
            let form = form.text("extract", "false");
            let settings = upload(&bot, &form)["extraction"]["settings"].clone();
            assert_eq!(settings["chunking_strategy"], json!(strategy), "{name}");
            let settings = upload(&bot, &form.text("chunking_strategy", "text"));
            let settings = &settings["extraction"]["settings"];
            assert_eq!(settings["chunking_strategy"], json!("text"), "{name}");
        }
    }

    fn a_document_need_not_be_extracted(app: &TestApp) {
        let bot = project(app);
        let words = bot.text("Words");
        let form = text_form("a.txt", &words).text("extract", "false").text("maxChars", "200");
        for path in [UPLOAD.to_owned(), bot.path("/doc/upload")] {
            let made = post(&bot.client, &path, &form).ok()["projectDoc"].clone();
            assert_eq!(made["extraction"], json!({
                "status": "none", "error": null, "chunkCount": 0, "finishedAt": null,
                "settings": {
                    "maxChars": 200, "maxOverlap": 20, "chunking_strategy": "text",
                    "imagesEnabled": false, "ocrEnabled": false, "ocrLanguage": "eng",
                },
            }));
            assert_eq!(settled(&bot, &id(&made)), made);
            assert_eq!(chunks(&bot.client, &id(&made)), Vec::<Value>::new());
            assert_eq!(bot.client.get(&chunks_at(&id(&made))).text(), "[]");
        }
    }

    fn the_type_comes_from_the_bytes_and_then_from_the_name(app: &TestApp) {
        let bot = project(app);
        let pdf = test_samples::pdf::pdf(&[&["Words"]]);
        for (name, said, bytes, kind) in [
            ("a.txt", "text/plain", pdf.as_slice(), "application/pdf"),
            ("a.pdf", "application/pdf", b"Words", "text/plain"),
            ("a.md", "text/plain; charset=utf-8", b"# Words", "text/markdown"),
            ("a", "text/markdown", b"# Words", "text/markdown"),
            ("a.html", "image/png", b"<p>Words", "text/html"),
            ("a.png", "image/png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "image/png"),
            ("a", "application/octet-stream", b"\0\x01\x02", "application/octet-stream"),
        ] {
            let form = Form::new().file(name, said, bytes).text("extract", "false");
            let made = post(&bot.client, UPLOAD, &form).ok()["projectDoc"].clone();
            assert_eq!(made["mimeType"], json!(kind), "{name} {said}");
        }
        // A form need not name a type.
        let disposition = "Content-Disposition: form-data; name=\"file\"; filename=\"a.md\"";
        let form = Form::new().part(&[disposition], b"# Words").text("extract", "false");
        let made = post(&bot.client, UPLOAD, &form).ok()["projectDoc"].clone();
        assert_eq!(made["mimeType"], json!("text/markdown"));
    }

    fn the_same_file_again_is_another_document_and_the_same_bytes(app: &TestApp) {
        let bot = project(app);
        let form = text_form("a.txt", &bot.text("Words"));
        let (one, other) = (upload(&bot, &form), upload(&bot, &form));
        assert_ne!(one["_id"], other["_id"]);
        assert_eq!(one["sha256"], other["sha256"]);
        assert_eq!(stored(&bot.tenant).len(), 1);
        // Not so in another project.
        let sibling = bot.tenant.sibling().with_project_token();
        let _ = upload(&sibling, &text_form("a.txt", "Words of nobody"));
        let _ = upload(&bot, &text_form("a.txt", "Words of nobody"));
        assert_eq!((stored(&sibling.tenant).len(), stored(&bot.tenant).len()), (1, 2));
    }

    fn a_large_document_comes_through_whole(app: &TestApp) {
        let bot = project(app);
        let mut state = 1_u64;
        let noise: Vec<u8> = (0..12 << 20)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 56) as u8
            })
            .collect();
        let form = Form::new().file("noise", "application/octet-stream", &noise);
        let made = upload(&bot, &form.text("extract", "false"));
        let hash = sha256(&noise);
        assert_eq!((&made["size"], &made["sha256"]), (&json!(noise.len()), &json!(hash)));
        assert!(content(&bot.tenant, &hash) == noise);
    }

    fn an_upload_through_another_bot_of_the_project_is_one_of_that(app: &TestApp) {
        let bot = project(app);
        let other = bot.tenant.new_bot("other").to_string();
        let form = text_form("a.txt", &bot.text("Words"));
        let made = post(&bot.client, &on_bot(&other, "upload"), &form).ok();
        assert_eq!(made["botDoc"]["botId"], json!(other));
        assert_eq!(made["projectDoc"]["botIds"], json!([other]));
    }
}
