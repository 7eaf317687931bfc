//! Lists that are sorted, searched, filtered and counted: they are what a search through the whole list finds.

use std::sync::Arc;
use std::time::Duration;

use crate::contract::users::user;
use crate::samples::documents::{document, file_blob, store_document};
use crate::services::crawl_service;
use crate::services::document_service::assign;
use crate::services::installation::Installation;
use crate::services::list_search::{ListOf, NAMES, each_second, list_of, named};
use crate::services::user_service;
use crate::world::{at, wait};
use domain::bot::{BotWithTokens, DeleteMode};
use domain::crawl::{CrawlFilter, CrawlStatus, WebsiteCrawl};
use domain::document::{DocumentFilter, DocumentOnBots, ExtractionStatus};
use domain::error::DomainError;
use domain::fusion::FusionView;
use domain::list::{ListPosition, ListQuery, Listed, Search, Sort, SortField, SortKey};
use domain::skill::Skill;
use domain::stage::Stage;
use domain::store::Store;
use domain::user::User;

pub(crate) fn skills_and_stages_are_found(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let (bot, other) = (installation.world.stored_bot("bot"), installation.world.stored_bot("b"));
    let (claim, botyard) = (&installation.world.claim(&bot), &installation.botyard);
    each_second(&installation, |name| {
        installation.create_skill(claim, &named(name)).unwrap();
        installation.create_skill(&installation.world.claim(&other), &named(name)).unwrap();
        // Stages may have the same name.
        let first = name.chars().next().unwrap().to_uppercase().to_string();
        let stage = serde_json::json!({ "name": first, "title": name });
        installation.create_stage(claim, &stage.to_string());
    });
    let skills = list_of!(botyard.skills, claim, |skill: &Skill| vec![skill.fields.name.clone()]);
    assert!(skills.check() > 20);
    let stages = list_of!(botyard.stages, claim, |stage: &Stage| {
        vec![stage.fields.name.clone(), stage.fields.title.clone()]
    });
    assert!(stages.check() > 20);
    // Stages come with their scripts in whichever order.
    let script = "x".repeat(300 << 10);
    for stage in stages.read_all(&ListQuery::default(), 500) {
        let update = serde_json::json!({ "enterJS": format!("{script}{}", stage.id) });
        let update = installation.body(&update.to_string());
        wait(botyard.stages.update(claim, stage.id, update)).unwrap();
    }
    for sort in Stage::SORTS.sorts {
        let query = ListQuery::default().sorted(*sort).unwrap();
        let found = stages.read_all(&query, 500);
        assert_eq!(found.len(), NAMES.len());
        for stage in found {
            assert_eq!(stage.fields.enter_js, Some(format!("{script}{}", stage.id)), "{sort:?}");
        }
        assert!((stages.page)(&query, None, 500).0.len() < NAMES.len(), "a part is small");
    }
    // What changes moves to the end of those that changed.
    installation.wait_until(Duration::from_secs(100));
    let (first, _) = (skills.page)(&ListQuery::default(), None, 1);
    let update = installation.body(r#"{"enabled":false}"#);
    wait(botyard.skills.update(claim, first[0].id.to_string(), update)).unwrap();
    let by_update = Sort::ascending(SortField::UpdatedAt);
    let mut changed = ListQuery::<Skill>::default().sorted(by_update).unwrap();
    changed.updated_since = Some(at(100_000));
    let (found, next) = (skills.page)(&changed, None, 9);
    assert_eq!((found.len(), found[0].id, next), (1, first[0].id, None));
    assert!(skills.check() > 20);
}

pub(crate) fn views_and_bots_are_found(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let bot = installation.world.stored_bot("bot");
    let (claim, botyard) = (&installation.world.claim(&bot), &installation.botyard);
    let project = &installation.world.claim_on_project();
    each_second(&installation, |name| {
        let view = serde_json::json!({ "type": "t", "title": name }).to_string();
        wait(botyard.fusion.create(claim, installation.body(&view))).unwrap();
        wait(botyard.bots.create(project, installation.body(&named(name)))).unwrap();
    });
    let views = list_of!(botyard.fusion, claim, |view: &FusionView| vec![view.title.clone()]);
    assert!(views.check() > 20);
    let archived = installation.world.stored_bot("Ada of the archive");
    let archived = installation.world.claim(&archived);
    wait(botyard.bots.delete(&archived, DeleteMode::Archive)).unwrap();
    let bots = list_of!(botyard.bots, project, |bot: &BotWithTokens| {
        vec![bot.bot.config.name.clone()]
    });
    assert!(bots.check() > 20);
    assert_eq!((bots.count)(&ListQuery::default()), Some(9));
}

pub(crate) fn users_are_found(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let bot = installation.world.stored_bot("bot");
    let (claim, botyard) = (&installation.world.claim(&bot), &installation.botyard);
    let mut number = 0;
    each_second(&installation, |name| {
        number += 1;
        let body = match number % 4 {
            0 => serde_json::json!({ "guestId": name, "name": {"first": "ada"} }),
            1 => serde_json::json!({ "guestId": format!("g{}", 9 - number), "name": name }),
            2 => serde_json::json!({ "guestId": name, "name": 7 }),
            _ => serde_json::json!({ "guestId": name }),
        };
        user_service::create(&installation, &bot, &body.to_string()).unwrap();
    });
    // The name counts if it is a text.
    let users = list_of!(botyard.users, claim, |user: &User| {
        let name = serde_json::to_value(&user.fields).unwrap();
        let name = name["name"].as_str().map(str::to_owned);
        name.into_iter().chain([user.guest_id.clone()]).collect()
    });
    assert!(users.check() > 20);
    let everyone = users.read_all(&ListQuery::default(), 500);
    user_service::delete(&installation, &bot, &[&everyone[0]]).unwrap();
    assert!(users.check() > 20);
}

/// More than one unit of work looks at.
pub(crate) fn a_few_of_many_are_found(store: Arc<dyn Store>) {
    const MANY: usize = 1_250;
    const SOUGHT: [usize; 5] = [0, 499, 500, 777, 1_249];
    let installation = Installation::new(store);
    let world = &installation.world;
    let bot = world.stored_bot("bot");
    let (claim, botyard) = (&world.claim(&bot), &installation.botyard);
    let users: Vec<_> = (0..MANY)
        .map(|number| {
            let name = if SOUGHT.contains(&number) { "Sought" } else { "g" };
            User {
                updated_at: at(if number % 2 == 0 { 10 } else { 20 }),
                ..user(world, &bot, &format!("{number:04} {name}"))
            }
        })
        .collect();
    let (scope, stored) = (world.scope(&bot), users.clone());
    world.write(move |tx| {
        Ok(stored.iter().try_for_each(|user| tx.insert_user(&scope, user).map(|_| ()))?)
    });
    let list = list_of!(botyard.users, claim, |user: &User| vec![user.guest_id.clone()]);
    let sought = |sort: Sort, since: Option<i64>| {
        let mut query = ListQuery::<User>::default().sorted(sort).unwrap();
        query.search = Search::of("SOUGHT");
        query.updated_since = since.map(at);
        query
    };
    let of = |places: &[usize]| -> Vec<_> { places.iter().map(|at| users[*at].id).collect() };
    let ids = |users: Vec<User>| -> Vec<_> { users.iter().map(|user| user.id).collect() };
    let by_name = Sort::ascending(SortField::Name);
    for limit in [1, 2, 500, u32::MAX] {
        for (sort, since, places) in [
            (Sort::OLDEST_FIRST, None, &SOUGHT[..]),
            (by_name, None, &SOUGHT),
            (Sort::descending(SortField::Name), None, &[1_249, 777, 500, 499, 0]),
            (by_name, Some(20), &[499, 777, 1_249]),
            (Sort::ascending(SortField::UpdatedAt), Some(20), &[499, 777, 1_249]),
            (by_name, Some(21), &[]),
        ] {
            let query = sought(sort, since);
            assert_eq!(ids(list.read_all(&query, limit)), of(places), "{sort:?} {limit}");
            assert_eq!((list.count)(&query), Some(places.len() as u32), "{sort:?}");
        }
    }
    // Where nothing is found, there is a position to go on from.
    let (none, next) = (list.page)(&sought(by_name, Some(21)), None, 10);
    assert!(none.is_empty() && next.is_some());
    let mut late = ListQuery::<User>::default().sorted(by_name).unwrap();
    late.updated_since = Some(at(20));
    assert_eq!(list.read_all(&late, 7).len(), MANY / 2);
    assert_eq!((list.count)(&late), Some(MANY as u32 / 2));
}

pub(crate) fn what_ignores_case_is_found_on_every_store(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let bot = installation.world.stored_bot("bot");
    let (claim, skills) = (&installation.world.claim(&bot), &installation.botyard.skills);
    for name in ["Straße", "STRAẞE 2", "ΟΔΟΣ", "100 %", "a_b"] {
        installation.create_skill(claim, &named(name)).unwrap();
    }
    for (search, expected) in [
        ("strasse", &["Straße", "STRAẞE 2"][..]),
        ("STRAẞE", &["Straße", "STRAẞE 2"]),
        ("οδος", &["ΟΔΟΣ"]),
        ("%", &["100 %"]),
        ("_", &["a_b"]),
        ("axb", &[]),
    ] {
        let mut query = ListQuery::default();
        query.search = Search::of(search);
        let (found, _) = wait(skills.page(claim, &query, None, 9)).unwrap();
        let names: Vec<_> = found.iter().map(|skill| skill.fields.name.as_str()).collect();
        assert_eq!(names, expected, "{search}");
    }
}

pub(crate) fn crawls_are_found_by_their_status(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let bot = world.stored_bot("bot");
    let (claim, botyard) = (&world.claim(&bot), &installation.botyard);
    let mut number = 0;
    each_second(&installation, |name| {
        number += 1;
        let more = format!(r#","name":{}"#, serde_json::json!(name));
        let path = if number == 2 { "ADA".to_owned() } else { number.to_string() };
        let crawl = crawl_service::create(&installation, &bot, &path, &more).unwrap();
        let status = [CrawlStatus::Queued, CrawlStatus::Finished, CrawlStatus::Failed][number % 3];
        let progress = domain::crawl::CrawlProgress {
            status,
            finished_at: (status != CrawlStatus::Queued).then(|| at(0)),
            ..domain::crawl::CrawlProgress::QUEUED
        };
        let scope = world.scope(&bot);
        world.write(move |tx| Ok(tx.update_crawl_progress(&scope, crawl.id, &progress)?));
    });
    let crawls = list_of!(botyard.crawls, claim, |crawl: &WebsiteCrawl| {
        vec![crawl.fields.name.clone(), crawl.url.as_str().to_owned()]
    });
    assert!(crawls.check() > 20);
    for status in [CrawlStatus::Queued, CrawlStatus::Failed] {
        let is_expected = |crawl: &WebsiteCrawl| crawl.progress.status == status;
        assert!(
            crawls.check_filter(&CrawlFilter { status: Some(status) }, is_expected) > 5,
            "{status:?}"
        );
    }
    let none = CrawlFilter { status: Some(CrawlStatus::Cancelled) };
    assert_eq!(crawls.check_filter(&none, |_| false), 0);
}

pub(crate) fn documents_are_found_by_what_they_have(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let bots = ["one", "two", "gone"].map(|name| world.stored_bot(name));
    let (project, botyard) = (&world.claim_on_project(), &installation.botyard);
    let mut number: u8 = 0;
    each_second(&installation, |name| {
        number += 1;
        let blob = file_blob(world, &bots[0], number);
        let mut document = document(world, &blob);
        document.file.file_name = name.to_owned();
        document.file.mime_type =
            ["text/plain", "text/markdown"][usize::from(number % 2)].to_owned();
        document.updated_at = at(i64::from(number) * 700);
        store_document(world, &document);
        if let Some(bot) = bots.get(usize::from(number % 5)) {
            assign(&installation, &world.claim(bot), &[document.id.to_string()]).unwrap();
        }
    });
    wait(botyard.bots.delete(&world.claim(&bots[2]), DeleteMode::Archive)).unwrap();
    let documents = list_of!(botyard.documents, project, |document: &DocumentOnBots| {
        vec![document.document.file.file_name.clone()]
    });
    let all = DocumentFilter::default();
    assert!(documents.check() > 20);
    for assigned in [true, false] {
        let filter = DocumentFilter { assigned: Some(assigned), ..all.clone() };
        let is_expected = |document: &DocumentOnBots| document.bot_ids.is_empty() != assigned;
        assert!(documents.check_filter(&filter, is_expected) > 10, "{assigned}");
    }
    for (bot, expected) in bots.iter().zip([true, true, false]) {
        let filter = DocumentFilter { bot_id: Some(bot.id), ..all.clone() };
        let is_expected = |document: &DocumentOnBots| document.bot_ids.contains(&bot.id);
        assert_eq!(documents.check_filter(&filter, is_expected) > 5, expected);
    }
    let mime_type = "text/markdown".to_owned();
    let filter = DocumentFilter { mime_type: Some(mime_type.clone()), ..all.clone() };
    let is_expected = |document: &DocumentOnBots| document.document.file.mime_type == mime_type;
    assert!(documents.check_filter(&filter, is_expected) > 10);
    for status in [ExtractionStatus::None, ExtractionStatus::Failed] {
        let filter = DocumentFilter { status: Some(status), ..all.clone() };
        let is_expected = |document: &DocumentOnBots| document.document.extraction.status == status;
        let found = documents.check_filter(&filter, is_expected);
        assert_eq!(found > 10, status == ExtractionStatus::None);
    }
    // Of two filters, one is checked item by item.
    let combined = DocumentFilter {
        status: Some(ExtractionStatus::None),
        mime_type: Some(mime_type.clone()),
        ..all.clone()
    };
    let is_expected = |document: &DocumentOnBots| document.document.file.mime_type == mime_type;
    assert!(documents.check_filter(&combined, is_expected) > 10);
    let both = DocumentFilter { bot_id: Some(bots[0].id), assigned: Some(false), ..all };
    assert_eq!(documents.check_filter(&both, |_| false), 0);
}

pub(crate) fn a_position_of_another_order_is_refused(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let bot = installation.world.stored_bot("bot");
    let (claim, skills) = (&installation.world.claim(&bot), &installation.botyard.skills);
    let skill = installation.create_skill(claim, &named("a")).unwrap();
    let by_name = ListQuery::default().sorted(Sort::ascending(SortField::Name)).unwrap();
    let by_id = ListPosition::of(skill.id);
    let by_time = ListPosition { key: Some(SortKey::Number(7)), id: skill.id };
    for (query, position) in
        [(by_name.clone(), by_id), (by_name, by_time.clone()), (ListQuery::default(), by_time)]
    {
        let answer = wait(skills.page(claim, &query, Some(position), 9));
        assert!(matches!(answer, Err(DomainError::Refused(_))), "{answer:?}");
    }
    assert!(ListQuery::<Skill>::default().sorted(Sort::ascending(SortField::Size)).is_none());
    let nul = ListPosition { key: Some("a\0".into()), id: skill.id };
    let by_name = ListQuery::default().sorted(Sort::ascending(SortField::Name)).unwrap();
    let answer = wait(skills.page(claim, &by_name, Some(nul), 9));
    assert!(matches!(answer, Err(DomainError::Refused(_))), "{answer:?}");
    assert_eq!(wait(skills.page(claim, &by_name, None, 0)), Ok((Vec::new(), None)));
    let filter = DocumentFilter { mime_type: Some("\0".to_owned()), ..Default::default() };
    let mut query = ListQuery::default();
    query.filter = filter;
    let documents = &installation.botyard.documents;
    let answer = wait(documents.page(&installation.world.claim_on_project(), &query, None, 9));
    assert!(matches!(answer, Err(DomainError::Refused(_))), "{answer:?}");
}
