//! What a duplicate of a bot has of its documents.

use botyard_tests::{OnBot, each_scheme};
use domain::id::BotId;
use serde_json::{Value, json};

use super::{FILES, UPLOAD, assign, at, get, on_bot, replace, stored_chunks, text_form};
use crate::bots::BOTS;
use crate::fusion::files::stored;
use crate::skills::{each, id};

/// The bot as a project token sees it: documents are dealt with in that scheme only.
#[track_caller]
fn in_project<'a>(bot: &OnBot<'a>) -> (botyard_tests::Client<'a>, String) {
    (bot.tenant.as_project(), bot.id().to_string())
}

/// Uploads a document and assigns it to the bot; returns the copy.
#[track_caller]
fn own(bot: &OnBot<'_>, name: &str) -> Value {
    let (client, own) = in_project(bot);
    let form = text_form(&bot.text(name), &bot.text("Words of")).text("skillId", "s");
    let form = form.text("functionName", name);
    let made = super::post(&client, &on_bot(&own, "upload"), &form).ok();
    super::is_quiet(&bot.tenant);
    made["botDoc"].clone()
}

/// Makes a copy of the bot; returns its id.
#[track_caller]
fn duplicate(bot: &OnBot<'_>) -> String {
    id(&bot.post("/duplicate", &json!({})).ok())
}

/// Without what a copy has of its own.
fn bare(mut document: Value) -> Value {
    let own = ["_id", "botId", "createdAt", "updatedAt"];
    document.as_object_mut().unwrap().retain(|name, _| !own.contains(&name.as_str()));
    document
}

each_scheme! {
    fn a_duplicate_has_the_same_documents(bot: &OnBot) {
        let copies = ["a", "b"].map(|name| own(bot, name));
        let (client, own) = in_project(bot);
        let documents: Vec<_> =
            copies.iter().map(|copy| copy["projectDocId"].as_str().unwrap().to_owned()).collect();
        let ids: Vec<_> = documents.iter().map(String::as_str).collect();
        let (chunks, kept) = (stored_chunks(&bot.tenant), stored(&bot.tenant));
        let twin = duplicate(bot);
        // Assigning says what is there already.
        let of_twin = assign(&client, &twin, &ids);
        let expected: Vec<_> = copies.iter().cloned().map(bare).collect();
        assert_eq!(of_twin.iter().cloned().map(bare).collect::<Vec<_>>(), expected);
        let entries = client.get(&format!("{BOTS}/{twin}/changelog")).items();
        assert_eq!(each(&entries, "action"), [json!("duplicate")]);
        for (copy, of_twin) in copies.iter().zip(&of_twin) {
            assert_ne!(copy["_id"], of_twin["_id"]);
            assert_eq!(of_twin["botId"], json!(twin));
        }
        for document in &documents {
            assert_eq!(get(&client, document)["botIds"], json!([own, twin]));
        }
        // They are shared and not copied.
        assert_eq!((stored_chunks(&bot.tenant), stored(&bot.tenant)), (chunks, kept));
        assert_eq!(client.get(FILES).items().len(), 2);
    }

    fn a_copy_keeps_what_its_original_was_for(bot: &OnBot) {
        let copy = own(bot, "a");
        let (client, own) = in_project(bot);
        let document = copy["projectDocId"].as_str().unwrap();
        // The document itself may say something else.
        let _ = bot.post("/skills", &json!({"name": "s", "skillId": "s"})).ok();
        let _ = bot.put("/skills/s", &json!({"skillId": "t"})).ok();
        let twin = duplicate(bot);
        assert_eq!(assign(&client, &own, &[document])[0]["skillId"], json!("t"));
        assert_eq!(assign(&client, &twin, &[document])[0]["skillId"], json!("t"));
        assert_eq!(get(&client, document)["skillId"], json!("s"));
    }

    fn each_of_them_can_do_without_the_other(bot: &OnBot) {
        let copy = own(bot, "a");
        let (client, own) = in_project(bot);
        let document = copy["projectDocId"].as_str().unwrap();
        let twin = duplicate(bot);
        let body = json!({"docIds": [document]});
        let _ = client.post(&on_bot(&own, "unassign"), &body).ok();
        assert_eq!(get(&client, document)["botIds"], json!([twin]));
        let _ = bot.delete("").ok();
        assert_eq!(get(&client, document)["botIds"], json!([twin]));
        let third = id(&client.post(&format!("{BOTS}/{twin}/duplicate"), &json!({})).ok());
        assert_eq!(get(&client, document)["botIds"], json!([twin, third]));
        bot.tenant.delete_bot(BotId::parse(&twin).unwrap(), domain::bot::DeleteMode::Delete);
        assert_eq!(get(&client, document)["botIds"], json!([third]));
    }

    fn what_happens_to_the_document_happens_to_both(bot: &OnBot) {
        let copy = own(bot, "a");
        let (client, own) = in_project(bot);
        let document = copy["projectDocId"].as_str().unwrap();
        let twin = duplicate(bot);
        let _ = replace(&client, document, &text_form("b.txt", "Second")).ok();
        super::is_quiet(&bot.tenant);
        for on in [&own, &twin] {
            assert_eq!(assign(&client, on, &[document])[0]["fileName"], json!("b.txt"));
        }
        let _ = client.delete(&at(document)).ok();
        for on in [&own, &twin] {
            let answer = client.post(&on_bot(on, "unassign"), &json!({"docIds": [document]}));
            answer.problem(404, "document_not_found");
        }
    }

    fn documents_of_the_project_alone_stay_there(bot: &OnBot) {
        let client = bot.tenant.as_project();
        let form = text_form("a.txt", &bot.text("Words")).text("extract", "false");
        let document = id(&super::post(&client, UPLOAD, &form).ok()["projectDoc"]);
        let _ = duplicate(bot);
        assert_eq!(get(&client, &document)["botIds"], json!([]));
    }
}
