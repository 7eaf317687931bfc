//! Website-crawls.

use std::slice;
use std::sync::Arc;

use crate::contract::page_sets::{add, all_pages, fetched, write};
use crate::services::site::url;
use crate::world::{OPERATOR, World, at};
use domain::access::BotScope;
use domain::bot::{Bot, BotState};
use domain::copy_step::CopyStep;
use domain::crawl::{
    CrawlCounts, CrawlError, CrawlFields, CrawlProgress, CrawlStatus, CrawlToDo, WebsiteCrawl,
};
use domain::id::{CrawlId, PageSetId};
use domain::lock::Lock;
use domain::store::{Repositories, Store};

const EVERY_STATUS: [CrawlStatus; 5] = [
    CrawlStatus::Queued,
    CrawlStatus::Running,
    CrawlStatus::Finished,
    CrawlStatus::Failed,
    CrawlStatus::Cancelled,
];

/// A crawl that waits, with nothing in it that may be missing, not stored.
pub(crate) fn crawl(world: &World, bot: &Bot, path: &str) -> WebsiteCrawl {
    WebsiteCrawl {
        id: CrawlId::from_uuid(world.id()),
        bot_id: bot.id,
        url: url(path),
        depth: 1,
        fields: CrawlFields { name: "n".to_owned(), ..CrawlFields::default() },
        progress: CrawlProgress::QUEUED,
        page_set_id: PageSetId::from_uuid(world.id()),
        created_at: at(1),
        updated_at: at(2),
    }
}

/// How far a crawl is in this status.
fn progress(status: CrawlStatus) -> CrawlProgress {
    CrawlProgress {
        status,
        error: Some(CrawlError::PageLimit),
        pages_scraped: u32::MAX,
        pages_failed: u32::MAX,
        bytes: u64::try_from(i64::MAX).unwrap(),
        sitemaps_read: true,
        started_at: Some(at(3)),
        finished_at: (!status.is_going()).then(|| at(4)),
    }
}

/// A crawl with a value in every field, not stored.
fn full_crawl(world: &World, bot: &Bot, status: CrawlStatus) -> WebsiteCrawl {
    WebsiteCrawl {
        depth: 10,
        fields: CrawlFields {
            skill_id: Some("skill-ü".to_owned()),
            description: Some("Zoë 🤖 \"quoted\" \\".to_owned()),
            name: "Zoë".to_owned(),
            active: false,
        },
        progress: progress(status),
        ..crawl(world, bot, &format!("ü/{}?q={status:?}", world.id()))
    }
}

pub(crate) fn store_crawl(world: &World, crawl: &WebsiteCrawl, bot: &Bot) {
    let (scope, crawl) = (world.scope(bot), crawl.clone());
    world.write(move |tx| Ok(tx.insert_crawl(&scope, &crawl)?));
}

/// A crawl that has ended with two pages, stored, its set sealed.
pub(crate) fn ended_crawl(world: &World, bot: &Bot) -> WebsiteCrawl {
    let crawl = full_crawl(world, bot, CrawlStatus::Finished);
    store_crawl(world, &crawl, bot);
    let scope = world.scope(bot);
    add(world, &scope, crawl.page_set_id, 2);
    write(world, &scope, crawl.page_set_id, &[fetched(world, 0), fetched(world, 1)]);
    let set = crawl.page_set_id;
    world.write(move |tx| Ok(tx.seal_page_set(&scope, set, at(4))?));
    crawl
}

pub(crate) fn all_crawls(world: &World, bot: &Bot) -> Vec<WebsiteCrawl> {
    let scope = world.scope(bot);
    world.read(move |tx| Ok(tx.crawls(&scope, None, 10_000)?.into_items()))
}

