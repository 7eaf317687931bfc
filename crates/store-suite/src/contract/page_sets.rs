//! Pages of website-crawls.

use std::slice;
use std::sync::Arc;

use crate::contract::crawls::{crawl, refuses, store_crawl};
use crate::services::site::{content, url};
use crate::world::{OPERATOR, World, at};
use domain::access::BotScope;
use domain::bot::Bot;
use domain::copy_step::CopyStep;
use domain::crawl::{CrawlError, FoundPage, Page, PageState, WebsiteCrawl};
use domain::id::{PageId, PageSetId};
use domain::store::Store;

/// An address that was found, named by its number.
pub(crate) fn found(number: u32) -> FoundPage {
    FoundPage::pending(number, url(&number.to_string()), 1)
}

/// Adds so many addresses to a set.
pub(crate) fn add(world: &World, scope: &BotScope, set: PageSetId, count: u32) {
    let (scope, found): (_, Vec<_>) = (scope.clone(), (0..count).map(found).collect());
    world.write(move |tx| Ok(tx.add_found_pages(&scope, set, &found)?));
}

/// The page of that number, fetched.
pub(crate) fn fetched(world: &World, number: u32) -> Page {
    let content = content(&format!("# {number}"));
    Page {
        id: PageId::from_uuid(world.id()),
        number,
        url: url(&number.to_string()),
        title: None,
        depth: 1,
        status_code: Some(200),
        content: Some(content.markdown),
        content_hash: Some(content.hash),
        scraped_at: at(7),
        error: None,
    }
}

pub(crate) fn write(world: &World, scope: &BotScope, set: PageSetId, pages: &[Page]) {
    let (scope, pages) = (scope.clone(), pages.to_vec());
    world.write(move |tx| Ok(tx.write_pages(&scope, set, &pages)?));
}

/// Pages of a set, and the number to go on after.
fn some_pages(
    world: &World,
    bot: &Bot,
    set: PageSetId,
    after: Option<u32>,
    limit: u32,
) -> (Vec<Page>, Option<u32>) {
    let scope = world.scope(bot);
    world.read(move |tx| Ok(tx.pages(&scope, set, after, limit)?))
}

/// All pages of a set.
pub(crate) fn all_pages(world: &World, bot: &Bot, set: PageSetId) -> Vec<Page> {
    let (pages, next) = some_pages(world, bot, set, None, 10_000);
    assert_eq!(next, None);
    pages
}

/// All addresses of a set.
pub(crate) fn all_found(world: &World, bot: &Bot, set: PageSetId) -> Vec<FoundPage> {
    let scope = world.scope(bot);
    world.read(move |tx| Ok(tx.found_pages(&scope, set)?))
}

fn seal(world: &World, bot: &Bot, set: PageSetId, now: i64) {
    let scope = world.scope(bot);
    world.write(move |tx| Ok(tx.seal_page_set(&scope, set, at(now))?));
}

/// Removes pages of a set that nothing refers to; says whether there are more.
pub(crate) fn remove(world: &World, set: PageSetId, limit: u32) -> bool {
    world.write(move |tx| Ok(tx.remove_unused_page_set(OPERATOR, set, limit)?))
}

/// A bot with a crawl whose set is empty.
fn with_crawl(world: &World) -> (Bot, WebsiteCrawl) {
    let bot = world.stored_bot("bot");
    let crawl = crawl(world, &bot, "");
    store_crawl(world, &crawl, &bot);
    (bot, crawl)
}

