//! `POST {bot}/doc/assign` and `POST {bot}/doc/unassign`

use botyard_tests::waiting::until;
use botyard_tests::{OnBot, at_once, each_database};
use domain::bot::{BotKind, DeleteMode};
use domain::id::BotDocumentId;
use serde_json::{Value, json};

use super::{at, get, on_bot, project, text_form, upload, upload_plain, upload_text};
use crate::skills::{NEVER, each, id};

fn own(bot: &OnBot<'_>) -> String {
    bot.id().to_string()
}

/// Assigns to the bot itself.
#[track_caller]
fn assign(bot: &OnBot<'_>, ids: &[&str]) -> Vec<Value> {
    super::assign(&bot.client, &own(bot), ids)
}

/// Takes away from the bot itself.
#[track_caller]
fn unassign(bot: &OnBot<'_>, ids: &[&str]) -> Value {
    bot.client.post(&on_bot(&own(bot), "unassign"), &json!({"docIds": ids})).ok()
}

each_database! {
    fn a_bot_gets_a_copy_of_each_document_in_the_order_asked(app: &TestApp) {
        let bot = project(app);
        let form = text_form("a.txt", &bot.text("Words")).text("skillId", "s");
        let one = upload(&bot, &form.text("functionName", "f"));
        let other = upload_text(&bot, "b.txt");
        let copies = assign(&bot, &[&id(&other), &id(&one)]);
        assert_eq!(each(&copies, "projectDocId"), [other["_id"].clone(), one["_id"].clone()]);
        for (copy, document) in copies.iter().zip([&other, &one]) {
            assert!(BotDocumentId::parse(&id(copy)).is_some(), "{copy}");
            let mut expected = (*document).clone();
            let members = expected.as_object_mut().unwrap();
            members.remove("botIds");
            members.insert("_id".to_owned(), copy["_id"].clone());
            members.insert("botId".to_owned(), json!(own(&bot)));
            members.insert("projectDocId".to_owned(), document["_id"].clone());
            members.insert("createdAt".to_owned(), copy["createdAt"].clone());
            members.insert("updatedAt".to_owned(), copy["updatedAt"].clone());
            assert_eq!(*copy, expected);
            assert_eq!(get(&bot.client, &id(document))["botIds"], json!([own(&bot)]));
            // The document itself has not changed.
            assert_eq!(get(&bot.client, &id(document))["updatedAt"], document["updatedAt"]);
        }
        assert_ne!(copies[0]["_id"], copies[1]["_id"]);
    }

    fn what_is_assigned_already_is_returned_as_it_is(app: &TestApp) {
        let bot = project(app);
        let [one, other] = ["a", "b"].map(|name| upload_plain(&bot, name));
        let first = assign(&bot, &[&one]);
        let before = bot.tenant.snapshot();
        assert_eq!(assign(&bot, &[&one]), first);
        before.assert_unchanged(&bot.tenant);
        let both = assign(&bot, &[&other, &one]);
        assert_eq!(both[1], first[0]);
        assert_eq!(assign(&bot, &[&one, &other]), [both[1].clone(), both[0].clone()]);
    }

    fn a_document_that_is_named_twice_counts_once(app: &TestApp) {
        let bot = project(app);
        let [one, other] = ["a", "b"].map(|name| upload_plain(&bot, name));
        let copies = assign(&bot, &[&one, &other, &one, &one]);
        assert_eq!(each(&copies, "projectDocId"), [json!(one), json!(other)]);
        let many = vec![one.as_str(); 1_000];
        assert_eq!(assign(&bot, &many), copies[..1]);
        let answer = unassign(&bot, &[&other, &other, &one]);
        assert_eq!(answer, json!({"unassigned": [other, one]}));
    }

    fn unless_all_are_there_nothing_is_assigned_or_taken_away(app: &TestApp) {
        let bot = project(app);
        let [one, other] = ["a", "b"].map(|name| upload_plain(&bot, name));
        let copy = id(&assign(&bot, &[&other])[0]);
        let foreign = {
            let other = bot.tenant.sibling().with_project_token();
            upload_plain(&other, "foreign")
        };
        let before = bot.tenant.snapshot();
        for missing in [NEVER, "x", "", &foreign, &copy, &own(&bot), &one.to_uppercase()] {
            for what in ["assign", "unassign"] {
                let path = on_bot(&own(&bot), what);
                for ids in [vec![missing], vec![&one, missing], vec![missing, &other, &one]] {
                    let answer = bot.client.post(&path, &json!({"docIds": ids}));
                    answer.problem(404, "document_not_found");
                }
            }
        }
        before.assert_unchanged(&bot.tenant);
    }

    fn the_documents_that_are_not_there_are_named(app: &TestApp) {
        let bot = project(app);
        let one = upload_plain(&bot, "a");
        let gone = upload_plain(&bot, "b");
        let _ = bot.client.delete(&at(&gone)).ok();
        let copy = id(&assign(&bot, &[&one])[0]);
        let foreign = upload_plain(&bot.tenant.sibling().with_project_token(), "foreign");
        let (upper, bot_id) = (one.to_uppercase(), own(&bot));
        let before = bot.tenant.snapshot();
        for (ids, named) in [
            (vec![&gone], vec![&gone[..]]),
            (vec![&one, &gone, &one, &foreign, &gone], vec![&gone, &foreign]),
            // What is no identifier is not repeated, whatever it is.
            (vec![&one, &upper], vec!["/docIds/1"]),
            (vec![&copy, &upper, &upper, &one, &gone], vec![&copy, "/docIds/1", &gone]),
            (vec![&bot_id, &copy, &foreign, &gone, &upper], vec![&bot_id, &copy, &foreign, &gone, "/docIds/4"]),
        ] {
            let named: Vec<_> = named.iter().map(|name| format!("`{name}`")).collect();
            let detail = format!("There is no such document: {}.", named.join(", "));
            for what in ["assign", "unassign"] {
                let answer = bot.client.post(&on_bot(&bot_id, what), &json!({"docIds": ids}));
                let problem = answer.problem(404, "document_not_found");
                assert_eq!(problem["detail"], json!(detail));
                assert_eq!(problem["title"], bot.client.get(&at(&gone)).json()["title"]);
            }
        }
        let many: Vec<_> = (0..1_000).map(|number| format!("x{number}")).collect();
        let answer = bot.client.post(&on_bot(&bot_id, "assign"), &json!({"docIds": many}));
        let named = "`/docIds/0`, `/docIds/1`, `/docIds/2`, `/docIds/3`, `/docIds/4` and 995 more";
        let detail = format!("There is no such document: {named}.");
        assert_eq!(answer.problem(404, "document_not_found")["detail"], json!(detail));
        before.assert_unchanged(&bot.tenant);
    }

    fn only_the_copy_of_this_bot_is_taken_away(app: &TestApp) {
        let bot = project(app);
        let document = id(&upload_text(&bot, "a.txt"));
        let other = bot.tenant.new_bot("other").to_string();
        let _ = assign(&bot, &[&document]);
        let of_other = super::assign(&bot.client, &other, &[&document]);
        assert_eq!(unassign(&bot, &[&document]), json!({"unassigned": [document]}));
        let left = get(&bot.client, &document);
        assert_eq!(left["botIds"], json!([other]));
        assert_eq!(left["extraction"]["chunkCount"], json!(1));
        assert_eq!(super::assign(&bot.client, &other, &[&document]), of_other);
        assert_eq!(super::chunks(&bot.client, &document).len(), 1);
    }

    fn what_is_not_assigned_is_passed_over(app: &TestApp) {
        let bot = project(app);
        let [one, other, third] = ["a", "b", "c"].map(|name| upload_plain(&bot, name));
        let _ = assign(&bot, &[&one, &third]);
        let answer = unassign(&bot, &[&third, &other, &one]);
        assert_eq!(answer, json!({"unassigned": [third, one]}));
        let before = bot.tenant.snapshot();
        assert_eq!(unassign(&bot, &[&one, &other]), json!({"unassigned": []}));
        before.assert_unchanged(&bot.tenant);
    }

    fn a_document_that_is_assigned_anew_is_a_new_copy(app: &TestApp) {
        let bot = project(app);
        let document = upload_plain(&bot, "a");
        let first = assign(&bot, &[&document]);
        let _ = unassign(&bot, &[&document]);
        let second = assign(&bot, &[&document]);
        assert_ne!(first[0]["_id"], second[0]["_id"]);
        assert_eq!(get(&bot.client, &document)["botIds"], json!([own(&bot)]));
    }

    fn a_document_that_came_through_a_bot_can_be_taken_away_from_it(app: &TestApp) {
        let bot = project(app);
        let form = text_form("a.txt", &bot.text("Words"));
        let made = bot.client.request("POST", &bot.path("/doc/upload")).form(&form).send().ok();
        let document = id(&made["projectDoc"]);
        assert_eq!(assign(&bot, &[&document])[0]["_id"], made["botDoc"]["_id"]);
        assert_eq!(unassign(&bot, &[&document]), json!({"unassigned": [document]}));
        assert_eq!(get(&bot.client, &document)["botIds"], json!([]));
    }

    fn bots_that_are_not_to_be_found_get_nothing(app: &TestApp) {
        let bot = project(app);
        let document = upload_plain(&bot, "a");
        let hidden = |mode| {
            let hidden = bot.tenant.new_bot("hidden");
            bot.tenant.delete_bot(hidden, mode);
            hidden.to_string()
        };
        let foreign = bot.tenant.sibling().bot().to_string();
        let ids = [
            hidden(DeleteMode::Archive),
            hidden(DeleteMode::Trash),
            hidden(DeleteMode::Delete),
            bot.tenant.new_hidden_bot(BotKind::Demo).to_string(),
            bot.tenant.new_hidden_bot(BotKind::Template).to_string(),
            foreign,
            NEVER.to_owned(),
            "x".to_owned(),
            document.clone(),
        ];
        let torn_down = "SELECT COUNT(*) AS value FROM jobs WHERE kind = 'teardown_bot' AND subject =";
        until("the deleted bot is gone", || app.sql().number(&format!("{torn_down} '{}'", ids[2])) == 0);
        let before = bot.tenant.snapshot();
        for hidden in &ids {
            for what in ["assign", "unassign"] {
                let path = on_bot(hidden, what);
                for body in [json!({"docIds": [document]}), json!({"docIds": []}), json!({"x": 1})] {
                    bot.client.post(&path, &body).problem(404, "bot_not_found");
                }
            }
            let form = text_form("a.txt", "Words");
            let answer = bot.client.request("POST", &on_bot(hidden, "upload")).form(&form).send();
            answer.problem(404, "bot_not_found");
        }
        before.assert_unchanged(&bot.tenant);
    }

    fn a_bot_that_comes_back_still_has_its_copies(app: &TestApp) {
        let bot = project(app);
        let document = upload_plain(&bot, "a");
        let copies = assign(&bot, &[&document]);
        for mode in [DeleteMode::Archive, DeleteMode::Trash] {
            bot.tenant.delete_bot(bot.id(), mode);
            bot.tenant.restore_bot(bot.id());
            assert_eq!(assign(&bot, &[&document]), copies);
        }
    }

    fn a_document_assigned_at_once_is_assigned_once(app: &TestApp) {
        let bot = project(app);
        let documents: Vec<_> = (0..3).map(|n| upload_plain(&bot, &n.to_string())).collect();
        let ids: Vec<_> = documents.iter().map(String::as_str).collect();
        let copies = at_once(8, |number| {
            let mut ids = ids.clone();
            ids.rotate_left(number % 3);
            let mut copies = assign(&bot, &ids);
            copies.sort_by_key(|copy| copy["projectDocId"].to_string());
            copies
        });
        assert!(copies.iter().all(|some| *some == copies[0]), "{copies:?}");
        let entries = bot.get("/changelog").items();
        let assigned = entries.iter().filter(|entry| entry["action"] == json!("assign"));
        assert_eq!(assigned.count(), 3);
    }

    fn a_document_deleted_while_it_is_assigned_is_on_no_bot(app: &TestApp) {
        let bot = project(app);
        for round in 0..5 {
            let document = upload_plain(&bot, &round.to_string());
            at_once(4, |number| match number {
                0 => {
                    let _ = bot.client.delete(&at(&document)).ok();
                }
                _ => {
                    let path = on_bot(&own(&bot), "assign");
                    let answer = bot.client.post(&path, &json!({"docIds": [document]}));
                    if answer.status() != 200 {
                        answer.problem(404, "document_not_found");
                    }
                }
            });
        }
        let project = bot.tenant.project().id;
        for table in ["documents", "bot_documents"] {
            let count = format!("SELECT COUNT(*) AS value FROM {table} WHERE project_id = '{project}'");
            assert_eq!(app.sql().number(&count), 0, "{table}");
        }
    }
}
