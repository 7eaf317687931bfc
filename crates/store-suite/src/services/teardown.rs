//! What becomes of a bot that was deleted for good.

use std::slice;
use std::sync::Arc;
use std::time::Duration;

use crate::contract::crawls::{all_crawls, crawl, ended_crawl};
use crate::contract::feedback::{all_feedback, feedback};
use crate::contract::history::{all_history, item};
use crate::contract::keyval::all_entries;
use crate::contract::page_sets::has_pages;
use crate::contract::skills::{all_skills, skill};
use crate::contract::stages::{all_stages, stage};
use crate::contract::usage::{all_usage, usage};
use crate::contract::users::{all_users, deleted, user};
use crate::contract::visual_blocks::{all_blocks, block};
use crate::samples::blobs::{blob, store_blob};
use crate::samples::document_copies::{copies, copy};
use crate::samples::documents::{all_documents, document, file_blob};
use crate::samples::fusion_views::{all_views, full_view, store_view, view};
use crate::services::installation::Installation;
use crate::world::{OPERATOR, World, at, project_of, wait};
use domain::access::{Secret, Token, TokenOwner};
use domain::blob::{Blob, REMOVE_BLOB};
use domain::bot::{Bot, BotState, DeleteMode, TEARDOWN_BOT};
use domain::crawl::REMOVE_PAGE_SET;
use domain::error::{DomainError, Resource};
use domain::id::{BotId, KeyvalEntryId};
use domain::job::{Job, Queue, StepOutcome};
use domain::json::Json;
use domain::keyval::{Entry, EntryAddress, KeyvalScope};
use domain::list::ListQuery;
use domain::skill::{Skill, SkillFields};
use domain::store::{Repositories, Store};

/// How many rows of each kind a bot gets: more than a batch removes.
const MANY: usize = 230;

/// How many kinds of rows there are.
const KINDS: usize = 13;

/// Gives a bot many rows of every kind; returns the blob that its Fusion-Views share.
fn populate(world: &World, bot: &Bot) -> Blob {
    let file = blob(world, bot, 1);
    store_blob(world, &file, bot);
    let scope = world.scope(bot);
    let skills: Vec<_> = (0..MANY).map(|n| skill(world, bot, &n.to_string())).collect();
    let stages: Vec<_> = (0..MANY).map(|_| stage(world, bot, Some(&["1"]))).collect();
    let blocks: Vec<_> = (0..MANY).map(|n| block(world, bot, &n.to_string())).collect();
    let views: Vec<_> = (0..MANY).map(|_| view(world, bot)).collect();
    let tokens: Vec<_> = (0..MANY).map(|_| world.token(TokenOwner::Bot(bot.id))).collect();
    let entries: Vec<_> = (0..MANY).map(|_| world.entry(&scope, &[])).collect();
    let crawls: Vec<_> = (0..MANY).map(|n| crawl(world, bot, &n.to_string())).collect();
    let shared = file_blob(world, bot, 1);
    let documents: Vec<_> = (0..MANY).map(|_| document(world, &shared)).collect();
    let copies: Vec<_> = documents.iter().map(|document| copy(world, bot, document)).collect();
    populate_usage(world, bot);
    world.write(move |tx| {
        let project = project_of(&scope);
        documents.iter().try_for_each(|document| tx.insert_document(&project, document))?;
        tx.insert_bot_documents(&scope, &copies)?;
        skills.iter().try_for_each(|skill| tx.insert_skill(&scope, skill))?;
        stages.iter().try_for_each(|stage| tx.insert_stage(&scope, stage))?;
        blocks.iter().try_for_each(|block| tx.put_visual_block(&scope, block))?;
        views.iter().try_for_each(|view| tx.insert_fusion_view(&scope, view))?;
        tokens.iter().try_for_each(|token| tx.insert_token(OPERATOR, token))?;
        crawls.iter().try_for_each(|crawl| tx.insert_crawl(&scope, crawl))?;
        Ok(entries.iter().try_for_each(|entry| tx.record(&scope, entry, None))?)
    });
    for _ in 0..2 {
        store_view(world, &full_view(world, bot, &file), bot);
    }
    file
}