pub(crate) fn a_crawl_comes_back_as_it_was(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bot = world.stored_bot("bot");
    let mut all = vec![crawl(&world, &bot, "")];
    all.extend(EVERY_STATUS.map(|status| full_crawl(&world, &bot, status)));
    for stored in &all {
        store_crawl(&world, stored, &bot);
        let (scope, id) = (world.scope(&bot), stored.id);
        let found = world.read(move |tx| Ok(tx.crawl(&scope, id, Lock::None)?));
        assert_eq!(found.as_ref(), Some(stored));
    }
    assert_eq!(all_crawls(&world, &bot), all);

    // What clients change and what the crawl itself changes are stored apart.
    let update = |crawl: &WebsiteCrawl| {
        let (scope, crawl) = (world.scope(&bot), crawl.clone());
        world.write(move |tx| Ok(tx.update_crawl(&scope, &crawl)?));
    };
    let advance = |crawl: &WebsiteCrawl| {
        let (scope, id, progress) = (world.scope(&bot), crawl.id, crawl.progress);
        world.write(move |tx| Ok(tx.update_crawl_progress(&scope, id, &progress)?));
    };
    let other = full_crawl(&world, &bot, CrawlStatus::Finished);
    let mut changed =
        WebsiteCrawl { fields: other.fields.clone(), updated_at: at(9), ..all[0].clone() };
    update(&WebsiteCrawl { progress: other.progress, ..changed.clone() });
    assert_eq!(all_crawls(&world, &bot)[0], changed);
    changed.progress = other.progress;
    advance(&changed);
    assert_eq!(all_crawls(&world, &bot)[0], changed);
    update(&all[0]);
    advance(&all[0]);
    assert_eq!(all_crawls(&world, &bot), all);

    for is_there in [true, false] {
        let (scope, id) = (world.scope(&bot), all[0].id);
        let deleted = world.try_write(move |tx| Ok(tx.delete_crawl(&scope, id)?));
        assert_eq!(deleted.is_ok(), is_there);
        assert_eq!(all_crawls(&world, &bot), all[1..]);
    }
}

pub(crate) fn crawls_are_paged_oldest_first(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    let crawls = ["0", "1", "2", "3", "4"].map(|path| crawl(&world, &bot, path));
    for index in [3, 0, 4, 2, 1] {
        store_crawl(&world, &crawls[index], &bot);
    }
    store_crawl(&world, &crawl(&world, &neighbour, "0"), &neighbour);
    let page = |after: Option<CrawlId>, limit| {
        let scope = world.scope(&bot);
        world.read(move |tx| Ok(tx.crawls(&scope, after, limit)?.into_items()))
    };
    assert_eq!(page(None, 100), crawls);
    assert_eq!(page(None, 2), crawls[..2]);
    assert_eq!(page(Some(crawls[1].id), 2), crawls[2..4]);
    assert_eq!(page(Some(crawls[4].id), 2), []);
    let scopes = [world.scope(&bot), world.scope(&neighbour)];
    world.read(move |tx| {
        assert_eq!(tx.count_crawls(&scopes[0])?, 5);
        assert_eq!(tx.count_crawls(&scopes[1])?, 1);
        Ok(())
    });
}

pub(crate) fn crawls_of_another_bot_are_out_of_reach(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    let other = world.other_project();
    let mut stored = crawl(&world, &bot, "");
    stored.fields.skill_id = Some("s".to_owned());
    store_crawl(&world, &stored, &bot);
    for foreign in [world.scope(&neighbour), world.forged_scope(&bot, &other)] {
        let (scope, found) = (foreign.clone(), stored.clone());
        world.write(move |tx| {
            assert_eq!(tx.crawl(&scope, found.id, Lock::Exclusive)?, None);
            assert_eq!(tx.crawls(&scope, None, 10)?, []);
            assert_eq!(tx.count_crawls(&scope)?, 0);
            assert_eq!(tx.going_crawl(&scope, &found.url)?, None);
            assert_eq!(tx.crawls_for_skill(&scope, "s", 10)?, []);
            assert_eq!(tx.remove_crawls(&scope, 10)?, []);
            assert_eq!(tx.crawl_counts(&scope)?.running_of_bot, 0);
            Ok(tx.cancel_crawls(&scope, at(9))?)
        });
        let stolen = WebsiteCrawl { bot_id: foreign.bot_id(), ..stored.clone() };
        refuses(&world, &foreign, move |tx, scope| tx.update_crawl(scope, &stolen));
        let id = stored.id;
        let queued = CrawlProgress::QUEUED;
        refuses(&world, &foreign, move |tx, scope| tx.update_crawl_progress(scope, id, &queued));
        refuses(&world, &foreign, move |tx, scope| tx.delete_crawl(scope, id));
    }
    let own = crawl(&world, &bot, "own");
    refuses(&world, &world.scope(&neighbour), move |tx, scope| tx.insert_crawl(scope, &own));
    assert_eq!(all_crawls(&world, &bot), [stored]);
    assert_eq!(all_crawls(&world, &neighbour), []);
}