pub(crate) fn a_page_comes_back_as_it_was(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (bot, crawl) = with_crawl(&world);
    let (scope, set) = (world.scope(&bot), crawl.page_set_id);
    assert_eq!((all_pages(&world, &bot, set), all_found(&world, &bot, set)), (vec![], vec![]));
    let mut addresses: Vec<_> = (0..4).map(found).collect();
    addresses[3] =
        FoundPage { number: u32::MAX, url: url("ü?\"'🤖"), depth: 10, ..addresses[3].clone() };
    addresses.reverse();
    let added = addresses.clone();
    let of_scope = scope.clone();
    world.write(move |tx| Ok(tx.add_found_pages(&of_scope, set, &added)?));
    addresses.reverse();
    assert_eq!(all_found(&world, &bot, set), addresses);
    assert_eq!(all_pages(&world, &bot, set), []);

    // Nearer than it was found.
    let plain = Page { depth: 0, ..fetched(&world, 0) };
    let failed = Page {
        content: None,
        content_hash: None,
        status_code: None,
        error: Some(CrawlError::Unreachable),
        ..fetched(&world, 1)
    };
    let empty = content("");
    let full = Page {
        // It turned out to be elsewhere.
        url: url("elsewhere"),
        title: Some("Zoë 🤖 \"quoted\" \\".to_owned()),
        depth: 10,
        status_code: Some(u16::MAX),
        content: Some(empty.markdown),
        content_hash: Some(empty.hash),
        ..fetched(&world, u32::MAX)
    };
    write(&world, &scope, set, &[full.clone(), plain.clone()]);
    write(&world, &scope, set, slice::from_ref(&failed));
    assert_eq!(all_pages(&world, &bot, set), [plain.clone(), failed, full.clone()]);
    for (index, hash) in [(0, plain.content_hash), (1, None), (3, full.content_hash)] {
        addresses[index].state = PageState::Done;
        addresses[index].content_hash = hash;
    }
    addresses[0].depth = 0;
    addresses[3].url = full.url;
    assert_eq!(all_found(&world, &bot, set), addresses);
    let of_scope = scope.clone();
    world.write(move |tx| Ok(tx.write_aliases(&of_scope, set, &[2])?));
    addresses[2].state = PageState::Alias;
    assert_eq!(all_found(&world, &bot, set), addresses);

    // Nothing to write is nothing wrong.
    world.write(move |tx| {
        tx.add_found_pages(&scope, set, &[])?;
        tx.write_pages(&scope, set, &[])?;
        Ok(tx.write_aliases(&scope, set, &[])?)
    });
}

pub(crate) fn pages_are_paged_by_number(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (bot, crawl) = with_crawl(&world);
    let (scope, set) = (world.scope(&bot), crawl.page_set_id);
    add(&world, &scope, set, 9);
    let pages = [0, 2, 3, 5, 7].map(|number| fetched(&world, number));
    let out_of_order: Vec<_> = [3, 0, 4, 2, 1].map(|index: usize| pages[index].clone()).into();
    write(&world, &scope, set, &out_of_order);
    let page = |after, limit| some_pages(&world, &bot, set, after, limit);
    assert_eq!(page(None, 9), (pages.to_vec(), None));
    assert_eq!(page(None, 5), (pages.to_vec(), None));
    assert_eq!(page(None, 2), (pages[..2].to_vec(), Some(2)));
    assert_eq!(page(Some(2), 2), (pages[2..4].to_vec(), Some(5)));
    assert_eq!(page(Some(5), 2), (pages[4..].to_vec(), None));
    assert_eq!(page(Some(1), 1), (pages[1..2].to_vec(), Some(2)));
    assert_eq!(page(Some(7), 9), (Vec::new(), None));
    assert_eq!(page(Some(u32::MAX), u32::MAX), (Vec::new(), None));
}

