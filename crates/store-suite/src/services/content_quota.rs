//! How much content a bot may have, and all bots of a project.

use std::sync::Arc;

use crate::services::installation::Installation;
use crate::world::{project_of, wait};
use domain::Limits;
use domain::bot::{Bot, DeleteMode, DuplicateBot};
use domain::error::{DomainError, Quota};
use domain::stage::Stage;
use domain::store::Store;

pub(crate) fn content_is_counted_until_it_goes(store: Arc<dyn Store>) {
    let limits = Limits { content_per_bot: 40_000, ..Limits::default() };
    let installation = Installation::with(store.clone(), limits);
    let world = &installation.world;
    let bot = world.stored_bot("bot");
    let (claim, scope) = (world.claim(&bot), world.scope(&bot));
    let counted = || {
        let scope = scope.clone();
        world.read(move |tx| Ok(tx.content_bytes(&scope)?))
    };
    assert_eq!(counted(), 0);
    let text = |size: usize| "x".repeat(size);
    let skill = format!(r#"{{"name":"a","skillId":"a","content":"{}"}}"#, text(10_000));
    installation.create_skill(&claim, &skill).unwrap();
    let stage = format!(r#"{{"name":"a","skills":["a"],"enterJS":"{}"}}"#, text(10_000));
    installation.create_stage(&claim, &stage);
    let view = installation.create_view(&claim);
    let before = counted();
    assert!((20_000..40_000).contains(&before), "{before}");

    let full = DomainError::QuotaExceeded(Quota::ContentPerBot(40_000));
    let longer = format!(r#"{{"content":"{}"}}"#, text(30_000));
    let skills = &installation.botyard.skills;
    let update = |body: &str| wait(skills.update(&claim, "a".into(), installation.body(body)));
    assert_eq!(update(&longer), Err(full.clone()));
    let other = format!(r#"{{"name":"b","content":"{}"}}"#, text(30_000));
    assert_eq!(installation.create_skill(&claim, &other), Err(full));
    assert_eq!(counted(), before);

    // A longer `skillId` is counted in the stages that follow it.
    update(&format!(r#"{{"skillId":"{}"}}"#, text(100))).unwrap();
    assert_eq!(counted(), before + 99);
    // A copy has as much, and is counted by itself.
    let copy = wait(
        installation
            .botyard
            .bots
            .duplicate(&claim, installation.valid(&DuplicateBot { name: None })),
    );
    let of_copy = world.scope(&copy.unwrap().bot);
    assert_eq!(world.read(move |tx| Ok(tx.content_bytes(&of_copy)?)), before + 99);
    // Where the quota was lowered, what is there may still be changed, but not grow.
    let tight = Installation::with(store, Limits { content_per_bot: 1_000, ..Limits::default() });
    let tight = &tight.botyard.skills;
    let update = |body: &str| wait(tight.update(&claim, text(100), installation.body(body)));
    assert!(update(r#"{"enabled":false,"content":"shorter"}"#).is_ok());
    let full = DomainError::QuotaExceeded(Quota::ContentPerBot(1_000));
    assert_eq!(update(r#"{"content":"and longer again"}"#), Err(full));
    wait(skills.delete(&claim, text(100))).unwrap();
    wait(installation.botyard.fusion.delete(&claim, view.id)).unwrap();
    assert!(counted() < before - 10_000, "{}", counted());
}

pub(crate) fn content_of_all_bots_of_a_project_is_counted(store: Arc<dyn Store>) {
    const LIMIT: u64 = 50_000;
    let limits = Limits { content_per_project: LIMIT, ..Limits::default() };
    let installation = Installation::with(store, limits);
    let (world, botyard) = (&installation.world, &installation.botyard);
    let [one, other, empty] = ["one", "other", "empty"].map(|name| world.stored_bot(name));
    let counted = || {
        let scope = project_of(&world.scope(&one));
        world.read(move |tx| Ok(tx.content_bytes_of_project(&scope)?))
    };
    let add = |bot: &Bot, name: &str, size: usize| {
        let content = "x".repeat(size);
        let skill = format!(r#"{{"name":"{name}","content":"{content}"}}"#);
        installation.create_skill(&world.claim(bot), &skill).map(drop)
    };
    let duplicate = |bot: &Bot| {
        wait(
            botyard
                .bots
                .duplicate(&world.claim(bot), installation.valid(&DuplicateBot { name: None })),
        )
        .map(drop)
    };
    let full = Err(DomainError::QuotaExceeded(Quota::ContentPerProject(LIMIT)));
    assert_eq!(add(&one, "a", 10_000), Ok(()));
    assert_eq!(add(&other, "a", 20_000), Ok(()));
    let before = counted();
    assert!((30_000..40_000).contains(&before), "{before}");
    assert_eq!(add(&one, "b", 20_000), full);
    assert_eq!(duplicate(&other), full);
    assert_eq!(counted(), before);
    assert_eq!(duplicate(&one), Ok(()));
    assert_eq!(duplicate(&one), full);
    // A bot without content adds none.
    assert_eq!(duplicate(&empty), Ok(()));

    // Another project has a quota of its own.
    let abroad = world.bot_of(&world.other_project());
    assert_eq!(add(&abroad, "a", 40_000), Ok(()));
    let delete = wait(botyard.bots.delete(&world.claim(&other), DeleteMode::Delete)).map(drop);
    assert_eq!(delete, Ok(()));
    assert_eq!(duplicate(&one), full);
    let _ = installation.work();
    assert_eq!(duplicate(&one), Ok(()));
}

pub(crate) fn lists_of_skills_of_a_bot_are_bounded(store: Arc<dyn Store>) {
    const LIMIT: u64 = 12_000;
    let limits = Limits { skill_lists_per_bot: LIMIT, ..Limits::default() };
    let installation = Installation::with(store.clone(), limits);
    let (world, stages) = (&installation.world, &installation.botyard.stages);
    let bot = world.stored_bot("bot");
    let (claim, scope) = (world.claim(&bot), world.scope(&bot));
    let create = |json: &str| wait(stages.create(&claim, installation.body(json)));
    let list = |skills: u32| {
        let skills: Vec<_> = (0..skills).map(|skill| format!("\"skill-{skill:05}\"")).collect();
        format!(r#"{{"name":"stage","skills":[{}]}}"#, skills.join(","))
    };
    // 12 characters, two quotation marks and a comma or bracket each.
    let long = create(&list(500)).unwrap();
    let counted = || {
        let scope = scope.clone();
        world.read(move |tx| Ok(tx.skill_list_bytes(&scope)?))
    };
    assert_eq!(counted(), 500 * 14 + 1);
    // A stage without skills counts, so that there are not too many of them.
    let short = create(r#"{"name":"stage"}"#).unwrap();
    assert_eq!(counted(), 500 * 14 + 1 + 4096);
    let full = Err(DomainError::QuotaExceeded(Quota::SkillListsPerBot(LIMIT)));
    assert_eq!(create(r#"{"name":"stage"}"#), full);
    let update = |stage: &Stage, json: &str| {
        wait(stages.update(&claim, stage.id, installation.body(json))).map(drop)
    };
    assert_eq!(update(&short, &list(100)), Ok(()));
    assert_eq!(update(&short, &list(400)), full.map(drop));
    assert_eq!(counted(), 500 * 14 + 1 + 4096);

    // Another bot has a quota of its own, and where it was lowered, lists may become shorter.
    let other = world.claim(&world.stored_bot("other"));
    assert!(wait(stages.create(&other, installation.body(&list(500)))).is_ok());
    let tight = Limits { skill_lists_per_bot: 1_000, ..Limits::default() };
    let tight = Installation::with(store, tight);
    let body = tight.body(&list(400));
    assert!(wait(tight.botyard.stages.update(&claim, long.id, body)).is_ok());
}