/// Checks that a change fails.
pub(crate) fn refuses(
    world: &World,
    scope: &BotScope,
    change: impl Fn(&mut dyn Repositories, &BotScope) -> Result<(), domain::StorageError>
    + Send
    + 'static,
) {
    let scope = scope.clone();
    assert!(world.try_write(move |tx| Ok(change(tx, &scope)?)).is_err());
}

pub(crate) fn an_address_is_crawled_once_at_a_time(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    let going = |bot: &Bot, path: &str| {
        let (scope, url) = (world.scope(bot), url(path));
        world.read(move |tx| Ok(tx.going_crawl(&scope, &url)?))
    };
    for status in EVERY_STATUS {
        let mut first = crawl(&world, &bot, "page");
        first.progress = CrawlProgress { error: None, ..progress(status) };
        store_crawl(&world, &first, &bot);
        let second = crawl(&world, &bot, "page");
        if status.is_going() {
            assert_eq!(going(&bot, "page").as_ref(), Some(&first));
            let scope = world.scope(&bot);
            refuses(&world, &scope, move |tx, scope| tx.insert_crawl(scope, &second));
        } else {
            assert_eq!(going(&bot, "page"), None);
            store_crawl(&world, &second, &bot);
            assert_eq!(going(&bot, "page").as_ref(), Some(&second));
        }
        assert_eq!((going(&bot, ""), going(&neighbour, "page")), (None, None));
        store_crawl(&world, &crawl(&world, &bot, &format!("{status:?}")), &bot);
        let scope = world.scope(&bot);
        world.write(move |tx| Ok(tx.cancel_crawls(&scope, at(9))?));
    }
}

pub(crate) fn crawls_are_counted(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    let abroad = world.bot_of(&world.other_project());
    for (owner, each) in [(&bot, 1), (&neighbour, 2), (&abroad, 4)] {
        for status in EVERY_STATUS {
            for _ in 0..each {
                store_crawl(&world, &full_crawl(&world, owner, status), owner);
            }
        }
    }
    let counted = |bot: &Bot| {
        let scope = world.scope(bot);
        world.read(move |tx| Ok(tx.crawl_counts(&scope)?))
    };
    let of_project = |queued, running, running_of_bot| CrawlCounts {
        queued_of_project: queued,
        running_of_project: running,
        running_of_bot,
    };
    assert_eq!(counted(&bot), of_project(3, 3, 1));
    assert_eq!(counted(&neighbour), of_project(3, 3, 2));
    assert_eq!(counted(&abroad), of_project(4, 4, 4));
    let scope = world.scope(&neighbour);
    world.write(move |tx| Ok(tx.cancel_crawls(&scope, at(9))?));
    assert_eq!(counted(&bot), of_project(1, 1, 1));
    assert_eq!(counted(&neighbour), of_project(1, 1, 0));
}

pub(crate) fn going_crawls_are_cancelled_at_once(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    let of = |bot: &Bot| {
        let crawls = EVERY_STATUS.map(|status| full_crawl(&world, bot, status));
        crawls.iter().for_each(|crawl| store_crawl(&world, crawl, bot));
        crawls
    };
    let (mut crawls, others) = (of(&bot), of(&neighbour));
    let scope = world.scope(&bot);
    world.write(move |tx| Ok(tx.cancel_crawls(&scope, at(9))?));
    for crawl in &mut crawls[..2] {
        crawl.progress.status = CrawlStatus::Cancelled;
        crawl.progress.finished_at = Some(at(9));
    }
    assert_eq!(all_crawls(&world, &bot), crawls);
    assert_eq!(all_crawls(&world, &neighbour), others);
}

pub(crate) fn crawls_for_a_skill_are_found(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bot = world.stored_bot("bot");
    let of = |path: &str, skill: Option<&str>| {
        let mut crawl = crawl(&world, &bot, path);
        crawl.fields.skill_id = skill.map(str::to_owned);
        store_crawl(&world, &crawl, &bot);
        crawl
    };
    let crawls = [of("0", Some("s")), of("1", None), of("2", Some("S")), of("3", Some("s"))];
    let found = |skill: &'static str, limit| {
        let scope = world.scope(&bot);
        world.read(move |tx| Ok(tx.crawls_for_skill(&scope, skill, limit)?))
    };
    assert_eq!(found("s", 9), [crawls[0].clone(), crawls[3].clone()]);
    assert_eq!(found("s", 1), crawls[..1]);
    assert_eq!(found("S", 9), crawls[2..3]);
    assert_eq!(found("", 9), []);
}