/// Gives a bot many rows of every kind that comes of its use. One of its users is deleted.
fn populate_usage(world: &World, bot: &Bot) {
    let scope = world.scope(bot);
    let users: Vec<_> = (0..MANY).map(|n| user(world, bot, &n.to_string())).collect();
    let items: Vec<_> = (0..MANY).map(|_| item(world, &users[0], 1)).collect();
    let usages: Vec<_> =
        (0..MANY).map(|n| usage(world, bot, "2026-01-01", &n.to_string())).collect();
    let feedbacks: Vec<_> = (0..MANY).map(|_| feedback(world, bot, 1)).collect();
    let entries: Vec<_> = (0..MANY).map(|n| keyval_entry(world, &n.to_string())).collect();
    world.write(move |tx| {
        for user in &users {
            tx.insert_user(&scope, user)?;
        }
        items.iter().try_for_each(|item| tx.insert_history_item(&scope, item))?;
        usages.iter().try_for_each(|usage| tx.add_usage(&scope, usage))?;
        feedbacks.iter().try_for_each(|feedback| tx.insert_feedback(&scope, feedback))?;
        for entry in &entries {
            tx.put_entry(&KeyvalScope::from(&scope), entry.clone())?;
        }
        Ok(tx.delete_users(&scope, &[users[1].id], at(1))?)
    });
}

/// An entry whose key says that it is permanent.
fn keyval_entry(world: &World, user_id: &str) -> Entry {
    Entry {
        id: KeyvalEntryId::from_uuid(world.id()),
        address: EntryAddress {
            user_id: user_id.to_owned(),
            entry_type: "t".to_owned(),
            key: "!k".to_owned(),
        },
        value: Json::of(&1),
        created_at: at(1),
        updated_at: at(1),
        accessed_at: at(1),
    }
}

fn keyval_entries(world: &World, bot: &Bot) -> usize {
    let scope = KeyvalScope::from(&world.scope(bot));
    all_entries(world, scope).len()
}

/// How many rows of each kind a bot has, whether it is there or not.
fn rows(world: &World, bot: &Bot) -> [usize; KINDS] {
    [
        all_history(world, bot).len(),
        all_users(world, bot).len(),
        all_usage(world, bot).len(),
        all_feedback(world, bot).len(),
        keyval_entries(world, bot),
        all_blocks(world, bot).len(),
        all_stages(world, bot).len(),
        all_skills(world, bot).len(),
        all_views(world, bot).len(),
        all_crawls(world, bot).len(),
        copies(world, bot, &all_documents(world, bot)).len(),
        world.changelog(&world.scope(bot), None, 5_000).len(),
        world.tokens_of(bot).len(),
    ]
}

fn is_being_torn_down(world: &World, id: BotId) -> bool {
    world.write(move |tx| Ok(tx.deleted_bot(OPERATOR, id)?.is_some()))
}

fn delete(installation: &Installation, bot: &Bot) -> Result<(), DomainError> {
    let claim = installation.world.claim(bot);
    wait(installation.botyard.bots.delete(&claim, DeleteMode::Delete)).map(drop)
}

fn claim(installation: &Installation) -> Job {
    wait(installation.botyard.jobs.claim(OPERATOR, Queue::Maintenance)).unwrap().unwrap()
}

fn step(installation: &Installation, job: &Job) -> StepOutcome {
    wait(installation.botyard.jobs.step(OPERATOR, job)).unwrap()
}

