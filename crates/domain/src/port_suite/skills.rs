//! Skills.

use std::sync::Arc;

use super::installation::Installation;
use super::world::{World, at, together, wait};
use crate::access::BotScope;
use crate::bot::Bot;
use crate::error::{DomainError, Resource};
use crate::id::{SkillId, StageId};
use crate::json::JsonObject;
use crate::skill::{AnswerMode, Skill};
use crate::store::Store;

const MISSING: DomainError = DomainError::NotFound(Resource::Skill);

/// A skill with nothing but its name and `skillId`, not stored.
pub(super) fn skill(world: &World, bot: &Bot, name: &str) -> Skill {
    Skill {
        id: SkillId::from_uuid(world.id()),
        bot_id: bot.id,
        name: name.to_owned(),
        skill_id: format!("id-of-{name}"),
        description: None,
        enabled: false,
        content: None,
        params: None,
        tool_call_answer: None,
        answer_mode: AnswerMode::Sequence,
        created_at: at(1),
        updated_at: at(2),
    }
}

/// A skill with a value in every field, not stored.
pub(super) fn full_skill(world: &World, bot: &Bot) -> Skill {
    let object = |text| JsonObject::parse(text).unwrap();
    Skill {
        skill_id: "A.b_c-9".to_owned(),
        description: Some(String::new()),
        enabled: true,
        content: Some("ß\r\n\u{202e}\u{7f}".repeat(50_000)),
        params: Some(vec![object(r#"{ "z" : 1.50, "a":{"big":123456789012345678901234567890}}"#)]),
        tool_call_answer: Some(vec!["b".to_owned(), String::new(), "🤖".to_owned()]),
        answer_mode: AnswerMode::SequenceLoop,
        ..skill(world, bot, "Zoë 🤖 \"quoted\" \\ 'single'")
    }
}

pub(super) fn store_skill(world: &World, skill: &Skill, bot: &Bot) {
    let (scope, skill) = (world.scope(bot), skill.clone());
    world.write(move |tx| Ok(tx.insert_skill(&scope, &skill)?));
}

pub(super) fn all_skills(world: &World, bot: &Bot) -> Vec<Skill> {
    let scope = world.scope(bot);
    world.read(move |tx| Ok(tx.skills(&scope, None, 10_000)?))
}

fn find(world: &World, scope: &BotScope, address: &str) -> Option<Skill> {
    let (scope, address) = (scope.clone(), address.to_owned());
    world.read(move |tx| Ok(tx.skill(&scope, &address)?))
}

pub(super) fn a_skill_comes_back_as_it_was(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bot = world.stored_bot("bot");
    let scope = world.scope(&bot);
    let (full, bare) = (full_skill(&world, &bot), skill(&world, &bot, "bare"));
    for stored in [&full, &bare] {
        store_skill(&world, stored, &bot);
        assert_eq!(find(&world, &scope, &stored.skill_id).as_ref(), Some(stored));
        assert_eq!(find(&world, &scope, &stored.id.to_string()).as_ref(), Some(stored));
    }
    // All fields change, and all that can be unset are.
    let emptied = Skill { id: full.id, updated_at: at(9), ..skill(&world, &bot, "emptied") };
    let filled = Skill { id: bare.id, ..full.clone() };
    for changed in [&emptied, &filled] {
        let (scope, changed) = (scope.clone(), changed.clone());
        world.write(move |tx| Ok(tx.update_skill(&scope, &changed)?));
    }
    assert_eq!(all_skills(&world, &bot), [emptied, filled.clone()]);
    let scope_of_bot = scope.clone();
    world.write(move |tx| Ok(tx.delete_skill(&scope_of_bot, full.id)?));
    assert_eq!(all_skills(&world, &bot), [filled]);
    assert!(world.try_write(move |tx| Ok(tx.delete_skill(&scope, full.id)?)).is_err());
}

pub(super) fn skills_are_paged_oldest_first(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    let skills = ["c", "a", "d", "b", "e"].map(|name| skill(&world, &bot, name));
    for index in [3, 0, 4, 2, 1] {
        store_skill(&world, &skills[index], &bot);
    }
    store_skill(&world, &skill(&world, &neighbour, "a"), &neighbour);
    let page = |after: Option<SkillId>, limit| {
        let scope = world.scope(&bot);
        world.read(move |tx| Ok(tx.skills(&scope, after, limit)?))
    };
    assert_eq!(page(None, 100), skills);
    assert_eq!(page(None, 2), skills[..2]);
    assert_eq!(page(Some(skills[1].id), 2), skills[2..4]);
    assert_eq!(page(Some(skills[4].id), 2), []);
}

pub(super) fn a_skill_id_stands_ahead_of_an_id(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bot = world.stored_bot("bot");
    let scope = world.scope(&bot);
    let first = skill(&world, &bot, "first");
    let second = Skill { skill_id: first.id.to_string(), ..skill(&world, &bot, "second") };
    store_skill(&world, &first, &bot);
    assert_eq!(find(&world, &scope, &second.skill_id), Some(first.clone()));
    store_skill(&world, &second, &bot);
    assert_eq!(find(&world, &scope, &second.skill_id), Some(second.clone()));
    assert_eq!(find(&world, &scope, &first.skill_id), Some(first));
    assert_eq!(find(&world, &scope, &second.id.to_string()), Some(second));
    assert_eq!(find(&world, &scope, "nothing"), None);
}

pub(super) fn names_are_compared_byte_by_byte(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bot = world.stored_bot("bot");
    let names = ["ada", "Ada", "ada ", "\u{e9}", "e\u{301}", "ß", "ss"];
    let skills = names.map(|name| skill(&world, &bot, name));
    for stored in &skills {
        store_skill(&world, stored, &bot);
    }
    for stored in &skills {
        let (scope, wanted) = (world.scope(&bot), stored.clone());
        let found = world.read(move |tx| {
            let of_name = tx.skill_of_name(&scope, &wanted.name)?;
            Ok((of_name, tx.skill_of_skill_id(&scope, &wanted.skill_id)?))
        });
        assert_eq!(found, (Some(stored.id), Some(stored.id)), "{}", stored.name);
    }
    let scope = world.scope(&bot);
    let found = world.read(move |tx| {
        Ok((tx.skill_of_name(&scope, "ADA")?, tx.skill_of_skill_id(&scope, "ID-OF-ada")?))
    });
    assert_eq!(found, (None, None));
}

pub(super) fn skills_of_another_bot_are_out_of_reach(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    let stored = skill(&world, &bot, "mine");
    store_skill(&world, &stored, &bot);
    // The neighbour, and this very bot as if it lay in another project.
    for foreign in [world.scope(&neighbour), world.forged_scope(&bot, &world.other_project())] {
        assert_eq!(find(&world, &foreign, &stored.skill_id), None);
        assert_eq!(find(&world, &foreign, &stored.id.to_string()), None);
        let (scope, wanted) = (foreign.clone(), stored.clone());
        world.write(move |tx| {
            assert_eq!(tx.skill_of_name(&scope, &wanted.name)?, None);
            assert_eq!(tx.skill_of_skill_id(&scope, &wanted.skill_id)?, None);
            assert_eq!(tx.skills(&scope, None, 10)?, []);
            assert_eq!(tx.remove_skills(&scope, 10)?, 0);
            Ok(())
        });
        let (scope, mut stolen) = (foreign.clone(), stored.clone());
        stolen.bot_id = foreign.bot_id();
        let inserted = stolen.clone();
        assert!(world.try_write(move |tx| Ok(tx.update_skill(&scope, &stolen)?)).is_err());
        let (scope, id) = (foreign.clone(), stored.id);
        assert!(world.try_write(move |tx| Ok(tx.delete_skill(&scope, id)?)).is_err());
        let (scope, own) = (foreign.clone(), Skill { bot_id: bot.id, ..inserted });
        if foreign.bot_id() != bot.id {
            assert!(world.try_write(move |tx| Ok(tx.insert_skill(&scope, &own)?)).is_err());
        }
    }
    assert_eq!(all_skills(&world, &bot), [stored]);
    assert_eq!(all_skills(&world, &neighbour), []);
}

pub(super) fn names_are_unique_within_a_bot(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    let (claim, other) = (world.claim(&bot), world.claim(&neighbour));
    let create = |claim, json| installation.create_skill(claim, json);
    let taken = |result: Result<Skill, DomainError>| match result {
        Err(DomainError::Taken(faults)) => {
            let told = faults.iter().map(|fault| (fault.pointer.clone(), fault.code.as_str()));
            told.collect::<Vec<_>>()
        }
        other => panic!("{other:?}"),
    };
    let name = || ("/name".to_owned(), "name_taken");
    let skill_id = || ("/skillId".to_owned(), "skill_id_taken");
    let first = create(&claim, r#"{"name":"a","skillId":"x"}"#).unwrap();
    let second = create(&claim, r#"{"name":"b"}"#).unwrap();
    assert_eq!(second.skill_id, second.id.to_string());
    create(&other, r#"{"name":"a","skillId":"x"}"#).unwrap();

    assert_eq!(taken(create(&claim, r#"{"name":"a"}"#)), [name()]);
    assert_eq!(taken(create(&claim, r#"{"name":"c","skillId":"x"}"#)), [skill_id()]);
    assert_eq!(taken(create(&claim, r#"{"name":" a ","skillId":"x"}"#)), [name(), skill_id()]);
    let update = |address: &str, json| {
        wait(installation.botyard.skills.update(
            &claim,
            address.to_owned(),
            installation.body(json),
        ))
    };
    assert_eq!(
        taken(update(&second.skill_id, r#"{"name":"a","skillId":"x"}"#)),
        [name(), skill_id()]
    );
    assert_eq!(all_skills(world, &bot), [first.clone(), second]);

    // Its own name is not taken, and what nobody has any more is free again.
    update("x", r#"{"name":"a","skillId":"y"}"#).unwrap();
    create(&claim, r#"{"name":"c","skillId":"x"}"#).unwrap();
    wait(installation.botyard.skills.delete(&claim, first.id.to_string())).unwrap();
    create(&claim, r#"{"name":"a","skillId":"y"}"#).unwrap();
}

pub(super) fn a_name_is_given_once(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let bot = installation.world.stored_bot("bot");
    let claim = installation.world.claim(&bot);
    let answers =
        together(20, |_| installation.create_skill(&claim, r#"{"name":"wanted by all"}"#));
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 1);
    let taken = |answer: &&Result<_, _>| matches!(answer, Err(DomainError::Taken(_)));
    assert_eq!(answers.iter().filter(taken).count(), 19, "{answers:?}");
    assert_eq!(all_skills(&installation.world, &bot).len(), 1);
    assert_eq!(installation.told(&bot).len(), 1);
}

pub(super) fn a_new_skill_id_is_followed_by_every_stage(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    let claim = world.claim(&bot);
    let stage = |claim, skills: &str| {
        installation.create_stage(claim, &format!(r#"{{"name":"s","skills":{skills}}}"#))
    };
    installation.create_skill(&claim, r#"{"name":"n","skillId":"old"}"#).unwrap();
    let expected = [
        (r#"["a","old","b"]"#, r#"["a","new","b"]"#),
        (r#"["a","older","OLD"]"#, r#"["a","older","OLD"]"#),
        (r#"["new","a","old"]"#, r#"["new","a"]"#),
        (r#"["old","a","new"]"#, r#"["new","a"]"#),
        ("null", "null"),
        ("[]", "[]"),
    ];
    let other = world.claim(&neighbour);
    let of_neighbour = stage(&other, r#"["old"]"#);
    let mut stages: Vec<_> = expected.map(|(before, _)| stage(&claim, before)).into();
    // More than the service takes at once.
    for _ in 0..210 {
        stages.push(stage(&claim, r#"["old"]"#));
    }
    let before = installation.told(&bot).len();
    installation.wait_until(std::time::Duration::from_secs(5));
    let rename = installation.body(r#"{"skillId":"new"}"#);
    wait(installation.botyard.skills.update(&claim, "old".to_owned(), rename)).unwrap();

    let rest = std::iter::repeat_n((r#"["old"]"#, r#"["new"]"#), 210);
    let expected: Vec<_> = expected.into_iter().chain(rest).collect();
    let all = wait(installation.botyard.stages.page(&claim, None, 1_000)).unwrap();
    let mut entries = Vec::new();
    for ((stage, (before, after)), was) in all.iter().zip(&expected).zip(&stages) {
        let skills = serde_json::to_string(&stage.skills).unwrap();
        assert_eq!(&skills, after);
        let is_changed = before != after;
        assert_eq!(stage.updated_at, if is_changed { at(5_000) } else { was.updated_at });
        if is_changed {
            let change = format!(r#"[{{"field":"skills","from":{before},"to":{after}}}]"#);
            entries.push(("update", "stage", stage.id.to_string(), change));
        }
    }
    assert_eq!(all.len(), expected.len());
    assert_eq!(installation.told(&bot)[before + 1..], entries);
    let stages = wait(installation.botyard.stages.page(&other, None, 9)).unwrap();
    assert_eq!(stages, [of_neighbour]);
}

pub(super) fn a_deleted_skill_leaves_stages_and_takes_visual_blocks(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    let claim = world.claim(&bot);
    let created = installation.create_skill(&claim, r#"{"name":"n","skillId":"gone"}"#).unwrap();
    let stage = |skills: &str| -> StageId {
        installation.create_stage(&claim, &format!(r#"{{"name":"s","skills":{skills}}}"#)).id
    };
    let stages = [r#"["a","gone","b"]"#, r#"["gone"]"#, r#"["a"]"#].map(stage);
    let by_id = format!("ifthen_{}", created.id);
    let names = ["ifthen_gone", &by_id, "ifthen_gone2", "gone"];
    for owner in [&bot, &neighbour] {
        for name in names {
            let content = crate::json::Json::of(&1);
            wait(installation.botyard.visual_blocks.put(&world.claim(owner), name, content))
                .unwrap();
        }
    }
    let before = installation.told(&bot).len();
    assert_eq!(
        wait(installation.botyard.skills.delete(&claim, created.id.to_string())),
        Ok(created.id)
    );
    assert_eq!(wait(installation.botyard.skills.get(&claim, "gone".to_owned())), Err(MISSING));
    let left = wait(installation.botyard.stages.page(&claim, None, 9)).unwrap();
    let skills = left.iter().map(|stage| stage.skills.clone().unwrap().join(" "));
    assert_eq!(skills.collect::<Vec<_>>(), ["a b", "", "a"]);
    for (owner, expected) in [(&bot, &names[2..]), (&neighbour, &names[..])] {
        let left = wait(installation.botyard.visual_blocks.page(&world.claim(owner), None, 9));
        let left: Vec<_> = left.unwrap().into_iter().map(|block| block.name).collect();
        assert_eq!(left, expected);
    }
    let change = |text: &str| format!("[{text}]");
    assert_eq!(
        installation.told(&bot)[before..],
        [
            (
                "delete",
                "skill",
                created.id.to_string(),
                change(r#"{"field":"name","from":"n","to":null}"#)
            ),
            (
                "update",
                "stage",
                stages[0].to_string(),
                change(r#"{"field":"skills","from":["a","gone","b"],"to":["a","b"]}"#)
            ),
            (
                "update",
                "stage",
                stages[1].to_string(),
                change(r#"{"field":"skills","from":["gone"],"to":[]}"#)
            ),
        ]
    );
}

pub(super) fn a_skill_is_changed_by_either_address(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let bot = world.stored_bot("bot");
    let (claim, skills) = (world.claim(&bot), &installation.botyard.skills);
    let created = installation.create_skill(&claim, r#"{"name":"n","skillId":"x"}"#).unwrap();
    for (address, content) in [("x".to_owned(), "one"), (created.id.to_string(), "two")] {
        let request = installation.body(&format!(r#"{{"content":"{content}"}}"#));
        let changed = wait(skills.update(&claim, address.clone(), request)).unwrap();
        assert_eq!(changed.content.as_deref(), Some(content));
        assert_eq!(wait(skills.get(&claim, address)), Ok(changed));
    }
    let told = installation.told(&bot);
    // What changes nothing leaves no trace.
    installation.wait_until(std::time::Duration::from_secs(5));
    let same = installation.body(r#"{"content":"two","enabled":true,"skillId":"x"}"#);
    assert_eq!(wait(skills.update(&claim, "x".to_owned(), same)).unwrap().updated_at, at(0));
    assert_eq!(installation.told(&bot), told);

    let unknown = world.id().to_string();
    for address in ["", "X", "x ", "\0", &unknown, &created.id.to_string().to_uppercase()] {
        assert_eq!(wait(skills.get(&claim, address.to_owned())), Err(MISSING), "{address:?}");
        let request = installation.body(r#"{"content":"three"}"#);
        let answer = wait(skills.update(&claim, address.to_owned(), request));
        assert_eq!(answer, Err(MISSING), "{address:?}");
        let answer = wait(skills.delete(&claim, address.to_owned()));
        assert_eq!(answer, Err(MISSING), "{address:?}");
    }
    let mut gone = bot;
    gone.state = crate::bot::BotState::Archived;
    let scope = world.scope(&gone);
    world.write(move |tx| Ok(tx.update_bot(&scope, &gone)?));
    let no_bot = DomainError::NotFound(Resource::Bot);
    assert_eq!(wait(skills.get(&claim, "x".to_owned())), Err(no_bot.clone()));
    assert_eq!(wait(skills.page(&claim, None, 9)), Err(no_bot.clone()));
    assert_eq!(installation.create_skill(&claim, r#"{"name":"m"}"#), Err(no_bot));
}