pub(crate) fn copies_share_sealed_page_sets(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (bot, copy) = (world.stored_bot("bot"), world.stored_bot("copy"));
    let abroad = world.bot_of(&world.other_project());
    let ended = [(); 3].map(|()| ended_crawl(&world, &bot));
    for status in EVERY_STATUS {
        // Of one that was cancelled, pages that come late are still to be written.
        store_crawl(&world, &full_crawl(&world, &bot, status), &bot);
    }
    let ids = [(); 3].map(|()| CrawlId::from_uuid(world.id()));
    let copy_to = |to: BotScope| {
        let from = world.scope(&bot);
        world.try_write(move |tx| {
            let mut next = ids.into_iter();
            Ok(tx.copy_crawls((&from, &to), at(9), &mut CopyStep::whole(), &mut || {
                next.next().unwrap()
            })?)
        })
    };
    copy_to(world.scope(&copy)).unwrap();
    let expected = [0, 1, 2].map(|index: usize| WebsiteCrawl {
        id: ids[index],
        bot_id: copy.id,
        created_at: at(9),
        updated_at: at(9),
        ..ended[index].clone()
    });
    assert_eq!(all_crawls(&world, &copy), expected);
    for crawl in &ended {
        let pages = all_pages(&world, &bot, crawl.page_set_id);
        assert_eq!((pages.len(), &pages), (2, &all_pages(&world, &copy, crawl.page_set_id)));
    }
    assert!(copy_to(world.scope(&abroad)).is_err());
    assert_eq!(all_crawls(&world, &abroad), []);
}

pub(crate) fn crawls_are_removed_bit_by_bit(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    let crawls = EVERY_STATUS.map(|status| full_crawl(&world, &bot, status));
    crawls.iter().for_each(|crawl| store_crawl(&world, crawl, &bot));
    let kept = crawl(&world, &neighbour, "");
    store_crawl(&world, &kept, &neighbour);
    let mut removed = Vec::new();
    for expected in [2, 2, 1, 0] {
        let scope = world.scope(&bot);
        let sets = world.write(move |tx| Ok(tx.remove_crawls(&scope, 2)?));
        assert_eq!(sets.len(), expected);
        removed.extend(sets);
    }
    removed.sort_unstable();
    assert_eq!(removed, crawls.map(|crawl| crawl.page_set_id));
    assert_eq!(all_crawls(&world, &neighbour), slice::from_ref(&kept));
}

pub(crate) fn a_crawl_to_do_is_found_unless_its_bot_is_gone(store: Arc<dyn Store>) {
    let world = World::new(store);
    let abroad = world.bot_of(&world.other_project());
    let to_do = |id: CrawlId| {
        world.write(move |tx| {
            let [held, seen] =
                [Lock::Exclusive, Lock::None].map(|lock| tx.crawl_to_do(OPERATOR, id, lock));
            let (held, seen) = (held?, seen?);
            assert_eq!(held, seen);
            Ok(held)
        })
    };
    let found = |project_id, crawl: &WebsiteCrawl| {
        let organisation_id = world.organisation.id;
        Some(CrawlToDo { organisation_id, project_id, crawl: crawl.clone() })
    };
    let own = crawl(&world, &abroad, "");
    store_crawl(&world, &own, &abroad);
    assert_eq!(to_do(own.id), found(abroad.project_id, &own));
    assert_eq!(to_do(CrawlId::from_uuid(world.id())), None);
    for state in [BotState::Active, BotState::Archived, BotState::Trashed, BotState::Deleted] {
        let bot = Bot { state, ..world.bot("bot") };
        world.store_bot(&bot);
        let crawl = crawl(&world, &bot, "");
        store_crawl(&world, &crawl, &bot);
        let expected = found(bot.project_id, &crawl).filter(|_| state != BotState::Deleted);
        assert_eq!(to_do(crawl.id), expected);
    }
}