pub(crate) fn a_deleted_bot_is_gone_at_once_with_its_tokens(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let bot = world.stored_bot("bot");
    let owner = TokenOwner::Bot(bot.id);
    let secret = Secret::generate(owner.scheme(), world.entropy().as_ref());
    world.store_token(&Token { digest: secret.digest(), ..world.token(owner) });
    let access = &installation.botyard.access;
    let enter = || wait(access.authenticate(owner.scheme(), secret.digest()));
    let principal = enter().unwrap();
    installation.wait_until(Duration::from_secs(5));
    assert_eq!(delete(&installation, &bot), Ok(()));
    let missing = DomainError::NotFound(Resource::Bot);
    assert_eq!(enter().err(), Some(DomainError::Unauthenticated));
    // Nor does a client that was authenticated before find anything.
    let own = principal.own_bot().unwrap();
    assert_eq!(wait(installation.botyard.bots.get(&own)), Err(missing.clone()));
    assert_eq!(
        wait(installation.botyard.skills.page(&own, &ListQuery::default(), None, 9)),
        Err(missing.clone())
    );
    assert_eq!(installation.create_skill(&own, r#"{"name":"n"}"#), Err(missing.clone()));
    assert_eq!(delete(&installation, &bot), Err(missing.clone()));
    assert_eq!(wait(installation.botyard.bots.restore(OPERATOR, bot.id)), Err(missing));
    assert_eq!(
        wait(installation.botyard.bots.list_all(OPERATOR, world.project.id)),
        Ok(Vec::new())
    );
    let revoked: Vec<_> = world.tokens_of(&bot).iter().map(|token| token.revoked_at).collect();
    assert_eq!(revoked, [Some(at(5_000))]);
    assert!(is_being_torn_down(world, bot.id));
    let [job] = &installation.jobs()[..] else { panic!("{:?}", installation.jobs()) };
    assert_eq!((&job.kind, &job.subject), (&TEARDOWN_BOT, &bot.id.to_string()));
    assert_eq!((job.run_at, job.project_id), (at(5_000), Some(bot.project_id)));
}

pub(crate) fn a_teardown_leaves_nothing_and_touches_no_other_bot(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    let abroad = world.bot_of(&world.other_project());
    let file = populate(world, &bot);
    let with_pages = ended_crawl(world, &bot);
    installation.blobs.insert(file.key(), at(0), b"bytes".to_vec());
    for other in [&neighbour, &abroad] {
        let scope = world.scope(other);
        let (skill, stage) = (skill(world, other, "1"), stage(world, other, Some(&["1"])));
        let (block, view) = (block(world, other, "1"), view(world, other));
        let crawl = crawl(world, other, "1");
        let document = document(world, &file_blob(world, other, 2));
        let copy = copy(world, other, &document);
        let (user, usage) = (user(world, other, "1"), usage(world, other, "2026-01-01", "1"));
        let (item, feedback) = (item(world, &user, 1), feedback(world, other, 1));
        let keyval = keyval_entry(world, "1");
        let entry = world.entry(&scope, &[]);
        let token =
            Token { project_id: other.project_id, ..world.token(TokenOwner::Bot(other.id)) };
        world.write(move |tx| {
            tx.insert_skill(&scope, &skill)?;
            tx.insert_stage(&scope, &stage)?;
            tx.put_visual_block(&scope, &block)?;
            tx.insert_fusion_view(&scope, &view)?;
            tx.insert_crawl(&scope, &crawl)?;
            tx.insert_document(&project_of(&scope), &document)?;
            tx.insert_bot_documents(&scope, std::slice::from_ref(&copy))?;
            tx.insert_token(OPERATOR, &token)?;
            tx.insert_user(&scope, &user)?;
            tx.insert_history_item(&scope, &item)?;
            tx.add_usage(&scope, &usage)?;
            tx.insert_feedback(&scope, &feedback)?;
            tx.put_entry(&KeyvalScope::from(&scope), keyval.clone())?;
            Ok(tx.record(&scope, &entry, None)?)
        });
    }
    delete(&installation, &bot).unwrap();
    let job = claim(&installation);
    let mut steps = 1;
    while step(&installation, &job) == StepOutcome::Continue {
        steps += 1;
        assert!(is_being_torn_down(world, bot.id));
    }
    assert!(steps > KINDS, "{steps} steps for so many rows");
    assert_eq!(rows(world, &bot), [0; KINDS]);
    // The documents are the project's, and so are their bytes.
    assert_eq!(all_documents(world, &neighbour).len(), MANY + 1);
    assert_eq!(deleted(world, &world.scope(&bot)), None);
    assert!(!is_being_torn_down(world, bot.id));
    // A worker that takes the job over after all is done finds nothing to do.
    assert_eq!(step(&installation, &job), StepOutcome::Done);
    wait(installation.botyard.jobs.finish(OPERATOR, &job)).unwrap();
    for other in [&neighbour, &abroad] {
        assert_eq!(rows(world, other), [1; KINDS]);
        assert_eq!(world.summary(other), Some(other.summary()));
    }
    // Of each crawl the pages were released, and go at once.
    assert!(has_pages(world, with_pages.page_set_id));
    assert_eq!(installation.work(), [REMOVE_PAGE_SET; MANY + 1]);
    assert!(!has_pages(world, with_pages.page_set_id));
    // The file was released once for each Fusion-View that had it, and goes after the grace.
    let kinds: Vec<_> = installation.jobs().iter().map(|job| job.kind.clone()).collect();
    assert_eq!(kinds, [REMOVE_BLOB; 2]);
    assert_eq!(installation.stored(), [file.id]);
    installation.wait_until(Duration::from_secs(60 * 60));
    assert_eq!(installation.work(), [REMOVE_BLOB; 2]);
    assert_eq!((installation.stored(), installation.jobs()), (Vec::new(), Vec::new()));
    // Those of the documents are all that still counts.
    assert_eq!(installation.counted_bytes(&neighbour), 1_001 + 1_002);
}

/// Of large rows a unit removes few, and what is left of them is not taken for nothing.
pub(crate) fn a_bot_with_large_rows_is_torn_down(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let bot = world.stored_bot("bot");
    let scope = world.scope(&bot);
    for number in 0..7 {
        let small = skill(world, &bot, &number.to_string());
        let fields = SkillFields { content: Some("x".repeat(1 << 20)), ..small.fields };
        let skill = Skill { fields, ..small };
        let scope = scope.clone();
        world.write(move |tx| Ok(tx.insert_skill(&scope, &skill)?));
    }
    delete(&installation, &bot).unwrap();
    let job = claim(&installation);
    let mut left = Vec::new();
    while step(&installation, &job) == StepOutcome::Continue {
        left.push(all_skills(world, &bot).len());
    }
    assert_eq!(left.first(), Some(&3));
    assert_eq!(left.last(), Some(&0));
    assert!(!is_being_torn_down(world, bot.id));
}

pub(crate) fn a_teardown_goes_on_where_another_worker_left_it(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let bot = world.stored_bot("bot");
    populate(world, &bot);
    delete(&installation, &bot).unwrap();
    let first = claim(&installation);
    for _ in 0..2 {
        assert_eq!(step(&installation, &first), StepOutcome::Continue);
    }
    let half_way = rows(world, &bot);
    assert!(half_way != [0; KINDS] && half_way[0] == 0, "{half_way:?}");

    installation.wait_until(Duration::from_secs(60));
    let second = claim(&installation);
    assert_eq!((second.id, second.attempt), (first.id, first.attempt + 1));
    // The first worker wakes up and believes that it still has the job.
    let jobs = &installation.botyard.jobs;
    assert_eq!(step(&installation, &first), StepOutcome::LeaseLost);
    assert_eq!(wait(jobs.heartbeat(OPERATOR, &first)), Ok(false));
    wait(jobs.finish(OPERATOR, &first)).unwrap();
    wait(jobs.requeue(OPERATOR, &first)).unwrap();
    assert_eq!(rows(world, &bot), half_way);
    assert_eq!(installation.jobs(), slice::from_ref(&second));

    while step(&installation, &second) == StepOutcome::Continue {}
    wait(jobs.finish(OPERATOR, &second)).unwrap();
    assert_eq!(rows(world, &bot), [0; KINDS]);
    assert!(!is_being_torn_down(world, bot.id));
}

pub(crate) fn only_a_deleted_bot_is_torn_down(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    for state in [BotState::Active, BotState::Archived, BotState::Trashed] {
        let mut bot = world.bot("bot");
        bot.state = state;
        world.store_bot(&bot);
        world.store_token(&world.token(TokenOwner::Bot(bot.id)));
        let job = Job::new(world.id(), TEARDOWN_BOT, bot.id, at(0));
        world.write(move |tx| Ok(tx.insert_job(&job)?));
        assert_eq!(installation.work(), [TEARDOWN_BOT]);
        assert_eq!(world.tokens_of(&bot).len(), 1);
        assert_eq!(world.summary(&bot), Some(bot.summary()));
    }
}

pub(crate) fn emptied_trash_is_torn_down(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let mut trashed = Vec::new();
    // More than one round of purging takes.
    for number in 0..25 {
        let mut bot = world.bot("trash");
        bot.state = BotState::Trashed;
        bot.updated_at = at(-10_000 + number);
        world.store_bot(&bot);
        world.store_token(&world.token(TokenOwner::Bot(bot.id)));
        trashed.push(bot);
    }
    let purge = || wait(installation.botyard.bots.purge_trash(OPERATOR, Duration::from_secs(5)));
    assert_eq!((purge(), purge()), (Ok(25), Ok(0)));
    assert!(trashed.iter().all(|bot| is_being_torn_down(world, bot.id)));
    assert_eq!(installation.work(), [TEARDOWN_BOT; 25]);
    for bot in trashed {
        assert!(!is_being_torn_down(world, bot.id));
        assert_eq!(rows(world, &bot), [0; KINDS]);
    }
}

pub(crate) fn a_changelog_in_teardown_is_not_trimmed(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let bot = world.stored_bot("bot");
    let scope = world.scope(&bot);
    let count = usize::try_from(domain::changelog::KEPT).unwrap() + 3;
    let entries: Vec<_> = (0..count).map(|_| world.entry(&scope, &[])).collect();
    world.write(move |tx| {
        Ok(entries.iter().try_for_each(|entry| tx.record(&scope, entry, None))?)
    });
    delete(&installation, &bot).unwrap();
    wait(installation.botyard.changelog.mark_overgrown_for_trim(OPERATOR)).unwrap();
    assert_eq!(wait(installation.botyard.changelog.trim(OPERATOR)), Ok(0));
    assert_eq!(installation.work(), [TEARDOWN_BOT]);
    assert_eq!(rows(world, &bot), [0; KINDS]);
    let overgrown = |tx: &mut dyn Repositories| Ok(tx.overgrown_changelogs(OPERATOR)?);
    assert!(!world.read(overgrown).contains(&bot.id));
}
