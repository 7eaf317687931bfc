//! Duplicates of bots.

use std::sync::Arc;
use std::time::Duration;

use crate::contract::crawls::{all_crawls, crawl, ended_crawl, store_crawl};
use crate::contract::page_sets::all_pages;
use crate::contract::skills::{all_skills, full_skill, skill, store_skill};
use crate::contract::stages::{all_stages, full_stage, stage, store_stage};
use crate::contract::visual_blocks::{all_blocks, block, put_block};
use crate::intercepted_store::InterceptedStore;
use crate::samples::blobs::{blob, store_blob};
use crate::samples::fusion_views::{all_views, full_view, store_view, view};
use crate::services::installation::Installation;
use crate::world::{World, at, together, wait};
use domain::access::TokenOwner;
use domain::bot::{Bot, BotWithTokens};
use domain::copy_step::CopyStep;
use domain::crawl::WebsiteCrawl;
use domain::error::{DomainError, Quota, Resource};
use domain::fusion::FusionView;
use domain::lock::{Lock, Mode};
use domain::skill::Skill;
use domain::stage::Stage;
use domain::store::Store;
use domain::testing::ResolveClaim as _;
use domain::visual_block::VisualBlock;
use domain::{Botyard, Limits};

/// More than one statement copies.
const MANY: usize = 1_050;

/// Gives a bot something of everything. Of its crawls, two have ended.
fn populate(world: &World, bot: &Bot) {
    for _ in 0..2 {
        ended_crawl(world, bot);
    }
    store_crawl(world, &crawl(world, bot, ""), bot);
    store_skill(world, &full_skill(world, bot), bot);
    store_skill(world, &skill(world, bot, "bare"), bot);
    store_stage(world, &full_stage(world, bot), bot);
    store_stage(world, &stage(world, bot, None), bot);
    let file = blob(world, bot, 1);
    store_blob(world, &file, bot);
    store_view(world, &full_view(world, bot, &file), bot);
    store_view(world, &view(world, bot), bot);
    for name in ["ifthen_x", "another"] {
        put_block(world, &block(world, bot, name), bot);
    }
    world.store_token(&world.token(TokenOwner::Bot(bot.id)));
    let scope = world.scope(bot);
    world.store_entry(&scope, &world.entry(&scope, &[]));
}

/// All that a bot has but its changelog.
type Content =
    (Vec<Skill>, Vec<Stage>, Vec<FusionView>, Vec<WebsiteCrawl>, Vec<VisualBlock>, usize);

fn content(world: &World, bot: &Bot) -> Content {
    (
        all_skills(world, bot),
        all_stages(world, bot),
        all_views(world, bot),
        all_crawls(world, bot),
        all_blocks(world, bot),
        world.tokens_of(bot).len(),
    )
}

fn duplicate(installation: &Installation, botyard: &Botyard, bot: &Bot) -> Duplicate {
    let claim = installation.world.claim(bot);
    wait(botyard.bots.duplicate(&claim, installation.body("{}")))
}

type Duplicate = Result<BotWithTokens, DomainError>;

/// Rows of another bot that are otherwise the same, but made just now.
macro_rules! assert_copied {
    ($entity:ident, $bot:expr, $originals:expr, $copies:expr) => {{
        let (originals, copies) = (&$originals, &$copies);
        assert_eq!((originals.len(), copies.len()), (2, 2));
        for (original, copy) in originals.iter().zip(copies) {
            assert_ne!(original.id, copy.id);
            let expected = $entity {
                id: copy.id,
                bot_id: $bot.id,
                created_at: at(5_000),
                updated_at: at(5_000),
                ..original.clone()
            };
            assert_eq!(*copy, expected);
        }
    }};
}

pub(crate) fn a_duplicate_has_all_that_the_bot_is_made_of(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    populate(world, &bot);
    let before = content(world, &bot);
    installation.wait_until(Duration::from_secs(5));
    let made = duplicate(&installation, &installation.botyard, &bot).unwrap();
    let copy = made.bot;
    assert_eq!(world.find(&copy), Some(copy.clone()));
    assert_eq!(made.tokens, []);
    assert_eq!(content(world, &bot), before, "nothing of the original changes");

    let (skills, stages, views, crawls, blocks, tokens) = content(world, &copy);
    assert_eq!(tokens, 0);
    assert_copied!(VisualBlock, copy, before.4, blocks);
    assert_copied!(Skill, copy, before.0, skills);
    assert_copied!(Stage, copy, before.1, stages);
    assert_copied!(FusionView, copy, before.2, views);
    assert_copied!(WebsiteCrawl, copy, before.3[..2], crawls);
    for crawl in &crawls {
        let pages = all_pages(world, &copy, crawl.page_set_id);
        assert_eq!((pages.len(), &pages), (2, &all_pages(world, &bot, crawl.page_set_id)));
    }
    assert_eq!(content(world, &neighbour), Content::default());

    let entries_of = |bot| -> Vec<_> {
        let entries = installation.changelog_entries(bot).into_iter();
        entries.map(|(action, resource, id, _)| (action, resource, id)).collect()
    };
    let entry = ("duplicate", "bot", copy.id.to_string());
    assert_eq!(entries_of(&copy), [entry]);
    assert_eq!(entries_of(&bot)[1..], entries_of(&copy));
}

