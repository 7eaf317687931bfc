//! What events look like, and who reads which.

use botyard_tests::{each_database, each_scheme};
use domain::access::Scheme;
use domain::bot::DeleteMode;
use domain::id::EventId;
use serde_json::json;

use super::{OF_BOT, OF_PROJECT, events_up_to, path, types, wait_for_event};
use crate::bots::BOTS;
use crate::changelog::actor;
use crate::skills::{id, make};

each_scheme! {
    fn an_event_has_this_shape(bot: &OnBot) {
        let skill = make(bot, "a");
        let event = events_up_to(bot, &id(&skill)).pop().unwrap();
        assert!(EventId::parse(event["_id"].as_str().unwrap()).is_some(), "{event}");
        assert!(event["cursor"].as_str().unwrap().parse::<u64>().unwrap() > 0, "{event}");
        let actor = actor(bot);
        assert_eq!(event, json!({
            "_id": event["_id"],
            "cursor": event["cursor"],
            "type": "skill.created",
            "at": skill["createdAt"],
            "projectId": bot.tenant.project().id.to_string(),
            "botId": bot.id().to_string(),
            "resource": "skill",
            "resourceId": id(&skill),
            "actor": {"tokenId": actor["tokenId"], "scheme": actor["scheme"]},
            "data": {},
        }));
    }

    fn changes_of_a_client_are_events_in_order(bot: &OnBot) {
        let skill = make(bot, "a");
        let path = format!("/skills/{}", id(&skill));
        let _ = bot.put(&path, &json!({"name": bot.text("secret name")})).ok();
        // What changes nothing is no event.
        let _ = bot.put(&path, &json!({"name": bot.text("secret name")})).ok();
        bot.put(&path, &json!({"name": 1})).problem(422, "wrong_type");
        let _ = bot.delete(&path).ok();
        let stage = bot.post("/stages", &json!({"title": "t", "name": "n"})).ok();
        let events = events_up_to(bot, &id(&stage));
        let own: Vec<_> = events.iter().filter(|event| event["resource"] != "token").collect();
        let own: Vec<_> = own.iter().map(|event| event["type"].as_str().unwrap()).collect();
        let expected =
            ["bot.created", "skill.created", "skill.updated", "skill.deleted", "stage.created"];
        assert_eq!(own, expected);
        assert!(!json!(events).to_string().contains("secret"), "{events:?}");
    }

    fn events_of_others_are_not_read(bot: &OnBot) {
        let (sibling, foreign) = (bot.tenant.sibling(), bot.tenant.app().tenant());
        for other in [&sibling, &foreign] {
            let skills = format!("{BOTS}/{}/skills", other.bot());
            let _ = other.as_project().post(&skills, &json!({"name": "other"})).ok();
        }
        let bystander = bot.tenant.new_bot("bystander").to_string();
        let skill = make(bot, "a");
        let events = events_up_to(bot, &id(&skill));
        for event in &events {
            assert_eq!(event["projectId"], json!(bot.tenant.project().id.to_string()), "{event}");
        }
        let of = |of: &str| events.iter().filter(|event| event["botId"] == of).count();
        assert!(of(&bot.id().to_string()) > 1);
        let foreign_events = match bot.scheme {
            Scheme::Bot => events.len() - of(&bot.id().to_string()),
            Scheme::Project => usize::from(of(&bystander) == 0),
        };
        assert_eq!(foreign_events, 0, "{events:?}");
        if bot.scheme == Scheme::Bot {
            bot.client.get(&format!("{OF_BOT}?botId={bystander}")).problem(422, "bad_query");
            return;
        }
        for other in [sibling.bot(), foreign.bot()] {
            let answer = bot.client.get(&format!("{OF_PROJECT}?botId={other}"));
            answer.problem(422, "bad_query");
            answer.has_violations(&[("/botId", "bad_query")]);
        }
    }

    fn events_are_found_by_type(bot: &OnBot) {
        let skill = make(bot, "a");
        let _ = events_up_to(bot, &id(&skill));
        let found = |query: &str| {
            let events = bot.client.get(&format!("{}?{query}", path(bot.scheme))).items();
            types(&events).into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(found("types=skill.*"), ["skill.created"]);
        assert_eq!(found("types=bot.created,skill.created"), ["bot.created", "skill.created"]);
        assert_eq!(found("types=stage.*"), [""; 0]);
        assert_eq!(found("limit=1"), ["skill.created"]);
        for bad in ["skill", "skill.*,", "nope.*", "skill.gone"] {
            let answer = bot.client.get(&format!("{}?types={bad}", path(bot.scheme)));
            answer.problem(422, "bad_query");
            answer.has_violations(&[("/types", "bad_query")]);
        }
    }
}

each_database! {
    fn a_deleted_bot_is_an_event_of_its_project(app: &TestApp) {
        let tenant = app.tenant();
        let project = tenant.as_project();
        let bot = tenant.new_bot("bot");
        let as_bot = tenant.as_bot(bot);
        tenant.delete_bot(bot, DeleteMode::Archive);
        as_bot.get(OF_BOT).problem(404, "bot_not_found");
        tenant.restore_bot(bot);
        let _ = project.delete(&format!("{BOTS}/{bot}")).ok();
        as_bot.get(OF_BOT).problem(401, "unauthenticated");
        let of_bot = format!("{OF_PROJECT}?after=0&botId={bot}&types=bot");
        let deleted = format!("{of_bot}.deleted");
        let _ = wait_for_event(&project, &deleted, &bot.to_string());
        let events = project.get(&format!("{of_bot}.*")).items();
        let expected = ["bot.created", "bot.archived", "bot.restored", "bot.deleted"];
        assert_eq!(types(&events), expected);
    }
}
