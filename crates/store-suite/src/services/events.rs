//! Which events there are of what services do, and how they are read and kept.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use crate::contract::events::all_events;
use crate::services::clean_up::{clean_up, own, put, rule};
use crate::services::crawl_service;
use crate::services::document_service::{
    assign, delete as delete_document, replace, upload, upload_to_bot,
};
use crate::services::extraction_runs::extract;
use crate::services::installation::Installation;
use crate::services::user_service::{create as create_user, delete as delete_users};
use crate::world::{OPERATOR, wait};
use domain::access::{MintToken, Scheme, TokenOwner, TokenTarget};
use domain::bot::{Bot, BotKind, DeleteMode};
use domain::clock::Clock as _;
use domain::error::DomainError;
use domain::event::{EventFilter, EventsFrom, NumberedEvent};
use domain::feedback::Rating;
use domain::free_fields::FreeFields;
use domain::id::{BotId, TokenId};
use domain::recorder::{NewFeedback, NewUser, Record};
use domain::store::Store;
use domain::user::UserStats;

/// What is compared of an event: its type, whether it is of the bot, what it is about, and its data.
type Summary = (String, Option<BotId>, String, Value);

impl Installation {
    fn mint(&self, target: TokenTarget) -> TokenId {
        let request = MintToken {
            target,
            name: "token".to_owned(),
            scopes: None,
            read_only: false,
            expires_in: None,
        };
        wait(self.botyard.access.mint(OPERATOR, request)).unwrap().token.id
    }

    /// All events since the last call, in their order: once the last one is there, so are those before it.
    pub fn new_events(&self, seen: &mut u64) -> Vec<NumberedEvent> {
        let last = self.mint(TokenTarget::Project(self.world.project.id));
        let mut count = *seen + 1;
        loop {
            let events = all_events(&self.world, &self.world.project, count);
            count = events.last().unwrap().number + 1;
            if events.last().unwrap().event.resource_id == last.to_string() {
                let new =
                    events.into_iter().filter(|found| found.number > *seen).collect::<Vec<_>>();
                let (marker, new) = new.split_last().unwrap();
                *seen = marker.number;
                return new.to_vec();
            }
        }
    }
}

fn summaries(events: &[NumberedEvent]) -> Vec<Summary> {
    let events = events.iter().map(|NumberedEvent { event, .. }| {
        let data = serde_json::from_str(event.data.as_str()).unwrap();
        (event.event_type.as_str().to_owned(), event.bot_id, event.resource_id.clone(), data)
    });
    events.collect()
}

fn summary(bot: Option<BotId>, event_type: &str, about: impl ToString, data: Value) -> Summary {
    (event_type.to_owned(), bot, about.to_string(), data)
}

