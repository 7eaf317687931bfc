//! What clients do with website-crawls.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use crate::contract::crawls::all_crawls;
use crate::contract::page_sets::has_pages;
use crate::services::installation::Installation;
use crate::world::{at, together, wait};
use domain::Limits;
use domain::bot::Bot;
use domain::crawl::REMOVE_PAGE_SET;
use domain::crawl::{CRAWL, CrawlFields, CrawlStatus, WebsiteCrawl};
use domain::error::{Busy, DomainError, Quota, Resource};
use domain::id::CrawlId;
use domain::list::ListQuery;
use domain::store::Store;

/// Asks for a crawl of the site that begins with this page.
pub(crate) fn create(
    installation: &Installation,
    bot: &Bot,
    path: &str,
    more: &str,
) -> Result<WebsiteCrawl, DomainError> {
    let claim = installation.world.claim(bot);
    let body = installation.body(&format!(r#"{{"url":"http://site.example/{path}"{more}}}"#));
    wait(installation.botyard.crawls.create(&claim, body))
}

pub(crate) fn a_crawl_is_begun_once_however_many_ask(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    let answers = together(50, |number| {
        // Other fields make no other crawl.
        let name = format!(r#","name":"{number}""#);
        create(&installation, &bot, "page", &name).unwrap()
    });
    let ids: HashSet<_> = answers.iter().map(|crawl| crawl.id).collect();
    assert_eq!(ids.len(), 1);
    assert_eq!(all_crawls(world, &bot), answers[..1]);
    assert_eq!((installation.jobs().len(), installation.changelog_entries(&bot).len()), (1, 1));
    assert_ne!(create(&installation, &bot, "", "").unwrap().id, answers[0].id);
    assert_ne!(create(&installation, &neighbour, "page", "").unwrap().id, answers[0].id);

    // The same address, however it is written; and anew, once it was crawled.
    assert_eq!(create(&installation, &bot, "x/../%70age#f", "").unwrap().id, answers[0].id);
    assert_eq!(installation.work(), [CRAWL; 3]);
    let again = create(&installation, &bot, "page", "").unwrap();
    assert_ne!(again.id, answers[0].id);
    assert_eq!(again.progress.status, CrawlStatus::Queued);
}

pub(crate) fn every_change_of_a_crawl_is_recorded(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let bot = world.stored_bot("bot");
    let (claim, crawls) = (world.claim(&bot), &installation.botyard.crawls);
    let created = create(&installation, &bot, "", r#","skillId":"s","depth":0"#).unwrap();
    assert_eq!(
        (created.fields.name.as_str(), created.depth, created.fields.active),
        ("site.example", 0, true)
    );
    assert_eq!((created.progress.status, created.created_at), (CrawlStatus::Queued, at(0)));
    let id = created.id;
    assert_eq!(wait(crawls.get(&claim, id)), Ok(created.clone()));
    installation.wait_until(Duration::from_secs(5));
    let update = |json: &str| wait(crawls.update(&claim, id, installation.body(json)));
    let same = update(r#"{"name":"site.example","skillId":"s","description":null}"#);
    assert_eq!(same, Ok(created.clone()));
    let changed = update(r#"{"name":"New","skillId":null,"description":"d","active":false}"#);
    let changed = changed.unwrap();
    let fields = CrawlFields {
        name: "New".to_owned(),
        skill_id: None,
        description: Some("d".to_owned()),
        active: false,
    };
    assert_eq!(changed, WebsiteCrawl { fields, updated_at: at(5_000), ..created });
    assert_eq!(
        wait(crawls.page(&claim, &ListQuery::default(), None, 9)),
        Ok((vec![changed], None))
    );
    assert_eq!(wait(crawls.delete(&claim, id)), Ok(id));

    let recorded: Vec<_> = installation
        .changelog_entries(&bot)
        .into_iter()
        .map(|(action, resource, resource_id, changes)| {
            assert_eq!((resource, resource_id), ("embedding", id.to_string()));
            (action, changes)
        })
        .collect();
    let expected = [
        (
            "create",
            r#"[{"field":"url","from":null,"to":"http://site.example/"},{"field":"depth","from":null,"to":0},{"field":"name","from":null,"to":"site.example"},{"field":"active","from":null,"to":true},{"field":"skillId","from":null,"to":"s"}]"#,
        ),
        (
            "update",
            r#"[{"field":"name","from":"site.example","to":"New"},{"field":"description","from":null,"to":"d"},{"field":"skillId","from":"s","to":null},{"field":"active","from":true,"to":false}]"#,
        ),
        ("delete", r#"[{"field":"name","from":"New","to":null}]"#),
    ];
    assert_eq!(recorded, expected.map(|(action, changes)| (action, changes.to_owned())));
    let missing = DomainError::NotFound(Resource::WebsiteCrawl);
    for id in [id, CrawlId::NIL] {
        assert_eq!(wait(crawls.get(&claim, id)), Err(missing.clone()));
        let request = installation.body(r#"{"active":true}"#);
        assert_eq!(wait(crawls.update(&claim, id, request)), Err(missing.clone()));
        assert_eq!(wait(crawls.delete(&claim, id)), Err(missing.clone()));
    }
    assert_eq!(wait(crawls.pages(&claim, created.id, None, 9)), Err(missing));
}

pub(crate) fn a_new_skill_id_is_followed_by_every_crawl(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    let claim = world.claim(&bot);
    installation.create_skill(&claim, r#"{"name":"n","skillId":"s"}"#).unwrap();
    let of = |bot: &Bot, path: &str, skill: &str| {
        create(&installation, bot, path, &format!(r#","skillId":"{skill}""#)).unwrap()
    };
    // More than are looked at in one go would be more than may wait, so some have ended.
    let mut crawls: Vec<_> = (0..60).map(|number| of(&bot, &number.to_string(), "s")).collect();
    assert_eq!(installation.work(), [CRAWL; 60]);
    crawls.extend((0..60).map(|number| of(&bot, &number.to_string(), "s")));
    let (other, abroad) = (of(&bot, "other", "S"), of(&neighbour, "", "s"));
    installation.wait_until(Duration::from_secs(5));
    let rename = installation.body(r#"{"skillId":"new"}"#);
    wait(installation.botyard.skills.update(&claim, "s".to_owned(), rename)).unwrap();
    let now = all_crawls(world, &bot);
    assert_eq!(now.len(), 121);
    for (crawl, before) in now.iter().zip(&crawls) {
        assert_eq!((crawl.id, crawl.fields.skill_id.as_deref()), (before.id, Some("new")));
        assert_eq!(crawl.updated_at, at(5_000));
    }
    assert_eq!(now.last(), Some(&other));
    assert_eq!(all_crawls(world, &neighbour), [abroad]);
    let entries = installation.changelog_entries(&bot);
    let change = r#"[{"field":"skillId","from":"s","to":"new"}]"#;
    let entries =
        entries.iter().filter(|(_, what, _, changes)| *what == "embedding" && changes == change);
    assert_eq!(entries.count(), 120);
}

pub(crate) fn so_many_crawls_wait_and_no_more(store: Arc<dyn Store>) {
    let limits = Limits { queued_crawls_per_project: 5, ..Limits::default() };
    let installation = Installation::with(store, limits);
    let world = &installation.world;
    let bots = [(); 2].map(|()| world.stored_bot("bot"));
    let abroad = world.bot_of(&world.other_project());
    let answers = together(8, |number| {
        create(&installation, &bots[number % 2], &number.to_string(), "").map(|crawl| crawl.id)
    });
    let (begun, refused): (Vec<_>, Vec<_>) = answers.into_iter().partition(Result::is_ok);
    assert_eq!((begun.len(), refused.len()), (5, 3));
    let busy = Err(DomainError::Busy(Busy::QueuedCrawls(5)));
    assert!(refused.iter().all(|answer| *answer == busy));
    // What waits already is still found, and others have slots of their own.
    let waiting = all_crawls(world, &bots[0]).remove(0);
    let path = waiting.url.url().path().trim_start_matches('/').to_owned();
    assert_eq!(create(&installation, &bots[0], &path, ""), Ok(waiting));
    assert!(create(&installation, &abroad, "", "").is_ok());
    assert_eq!(installation.work(), [CRAWL; 6]);
    assert!(create(&installation, &bots[0], "", "").is_ok());
}

pub(crate) fn a_deleted_crawl_takes_its_pages_unless_a_copy_has_them(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let bot = world.stored_bot("bot");
    let (claim, crawls) = (world.claim(&bot), &installation.botyard.crawls);
    installation.site.page("", &[]);
    let crawl = create(&installation, &bot, "", "").unwrap();
    assert_eq!(installation.work(), [CRAWL]);
    let body = installation.body("{}");
    let copy = wait(installation.botyard.bots.duplicate(&claim, body)).unwrap().bot;
    let copied = all_crawls(world, &copy).remove(0);
    let pages = |bot: &Bot, id| wait(crawls.pages(&world.claim(bot), id, None, 9)).unwrap();
    let before = pages(&bot, crawl.id);
    assert_eq!(before.0.len(), 1);

    wait(crawls.delete(&claim, crawl.id)).unwrap();
    assert_eq!(installation.work(), [REMOVE_PAGE_SET]);
    assert_eq!(pages(&copy, copied.id), before);
    wait(crawls.delete(&world.claim(&copy), copied.id)).unwrap();
    assert!(has_pages(world, crawl.page_set_id));
    assert_eq!(installation.work(), [REMOVE_PAGE_SET]);
    assert!(!has_pages(world, crawl.page_set_id));
    assert_eq!(installation.jobs(), []);
}

pub(crate) fn a_bot_keeps_so_many_crawls(store: Arc<dyn Store>) {
    let limits = Limits { kept_crawls_per_bot: 2, ..Limits::default() };
    let installation = Installation::with(store, limits);
    let world = &installation.world;
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    let first = create(&installation, &bot, "a", "").unwrap();
    create(&installation, &bot, "b", "").unwrap();
    installation.work();
    let full = Err(DomainError::QuotaExceeded(Quota::KeptCrawlsPerBot(2)));
    assert_eq!(create(&installation, &bot, "a", ""), full);
    create(&installation, &neighbour, "a", "").unwrap();
    let claim = world.claim(&bot);
    wait(installation.botyard.crawls.delete(&claim, first.id)).unwrap();
    create(&installation, &bot, "a", "").unwrap();
}