pub(crate) fn a_page_ends_early_where_pages_are_large(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (bot, crawl) = with_crawl(&world);
    let (scope, set) = (world.scope(&bot), crawl.page_set_id);
    add(&world, &scope, set, 6);
    let quarters = [1, 2, 0, 9, 3, 1];
    let pages: Vec<_> = (0..)
        .zip(quarters)
        .map(|(number, size)| Page {
            content: Some("ü".repeat(size << 17)),
            ..fetched(&world, number)
        })
        .collect();
    write(&world, &scope, set, &pages);
    let mut seen = Vec::new();
    let mut after = None;
    loop {
        let (some, next) = some_pages(&world, &bot, set, after, 100);
        seen.push(some.len());
        let expected = &pages[seen.iter().sum::<usize>() - some.len()..][..some.len()];
        assert!(some == expected, "pages come whole and in their order");
        after = next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(seen, [3, 1, 2], "about 1 MiB at a time, and one page at least");
}

pub(crate) fn an_address_stands_in_a_set_once(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (bot, crawl) = with_crawl(&world);
    let (scope, set) = (world.scope(&bot), crawl.page_set_id);
    add(&world, &scope, set, 3);
    let page = fetched(&world, 0);
    write(&world, &scope, set, slice::from_ref(&page));
    let before = all_found(&world, &bot, set);
    let refused = |found: FoundPage| {
        refuses(&world, &scope, move |tx, scope| {
            // What else is in the batch is not kept either.
            tx.add_found_pages(scope, set, &[self::found(7), found.clone()])
        });
    };
    refused(FoundPage { number: 9, ..found(1) });
    refused(FoundPage { number: 1, ..found(9) });
    let other = fetched(&world, 0);
    refuses(&world, &scope, move |tx, scope| tx.write_pages(scope, set, slice::from_ref(&other)));
    let missing = fetched(&world, 3);
    refuses(&world, &scope, move |tx, scope| tx.write_pages(scope, set, slice::from_ref(&missing)));
    for number in [0, 2, 3] {
        let batch = [2, number].map(|number| fetched(&world, number));
        refuses(&world, &scope, move |tx, scope| tx.write_pages(scope, set, &batch));
    }
    let elsewhere = Page { url: url("2"), ..fetched(&world, 1) };
    refuses(&world, &scope, move |tx, scope| {
        tx.write_pages(scope, set, slice::from_ref(&elsewhere))
    });
    for number in [0, 3] {
        refuses(&world, &scope, move |tx, scope| tx.write_aliases(scope, set, &[1, number]));
    }
    assert_eq!(all_found(&world, &bot, set), before);
    assert_eq!(all_pages(&world, &bot, set), [page]);

    // A page that moves leaves its address to another.
    write(&world, &scope, set, &[Page { url: url("moved"), ..fetched(&world, 1) }]);
    let old = FoundPage { number: 9, state: PageState::Alias, depth: 0, ..found(1) };
    world.write(move |tx| Ok(tx.add_found_pages(&scope, set, slice::from_ref(&old))?));
    assert_eq!(all_found(&world, &bot, set).len(), 4);
}

pub(crate) fn many_addresses_are_added_at_once(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (bot, crawl) = with_crawl(&world);
    let (scope, set) = (world.scope(&bot), crawl.page_set_id);
    add(&world, &scope, set, 5_000);
    let numbers: Vec<_> = (0..5_000).filter(|number| number % 5 != 0).collect();
    let of_scope = scope.clone();
    world.write(move |tx| Ok(tx.write_aliases(&of_scope, set, &numbers)?));
    let pages: Vec<_> = (0..1_000).map(|number| fetched(&world, number * 5)).collect();
    write(&world, &scope, set, &pages);
    assert_eq!(all_pages(&world, &bot, set), pages);
    assert_eq!(all_found(&world, &bot, set).len(), 5_000);
}

pub(crate) fn sets_of_another_bot_are_out_of_reach(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (bot, crawl) = with_crawl(&world);
    let (neighbour, _) = with_crawl(&world);
    let (scope, set) = (world.scope(&bot), crawl.page_set_id);
    add(&world, &scope, set, 2);
    write(&world, &scope, set, &[fetched(&world, 0)]);
    let before = (all_found(&world, &bot, set), all_pages(&world, &bot, set));
    let other = world.other_project();
    for foreign in [world.scope(&neighbour), world.forged_scope(&bot, &other)] {
        let scope = foreign.clone();
        world.read(move |tx| {
            assert_eq!(tx.pages(&scope, set, None, 9)?, (Vec::new(), None));
            assert_eq!(tx.found_pages(&scope, set)?, []);
            Ok(())
        });
        let page = fetched(&world, 1);
        refuses(&world, &foreign, move |tx, scope| tx.add_found_pages(scope, set, &[found(9)]));
        refuses(&world, &foreign, move |tx, scope| {
            tx.write_pages(scope, set, slice::from_ref(&page))
        });
        refuses(&world, &foreign, move |tx, scope| tx.write_aliases(scope, set, &[1]));
        refuses(&world, &foreign, move |tx, scope| tx.seal_page_set(scope, set, at(9)));
    }
    assert_eq!((all_found(&world, &bot, set), all_pages(&world, &bot, set)), before);
}

pub(crate) fn a_sealed_set_never_changes(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (bot, crawl) = with_crawl(&world);
    let (scope, set) = (world.scope(&bot), crawl.page_set_id);
    add(&world, &scope, set, 4);
    let pages = [fetched(&world, 1), fetched(&world, 3)];
    write(&world, &scope, set, &pages);
    let of_scope = scope.clone();
    world.write(move |tx| Ok(tx.write_aliases(&of_scope, set, &[2])?));
    for now in [9, 10] {
        seal(&world, &bot, set, now);
        let left: Vec<_> = all_found(&world, &bot, set).iter().map(|page| page.number).collect();
        assert_eq!(left, [1, 3]);
        assert_eq!(all_pages(&world, &bot, set), pages);
    }
    let page = fetched(&world, 1);
    refuses(&world, &scope, move |tx, scope| tx.add_found_pages(scope, set, &[found(9)]));
    refuses(&world, &scope, move |tx, scope| tx.write_pages(scope, set, slice::from_ref(&page)));
    refuses(&world, &scope, move |tx, scope| tx.write_aliases(scope, set, &[1]));
    assert_eq!(all_pages(&world, &bot, set), pages);
}

pub(crate) fn an_unused_set_is_removed_bit_by_bit(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (bot, crawl) = with_crawl(&world);
    let (neighbour, other) = with_crawl(&world);
    let (scope, set) = (world.scope(&bot), crawl.page_set_id);
    for (scope, set) in [(&scope, set), (&world.scope(&neighbour), other.page_set_id)] {
        add(&world, scope, set, 5);
        write(&world, scope, set, &[fetched(&world, 0), fetched(&world, 4)]);
    }
    let pages = all_pages(&world, &bot, set);
    assert!(!remove(&world, set, 2), "a crawl refers to it");
    assert_eq!(all_pages(&world, &bot, set), pages);
    // A copy keeps it when the original goes.
    seal(&world, &neighbour, other.page_set_id, 8);
    let (from, to) = (world.scope(&neighbour), scope.clone());
    let copy = domain::id::CrawlId::from_uuid(world.id());
    world.write(move |tx| {
        // What is queued is not copied.
        tx.cancel_crawls(&from, at(8))?;
        Ok(tx.copy_crawls((&from, &to), at(9), &mut CopyStep::whole(), &mut || copy)?)
    });
    let delete = |bot: &Bot, id| {
        let scope = world.scope(bot);
        world.write(move |tx| Ok(tx.delete_crawl(&scope, id)?));
    };
    delete(&neighbour, other.id);
    assert!(!remove(&world, other.page_set_id, 2), "a copy refers to it");
    assert_eq!(all_pages(&world, &bot, other.page_set_id).len(), 2);

    delete(&bot, crawl.id);
    assert!(has_pages(&world, set));
    let left: Vec<_> = (0..4).map(|_| remove(&world, set, 2)).collect();
    assert_eq!(left, [true, true, false, false]);
    delete(&bot, copy);
    assert!(remove(&world, other.page_set_id, 2), "exactly as many as there were may not be all");
    assert!(!remove(&world, other.page_set_id, 2));
    assert!(!remove(&world, PageSetId::from_uuid(world.id()), 2));
    assert!(!has_pages(&world, set));
}

/// Whether a set is still there to which nothing refers any more.
pub(crate) fn has_pages(world: &World, set: PageSetId) -> bool {
    remove(world, set, 0)
}