pub(crate) fn changes_of_a_bot_are_events(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let (botyard, world) = (&installation.botyard, &installation.world);
    let mut seen = 0;
    let project = world.claim_on_project();
    let made = wait(botyard.bots.create(&project, installation.body(r#"{"name":"b"}"#))).unwrap();
    let bot = made.bot.id;
    let claim = world.claim(&made.bot);
    for name in ["c", "c"] {
        let body = installation.body(&format!(r#"{{"name":"{name}"}}"#));
        wait(botyard.bots.update(&claim, body)).unwrap();
    }
    let copy = wait(botyard.bots.duplicate(&claim, installation.body("{}"))).unwrap().bot.id;
    for mode in [DeleteMode::Archive, DeleteMode::Trash] {
        wait(botyard.bots.delete(&claim, mode)).unwrap();
        wait(botyard.bots.restore(OPERATOR, bot)).unwrap();
    }
    wait(botyard.bots.delete(&claim, DeleteMode::Delete)).unwrap();
    installation.work();
    let own = |event_type, data| summary(Some(bot), event_type, bot, data);
    assert_eq!(
        summaries(&installation.new_events(&mut seen)),
        [
            own("bot.created", json!({})),
            own("bot.updated", json!({})),
            own("bot.duplicated", json!({"copyId": copy})),
            summary(Some(copy), "bot.created", copy, json!({"originalId": bot})),
            own("bot.archived", json!({})),
            own("bot.restored", json!({})),
            own("bot.trashed", json!({})),
            own("bot.restored", json!({})),
            own("bot.deleted", json!({})),
        ]
    );
    // Its events stay when the bot is gone, and so can be asked for.
    assert_eq!(world.summary(&made.bot), None);
    let filter = EventFilter { bot_id: Some(bot), ..EventFilter::default() };
    assert_eq!(installation.page(filter, EventsFrom::Oldest, 100).unwrap().events.len(), 8);

    // Bots that clients can't find have no events.
    for kind in [BotKind::Demo, BotKind::Template] {
        let body = installation.body(r#"{"name":"hidden"}"#);
        let hidden = wait(botyard.bots.create_hidden(OPERATOR, &project, body, kind)).unwrap();
        installation.mint(TokenTarget::Bot(hidden.bot.id));
        let filter = EventFilter { bot_id: Some(hidden.bot.id), ..EventFilter::default() };
        let refused = installation.page(filter, EventsFrom::Latest, 1);
        assert!(matches!(refused, Err(DomainError::Invalid(_))));
    }
    assert_eq!(installation.new_events(&mut seen), []);
}

pub(crate) fn changes_of_the_content_of_a_bot_are_events(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let (botyard, world) = (&installation.botyard, &installation.world);
    let mut seen = 0;
    let bot = world.stored_bot("bot");
    let claim = world.claim(&bot);
    let skill = installation.create_skill(&claim, r#"{"name":"s"}"#).unwrap();
    let update = installation.body(r#"{"name":"t"}"#);
    wait(botyard.skills.update(&claim, skill.id.to_string(), update)).unwrap();
    wait(botyard.skills.delete(&claim, skill.id.to_string())).unwrap();
    let stage = installation.create_stage(&claim, r#"{"title":"s","name":"s"}"#);
    let update = installation.body(r#"{"title":"t"}"#);
    wait(botyard.stages.update(&claim, stage.id, update)).unwrap();
    wait(botyard.stages.delete(&claim, stage.id)).unwrap();
    let view = installation.create_view(&claim);
    installation.upload(&claim, &view, "content").unwrap();
    let update = installation.body(r#"{"title":"t"}"#);
    wait(botyard.fusion.update(&claim, view.id, update)).unwrap();
    wait(botyard.fusion.delete(&claim, view.id)).unwrap();
    let own = |event_type, about: &dyn ToString| {
        summary(Some(bot.id), event_type, about.to_string(), json!({}))
    };
    assert_eq!(
        summaries(&installation.new_events(&mut seen)),
        [
            own("skill.created", &skill.id),
            own("skill.updated", &skill.id),
            own("skill.deleted", &skill.id),
            own("stage.created", &stage.id),
            own("stage.updated", &stage.id),
            own("stage.deleted", &stage.id),
            own("fusion.created", &view.id),
            own("fusion.package_uploaded", &view.id),
            own("fusion.updated", &view.id),
            own("fusion.deleted", &view.id),
        ]
    );
}

pub(crate) fn a_crawl_has_events_from_its_start_to_its_end(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let (botyard, world, site) = (&installation.botyard, &installation.world, &installation.site);
    let mut seen = 0;
    let bot = world.stored_bot("bot");
    let claim = world.claim(&bot);
    let create = |path: &str| crawl_service::create(&installation, &bot, path, "").unwrap().id;
    site.page("there", &[]);
    let finished = create("there");
    installation.work();
    let update = installation.body(r#"{"name":"n"}"#);
    wait(botyard.crawls.update(&claim, finished, update)).unwrap();
    wait(botyard.crawls.delete(&claim, finished)).unwrap();
    let failed = create("missing");
    installation.work();
    let cancelled = create("there");
    wait(botyard.bots.delete(&claim, DeleteMode::Archive)).unwrap();
    let own = |event_type, about, data| summary(Some(bot.id), event_type, about, data);
    let events = summaries(&installation.new_events(&mut seen));
    let error = events.iter().find(|event| event.0 == "crawl.failed").unwrap().3["error"].clone();
    assert!(error.is_string());
    assert_eq!(
        events,
        [
            own("crawl.created", finished, json!({})),
            own("crawl.started", finished, json!({})),
            own("crawl.finished", finished, json!({"pagesScraped": 1, "pagesFailed": 0})),
            own("crawl.updated", finished, json!({})),
            own("crawl.deleted", finished, json!({})),
            own("crawl.created", failed, json!({})),
            own("crawl.started", failed, json!({})),
            own(
                "crawl.failed",
                failed,
                json!({"pagesScraped": 0, "pagesFailed": 1, "error": error}),
            ),
            own("crawl.created", cancelled, json!({})),
            own("crawl.cancelled", cancelled, json!({})),
            summary(Some(bot.id), "bot.archived", bot.id, json!({})),
        ]
    );
}

pub(crate) fn a_document_has_one_event_however_many_bots_have_it(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let (botyard, world) = (&installation.botyard, &installation.world);
    let mut seen = 0;
    let (one, two) = (world.stored_bot("one"), world.stored_bot("two"));
    let document = upload(&installation, "a.txt", "a\nb").id;
    installation.work();
    for bot in [&one, &two] {
        assign(&installation, &world.claim(bot), &[document.to_string()]).unwrap();
        // One that the bot has already is not assigned again.
        assign(&installation, &world.claim(bot), &[document.to_string()]).unwrap();
    }
    replace(&installation, document, "b.txt", "a\n\n!timeout", &[]).unwrap();
    installation.work();
    let unassign = installation.body(&json!({ "docIds": [document] }).to_string());
    wait(botyard.documents.unassign(&world.claim(&two), unassign)).unwrap();
    extract(&installation, document, "{}");
    delete_document(&installation, document).unwrap();
    installation.work();
    let through = upload_to_bot(&installation, &two, "c").document.id;
    let all = |event_type, data| summary(None, event_type, document, data);
    let on = |bot: &Bot, event_type| summary(Some(bot.id), event_type, document, json!({}));
    let events = summaries(&installation.new_events(&mut seen));
    let chunks = events.iter().find(|event| event.0 == "document.extracted").unwrap().3.clone();
    assert!(chunks["chunkCount"].as_u64().unwrap() > 0, "{chunks}");
    assert_eq!(
        events,
        [
            all("document.uploaded", json!({"size": 3})),
            all("document.extracted", chunks),
            on(&one, "document.assigned"),
            on(&two, "document.assigned"),
            all("document.replaced", json!({"size": 11})),
            all("document.extraction_failed", json!({"error": "timeout"})),
            on(&two, "document.unassigned"),
            all("document.extraction_requested", json!({})),
            on(&one, "document.unassigned"),
            all("document.deleted", json!({})),
            summary(None, "document.uploaded", through, json!({"size": 1})),
            summary(Some(two.id), "document.assigned", through, json!({})),
        ]
    );
}

pub(crate) fn users_feedback_and_clean_ups_have_events(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let (botyard, world) = (&installation.botyard, &installation.world);
    let mut seen = 0;
    let bot = world.stored_bot("bot");
    let claim = world.claim(&bot);
    let user = create_user(&installation, &bot, r#"{"guestId":"g"}"#).unwrap();
    let body = json!({ "userId": user.id, "name": "N" }).to_string();
    wait(botyard.users.update(&claim, installation.body(&body))).unwrap();
    delete_users(&installation, &bot, &[&user]).unwrap();
    let new_user = |guest_id: &str| -> Record {
        let user = NewUser {
            guest_id: guest_id.to_owned(),
            fields: FreeFields::default(),
            stats: UserStats::default(),
            created_at: None,
        };
        user.try_into().unwrap()
    };
    wait(botyard.recorder.record(&claim, vec![new_user("a")])).unwrap();
    wait(botyard.recorder.record(&claim, vec![new_user("b"), new_user("c")])).unwrap();
    let many = (0..101).map(|number| new_user(&format!("u{number}"))).collect();
    wait(botyard.recorder.record(&claim, many)).unwrap();
    let feedback = NewFeedback {
        message_id: "m".to_owned(),
        user_id: None,
        rating: Rating::Up,
        comment: None,
        question: None,
        answer: None,
        created_at: None,
    };
    let feedback = || -> Record { feedback.clone().try_into().unwrap() };
    wait(botyard.recorder.record(&claim, vec![feedback()])).unwrap();
    wait(botyard.recorder.record(&claim, (0..101).map(|_| feedback()).collect())).unwrap();
    let project = world.claim_on_project();
    let keys = own(world);
    for key in ["a", "b"] {
        put(botyard, &keys, key);
    }
    let rule = rule(&installation, &project, r#"{"keyPattern":"*","maxAgeSeconds":10}"#).id;
    installation.wait_until(Duration::from_secs(13));
    let events = summaries(&installation.new_events(&mut seen));
    let others: Vec<_> = events.iter().map(|event| event.2.clone()).collect();
    let own = |event_type, about: &dyn ToString, data| {
        summary(Some(bot.id), event_type, about.to_string(), data)
    };
    assert_eq!(
        events,
        [
            own("user.created", &user.id, json!({})),
            own("user.updated", &user.id, json!({})),
            own("user.deleted", &user.id, json!({})),
            own("user.created", &others[3], json!({})),
            own("user.created", &others[4], json!({})),
            own("user.created", &others[5], json!({})),
            own("users.imported", &bot.id, json!({"count": 101})),
            own("feedback.created", &others[7], json!({})),
            own("feedback.imported", &bot.id, json!({"count": 101})),
        ]
    );
    assert_eq!(clean_up(&installation, botyard), 2);
    let data = json!({"ruleId": rule, "count": 2});
    assert_eq!(
        summaries(&installation.new_events(&mut seen)),
        [summary(None, "keyval.expired", rule, data)]
    );
}

pub(crate) fn tokens_have_events_and_actors_are_named(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let (botyard, world) = (&installation.botyard, &installation.world);
    let mut seen = 0;
    let bot = world.stored_bot("bot");
    let of_bot = installation.mint(TokenTarget::Bot(bot.id));
    for _ in 0..2 {
        wait(botyard.access.revoke(OPERATOR, of_bot)).unwrap();
        installation.wait_until(Duration::from_secs(1));
    }
    let own = |event_type| summary(Some(bot.id), event_type, of_bot, json!({}));
    let events = installation.new_events(&mut seen);
    assert_eq!(summaries(&events), [own("token.minted"), own("token.revoked")]);
    assert!(events.iter().all(|event| event.event.actor.is_none()));

    let token = world.token(TokenOwner::Bot(bot.id));
    world.store_token(&token);
    let principal = wait(botyard.access.authenticate(Scheme::Bot, token.digest)).unwrap();
    installation.create_skill(&principal.own_bot().unwrap(), r#"{"name":"s"}"#).unwrap();
    let event = installation.new_events(&mut seen).pop().unwrap().event;
    let actor = event.actor.unwrap();
    assert_eq!((actor.token_id, actor.scheme), (token.id, Scheme::Bot));
    assert_eq!(event.at, installation.clock.now());
}
