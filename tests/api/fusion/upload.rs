//! `POST {bot}/fusion/{fusionId}/upload`

use botyard_tests::{Form, TestApp, each_database, each_scheme};
use serde_json::{Value, json};

use super::files::content;
use super::{archive, at, both, new_view, new_view_of, send, sha256, upload};
use test_samples::archive::{Entry, Zip};

/// An archive with a folder, a small file and a large one.
fn site(text: &str) -> Vec<u8> {
    let folder = Entry::stored("img/", b"").with(|entry| entry.attributes = 0o040_755 << 16 | 0x10);
    let image: Vec<u8> =
        (0..200_000_u32).map(|number| (number.wrapping_mul(number) >> 7) as u8).collect();
    let entries = [
        folder,
        Entry::deflated("index.html", text.as_bytes()),
        Entry::stored("img/ä.bin", &image),
    ];
    Zip::of(entries).bytes()
}

each_scheme! {
    fn an_upload_answers_the_package_and_a_read_shows_it(bot: &OnBot) {
        let id = new_view(bot);
        let before = bot.get(&at(&id)).ok();
        assert_eq!(before["file"], Value::Null);
        let bytes = site(&bot.text("site"));
        let form = Form::new().file(&bot.text("site.zip"), "application/zip", &bytes);
        let answer = send(bot, &id, &form);
        let at_time = answer.ok()["uploadedAt"].as_str().unwrap().to_owned();
        let (name, size, hash) = (bot.text("site.zip"), bytes.len(), sha256(&bytes));
        let file = format!(
            "\"fileName\":\"{name}\",\"mimeType\":\"application/zip\",\"size\":{size},\
             \"sha256\":\"{hash}\",\"entries\":3,\"uploadedAt\":\"{at_time}\""
        );
        assert_eq!(answer.text(), format!("{{\"fusionId\":\"{id}\",{file}}}"));

        let got = bot.get(&at(&id));
        assert!(got.text().contains(&format!(",\"file\":{{{file}}},\"createdAt\":")), "{got}");
        let got = got.ok();
        assert_eq!(got["createdAt"], before["createdAt"]);
        assert_eq!(got["updatedAt"], json!(at_time));
        assert!(got["updatedAt"].as_str() >= before["updatedAt"].as_str());
        assert_eq!(content(&bot.tenant, &hash), bytes);
    }

    fn all_types_with_packages_take_one(bot: &OnBot) {
        for view_type in ["website", "webapp", "scorm", "h5p", "webgl"] {
            let id = new_view_of(bot, view_type);
            assert_eq!(upload(bot, &id, &archive(view_type))["fusionId"], json!(id));
        }
    }

    fn another_upload_replaces_the_package(bot: &OnBot) {
        let id = new_view(bot);
        let _ = upload(bot, &id, &archive("first"));
        let second = archive("second");
        let form = Form::new().file("second.zip", "application/zip", &second);
        let answer = send(bot, &id, &form).ok();
        let got = bot.get(&at(&id)).ok();
        assert_eq!(got["file"]["sha256"], json!(sha256(&second)));
        assert_eq!(got["file"]["fileName"], json!("second.zip"));
        assert_eq!(got["file"]["uploadedAt"], answer["uploadedAt"]);
    }

    fn the_same_package_again_is_an_upload_like_any_other(bot: &OnBot) {
        let id = new_view(bot);
        let bytes = archive("content");
        let _ = upload(bot, &id, &bytes);
        let form = Form::new().file("renamed.zip", "application/zip", &bytes);
        let answer = send(bot, &id, &form).ok();
        let file = bot.get(&at(&id)).ok()["file"].clone();
        assert_eq!(file["fileName"], json!("renamed.zip"));
        assert_eq!(file["uploadedAt"], answer["uploadedAt"]);
        assert_eq!(bot.get("/changelog?limit=1").items()[0]["action"], json!("upload"));
    }

    fn metadata_stays_when_a_package_comes(bot: &OnBot) {
        let body = json!({"type": "scorm", "title": "t", "a": [1], "language": "de"});
        let before = bot.post("/fusion", &body).ok();
        let id = before["_id"].as_str().unwrap();
        let _ = upload(bot, id, &archive("content"));
        let mut got = bot.get(&at(id)).ok();
        got["file"] = json!(null);
        got["updatedAt"] = before["updatedAt"].clone();
        assert_eq!(got, before);
    }
}

each_database! {
    fn which_types_have_packages_is_a_setting(database: Database) {
        let app = TestApp::start(database, &[("FUSION__PACKAGE_TYPES", "own,h5p")]);
        for bot in &both(&app) {
            for view_type in ["own", "h5p"] {
                let _ = upload(bot, &new_view_of(bot, view_type), &archive("content"));
            }
            for view_type in ["website", "owner", "h5"] {
                let id = new_view_of(bot, view_type);
                let answer = send(bot, &id, &Form::archive(&archive("content")));
                let problem = answer.problem(415, "upload_not_supported");
                let detail = "Fusion-Views of this type take no package. The types that do: own, h5p.";
                assert_eq!(problem["detail"], detail);
            }
        }
    }

    fn without_such_types_nothing_can_be_uploaded(database: Database) {
        let app = TestApp::start(database, &[("FUSION__PACKAGE_TYPES", "")]);
        let bot = app.tenant().with_bot_token();
        let answer = send(&bot, &new_view(&bot), &Form::archive(&archive("content")));
        answer.problem(415, "upload_not_supported");
    }
}

each_database! {
    fn a_large_package_comes_through_whole(app: &TestApp) {
        let bot = app.tenant().with_project_token();
        let id = new_view(&bot);
        // Noise, which does not pack.
        let mut state = 1_u64;
        let noise: Vec<u8> = (0..12 << 20)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 56) as u8
            })
            .collect();
        let bytes = Zip::of([Entry::stored("noise", &noise)]).bytes();
        let answer = upload(&bot, &id, &bytes);
        let hash = sha256(&bytes);
        assert_eq!((&answer["size"], &answer["sha256"]), (&json!(bytes.len()), &json!(hash)));
        assert!(content(&bot.tenant, &hash) == bytes);
    }
}
