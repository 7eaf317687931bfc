//! Which events there are of what services do, and how they are read and kept.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use crate::contract::events::{all_events, scope_of};
use crate::services::clean_up::{clean_up, own, put, rule};
use crate::services::crawl_service;
use crate::services::document_service::{
    assign, delete as delete_document, replace, upload, upload_to_bot,
};
use crate::services::extraction_runs::extract;
use crate::services::installation::Installation;
use crate::services::user_service::{create as create_user, delete as delete_users};
use crate::world::{OPERATOR, wait};
use domain::Limits;
use domain::access::{MintTarget, MintToken, Scheme, TokenOwner};
use domain::bot::{Bot, BotKind, DeleteMode};
use domain::clock::Clock as _;
use domain::error::DomainError;
use domain::event::{EventFilter, EventPage, EventTypes, EventsFrom, NumberedEvent};
use domain::feedback::Rating;
use domain::free_fields::FreeFields;
use domain::id::{BotId, TokenId};
use domain::recorder::{NewFeedback, NewUser, Record};
use domain::store::Store;
use domain::user::UserStats;

/// What is heard of an event: its type, whether it is of the bot, what it is about, and its data.
type Heard = (String, Option<BotId>, String, Value);

impl Installation {
    fn mint(&self, target: MintTarget) -> TokenId {
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
    pub fn heard(&self, seen: &mut u64) -> Vec<NumberedEvent> {
        let last = self.mint(MintTarget::Project(self.world.project.id));
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

    fn page(
        &self,
        filter: EventFilter,
        from: EventsFrom,
        limit: u32,
    ) -> Result<EventPage, DomainError> {
        let claim = self.world.claim_on_project();
        wait(self.botyard.events.page(&claim, filter, from, limit))
    }
}

fn short(events: &[NumberedEvent]) -> Vec<Heard> {
    let heard = events.iter().map(|NumberedEvent { event, .. }| {
        let data = serde_json::from_str(event.data.as_str()).unwrap();
        (event.event_type.as_str().to_owned(), event.bot_id, event.resource_id.clone(), data)
    });
    heard.collect()
}

fn of(bot: Option<BotId>, event_type: &str, about: impl ToString, data: Value) -> Heard {
    (event_type.to_owned(), bot, about.to_string(), data)
}

pub(crate) fn what_is_done_to_a_bot_is_heard(store: Arc<dyn Store>) {
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
    let own = |event_type, data| of(Some(bot), event_type, bot, data);
    assert_eq!(
        short(&installation.heard(&mut seen)),
        [
            own("bot.created", json!({})),
            own("bot.updated", json!({})),
            own("bot.duplicated", json!({"copyId": copy})),
            of(Some(copy), "bot.created", copy, json!({"originalId": bot})),
            own("bot.archived", json!({})),
            own("bot.restored", json!({})),
            own("bot.trashed", json!({})),
            own("bot.restored", json!({})),
            own("bot.deleted", json!({})),
        ]
    );
    // Its events stay when the bot is gone, and so can be asked for.
    assert_eq!(world.find(&made.bot), None);
    let filter = EventFilter { bot_id: Some(bot), ..EventFilter::default() };
    assert_eq!(installation.page(filter, EventsFrom::Oldest, 100).unwrap().events.len(), 8);

    // Bots that clients can't find are not heard of.
    for kind in [BotKind::Demo, BotKind::Template] {
        let body = installation.body(r#"{"name":"hidden"}"#);
        let hidden = wait(botyard.bots.create_hidden(OPERATOR, &project, body, kind)).unwrap();
        installation.mint(MintTarget::Bot(hidden.bot.id));
        let filter = EventFilter { bot_id: Some(hidden.bot.id), ..EventFilter::default() };
        let refused = installation.page(filter, EventsFrom::Latest, 1);
        assert!(matches!(refused, Err(DomainError::Invalid(_))));
    }
    assert_eq!(installation.heard(&mut seen), []);
}

pub(crate) fn what_is_done_to_the_content_of_a_bot_is_heard(store: Arc<dyn Store>) {
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
        of(Some(bot.id), event_type, about.to_string(), json!({}))
    };
    assert_eq!(
        short(&installation.heard(&mut seen)),
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

pub(crate) fn crawls_are_heard_from_their_begin_to_their_end(store: Arc<dyn Store>) {
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
    let own = |event_type, about, data| of(Some(bot.id), event_type, about, data);
    let heard = short(&installation.heard(&mut seen));
    let error = heard.iter().find(|heard| heard.0 == "crawl.failed").unwrap().3["error"].clone();
    assert!(error.is_string());
    assert_eq!(
        heard,
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
            of(Some(bot.id), "bot.archived", bot.id, json!({})),
        ]
    );
}

pub(crate) fn documents_are_heard_once_however_many_bots_have_them(store: Arc<dyn Store>) {
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
    let all = |event_type, data| of(None, event_type, document, data);
    let on = |bot: &Bot, event_type| of(Some(bot.id), event_type, document, json!({}));
    let heard = short(&installation.heard(&mut seen));
    let chunks = heard.iter().find(|heard| heard.0 == "document.extracted").unwrap().3.clone();
    assert!(chunks["chunkCount"].as_u64().unwrap() > 0, "{chunks}");
    assert_eq!(
        heard,
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
            of(None, "document.uploaded", through, json!({"size": 1})),
            of(Some(two.id), "document.assigned", through, json!({})),
        ]
    );
}

pub(crate) fn users_feedback_and_clean_ups_are_heard(store: Arc<dyn Store>) {
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
    let heard = short(&installation.heard(&mut seen));
    let others: Vec<_> = heard.iter().map(|heard| heard.2.clone()).collect();
    let own = |event_type, about: &dyn ToString, data| {
        of(Some(bot.id), event_type, about.to_string(), data)
    };
    assert_eq!(
        heard,
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
    assert_eq!(short(&installation.heard(&mut seen)), [of(None, "keyval.expired", rule, data)]);
}

pub(crate) fn tokens_are_heard_and_who_did_what(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let (botyard, world) = (&installation.botyard, &installation.world);
    let mut seen = 0;
    let bot = world.stored_bot("bot");
    let of_bot = installation.mint(MintTarget::Bot(bot.id));
    for _ in 0..2 {
        wait(botyard.access.revoke(OPERATOR, of_bot)).unwrap();
        installation.wait_until(Duration::from_secs(1));
    }
    let own = |event_type| of(Some(bot.id), event_type, of_bot, json!({}));
    let heard = installation.heard(&mut seen);
    assert_eq!(short(&heard), [own("token.minted"), own("token.revoked")]);
    assert!(heard.iter().all(|heard| heard.event.actor.is_none()));

    let token = world.token(TokenOwner::Bot(bot.id));
    world.store_token(&token);
    let principal = wait(botyard.access.authenticate(Scheme::Bot, token.digest)).unwrap();
    installation.create_skill(&principal.own_bot().unwrap(), r#"{"name":"s"}"#).unwrap();
    let heard = installation.heard(&mut seen).pop().unwrap().event;
    let actor = heard.actor.unwrap();
    assert_eq!((actor.token_id, actor.scheme), (token.id, Scheme::Bot));
    assert_eq!(heard.at, installation.clock.now());
}

pub(crate) fn events_are_read_on_from_a_cursor(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let bots = [world.stored_bot("one"), world.stored_bot("two")];
    let nothing = installation.page(EventFilter::default(), EventsFrom::Latest, 5).unwrap();
    assert_eq!(nothing, EventPage::default());
    let oldest = installation.page(EventFilter::default(), EventsFrom::Oldest, 5).unwrap();
    assert_eq!(oldest, EventPage::default());
    for number in 0..6 {
        let bot = &bots[number % 2];
        let skill = format!(r#"{{"name":"{number}"}}"#);
        installation.create_skill(&world.claim(bot), &skill).unwrap();
    }
    all_events(world, &world.project, 6);
    let numbers = |filter, from, limit| {
        let page = installation.page(filter, from, limit).unwrap();
        let numbers: Vec<_> = page.events.iter().map(|found| found.number).collect();
        (numbers, page.looked_at, page.has_more)
    };
    let all = EventFilter::default();
    for (from, limit, expected) in [
        (EventsFrom::Latest, 2, (vec![5, 6], 6, false)),
        (EventsFrom::Latest, 9, (vec![1, 2, 3, 4, 5, 6], 6, false)),
        (EventsFrom::Oldest, 2, (vec![1, 2], 2, true)),
        (EventsFrom::Oldest, 6, (vec![1, 2, 3, 4, 5, 6], 6, false)),
        (EventsFrom::After(4), 1, (vec![5], 5, true)),
        (EventsFrom::After(4), 2, (vec![5, 6], 6, false)),
        (EventsFrom::After(6), 2, (vec![], 6, false)),
    ] {
        assert_eq!(numbers(all, from, limit), expected, "{from:?} {limit}");
    }
    let of_two = EventFilter { bot_id: Some(bots[1].id), ..all };
    assert_eq!(numbers(of_two, EventsFrom::Latest, 2), (vec![4, 6], 6, false));
    assert_eq!(numbers(of_two, EventsFrom::Oldest, 2), (vec![2, 4], 4, true));
    let none = EventFilter { types: EventTypes::parse("bot.*").unwrap(), ..all };
    assert_eq!(numbers(none, EventsFrom::After(2), 2), (vec![], 6, false));
    for bot in [world.bot("gone"), world.bot_of(&world.other_project())] {
        let foreign = EventFilter { bot_id: Some(bot.id), ..all };
        let refused = installation.page(foreign, EventsFrom::Latest, 1);
        assert!(matches!(refused, Err(DomainError::Invalid(_))));
    }
    for number in [7, u64::MAX] {
        let refused = installation.page(all, EventsFrom::After(number), 1);
        assert_eq!(refused, Err(DomainError::CursorExpired(0)), "{number}");
    }
    // A bot's reader sees what happened to the bot, whatever the filter says.
    let events = &installation.botyard.events;
    let foreign = EventFilter { bot_id: Some(bots[1].id), ..all };
    let page = wait(events.page_of_bot(&world.claim(&bots[0]), foreign, EventsFrom::Oldest, 9));
    let numbers: Vec<_> = page.unwrap().events.iter().map(|found| found.number).collect();
    assert_eq!(numbers, [1, 3, 5]);
    assert_eq!(scope_of(&world.project).project_id(), world.project.id);
}

pub(crate) fn old_events_go_and_readers_learn_of_it(store: Arc<dyn Store>) {
    let limits = Limits {
        events_keep: Duration::from_secs(100),
        events_per_project: 4,
        ..Limits::default()
    };
    let installation = Installation::with(store, limits);
    let world = &installation.world;
    let bot = world.stored_bot("bot");
    let trim = || wait(installation.botyard.events.trim(OPERATOR)).unwrap();
    for second in 0..6 {
        installation.wait_until(Duration::from_secs(second * 30));
        let skill = format!(r#"{{"name":"{second}"}}"#);
        installation.create_skill(&world.claim(&bot), &skill).unwrap();
    }
    all_events(world, &world.project, 6);
    // It is 150 seconds later: two are surplus, of which one is old as well.
    trim();
    let all = EventFilter::default();
    let page = |from| installation.page(all, from, 9);
    let numbers =
        |page: EventPage| page.events.iter().map(|found| found.number).collect::<Vec<_>>();
    assert_eq!(numbers(page(EventsFrom::Oldest).unwrap()), [3, 4, 5, 6]);
    assert_eq!(page(EventsFrom::After(1)), Err(DomainError::CursorExpired(2)));
    assert_eq!(numbers(page(EventsFrom::After(2)).unwrap()), [3, 4, 5, 6]);
    // Nothing new has happened since, so the project has to be found.
    installation.wait_until(Duration::from_secs(1_000));
    assert_eq!(trim(), 0);
    wait(installation.botyard.events.find_all(OPERATOR)).unwrap();
    trim();
    assert_eq!(numbers(page(EventsFrom::Oldest).unwrap()), [6]);
    assert_eq!(page(EventsFrom::After(4)), Err(DomainError::CursorExpired(5)));
    installation.create_skill(&world.claim(&bot), r#"{"name":"s"}"#).unwrap();
    all_events(world, &world.project, 7);
    assert_eq!(numbers(page(EventsFrom::After(6)).unwrap()), [7]);
}