pub(crate) fn many_rows_are_copied_in_their_order(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let bot = world.stored_bot("bot");
    let skills: Vec<_> =
        (0..MANY).map(|number| skill(world, &bot, &format!("{}", number * 11 % MANY))).collect();
    let (scope, stored) = (world.scope(&bot), skills.clone());
    world
        .write(move |tx| Ok(stored.iter().try_for_each(|skill| tx.insert_skill(&scope, skill))?));
    let copy = duplicate(&installation, &installation.botyard, &bot).unwrap().bot;
    let names = |skills: Vec<Skill>| -> Vec<_> {
        skills.into_iter().map(|skill| (skill.fields.name, skill.fields.skill_id)).collect()
    };
    assert_eq!(names(all_skills(world, &copy)), names(skills.clone()));
    assert_eq!(all_skills(world, &bot), skills);
}

pub(crate) fn rows_are_copied_within_a_project(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bot = world.stored_bot("bot");
    populate(&world, &bot);
    let abroad = world.bot_of(&world.other_project());
    let (from, to) = (world.scope(&bot), world.scope(&abroad));
    let id = world.id();
    let copied = world.try_write(move |tx| {
        Ok(tx.copy_skills((&from, &to), at(0), &mut CopyStep::whole(), &mut || {
            domain::id::SkillId::from_uuid(id)
        })?)
    });
    assert!(copied.is_err());
    // Nor does a bot of another project have anything to copy.
    let (forged, to) = (world.forged_scope(&abroad, &world.project), world.scope(&bot));
    world.write(move |tx| {
        Ok(tx.copy_skills((&forged, &to), at(0), &mut CopyStep::whole(), &mut || {
            panic!("there is nothing to copy")
        })?)
    });
    assert_eq!(all_skills(&world, &abroad), []);
}

/// A store that undoes every writing unit after it was run to its end.
fn undoing(store: Arc<dyn Store>) -> Arc<dyn Store> {
    InterceptedStore::of(store, |mode, _, unit| match mode {
        Mode::LookUp | Mode::Read => Ok(unit),
        Mode::Write => Ok(Box::new(move |tx| {
            unit(tx)?;
            Err(DomainError::Refused("undone on purpose".to_owned()))
        })),
    })
}

pub(crate) fn a_duplicate_is_made_as_a_whole_or_not_at_all(store: Arc<dyn Store>) {
    let installation =
        Installation::with(store.clone(), Limits { bots_per_project: 2, ..Limits::default() });
    let world = &installation.world;
    let bot = world.stored_bot("bot");
    populate(world, &bot);
    let before = (content(world, &bot), installation.changelog_entries(&bot));
    let all = || {
        let project = world.project.id;
        world.read(move |tx| Ok(tx.bots_in_any_state(crate::world::OPERATOR, project)?))
    };
    let undone = duplicate(&installation, &installation.behind(undoing(store)), &bot);
    assert_eq!(undone, Err(DomainError::Refused("undone on purpose".to_owned())));
    assert_eq!(all(), [bot.summary()]);
    let neighbour = world.stored_bot("neighbour");
    let full = DomainError::QuotaExceeded(Quota::BotsPerProject(2));
    assert_eq!(duplicate(&installation, &installation.botyard, &bot), Err(full));
    assert_eq!(all(), [bot.summary(), neighbour.summary()]);
    assert_eq!((content(world, &bot), installation.changelog_entries(&bot)), before);
    let missing = duplicate(&installation, &installation.botyard, &world.bot("missing"));
    assert_eq!(missing, Err(DomainError::NotFound(Resource::Bot)));
}

/// While a bot is copied, others rename a skill of it: every copy has all of a change or nothing.
pub(crate) fn duplicates_beside_changes_are_of_one_state(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let bot = world.stored_bot("bot");
    let claim = world.claim(&bot);
    installation.create_skill(&claim, r#"{"name":"n","skillId":"s"}"#).unwrap();
    for _ in 0..5 {
        installation.create_stage(&claim, r#"{"name":"s","skills":["s"]}"#);
    }
    let address = all_skills(world, &bot)[0].id.to_string();
    let copies = together(4, |number| {
        let copies = (0..4).filter_map(|round| {
            if number == 0 {
                let rename = installation.body(&format!(r#"{{"skillId":"s{round}"}}"#));
                let update = installation.botyard.skills.update(&claim, address.clone(), rename);
                wait(update).unwrap();
                return None;
            }
            Some(duplicate(&installation, &installation.botyard, &bot).unwrap().bot)
        });
        copies.collect::<Vec<_>>()
    });
    for copy in copies.concat() {
        let skill_id = all_skills(world, &copy)[0].fields.skill_id.clone();
        let stages = all_stages(world, &copy);
        assert_eq!(stages.len(), 5);
        assert!(stages.iter().all(|stage| stage.fields.skills == Some(vec![skill_id.clone()])));
    }
    let claim = world.claim_on_project();
    let count = world.read(move |tx| {
        let (_, scope) = claim.resolve(tx, Lock::None)?;
        Ok(tx.count_bots(&scope)?)
    });
    assert_eq!(count, 13);
}
