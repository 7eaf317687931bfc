//! Skills: what services make of it.

use std::sync::Arc;

use crate::contract::skills::{MISSING, all_skills};
use crate::services::installation::Installation;
use crate::world::{at, together, wait};
use domain::error::{DomainError, Resource};
use domain::id::StageId;
use domain::json::Json;
use domain::list::ListQuery;
use domain::skill::Skill;
use domain::store::Store;
use domain::visual_block::NewVisualBlock;

pub(crate) fn names_are_unique_within_a_bot(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    let (claim, other) = (world.claim(&bot), world.claim(&neighbour));
    let create = |claim, json| installation.create_skill(claim, json);
    let taken = |result: Result<Skill, DomainError>| match result {
        Err(DomainError::Taken(violations)) => {
            let conflicts = violations
                .iter()
                .map(|violation| (violation.pointer.clone(), violation.code.as_str()));
            conflicts.collect::<Vec<_>>()
        }
        other => panic!("{other:?}"),
    };
    let name = || ("/name".to_owned(), "name_taken");
    let skill_id = || ("/skillId".to_owned(), "skill_id_taken");
    let first = create(&claim, r#"{"name":"a","skillId":"x"}"#).unwrap();
    let second = create(&claim, r#"{"name":"b"}"#).unwrap();
    assert_eq!(second.fields.skill_id, second.id.to_string());
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
        taken(update(&second.fields.skill_id, r#"{"name":"a","skillId":"x"}"#)),
        [name(), skill_id()]
    );
    assert_eq!(all_skills(world, &bot), [first.clone(), second]);

    // Its own name is not taken, and a name or `skillId` that no skill has any more is free again.
    update("x", r#"{"name":"a","skillId":"y"}"#).unwrap();
    create(&claim, r#"{"name":"c","skillId":"x"}"#).unwrap();
    wait(installation.botyard.skills.delete(&claim, first.id.to_string())).unwrap();
    create(&claim, r#"{"name":"a","skillId":"y"}"#).unwrap();
}

pub(crate) fn a_name_is_given_once(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let bot = installation.world.stored_bot("bot");
    let claim = installation.world.claim(&bot);
    let answers =
        together(20, |_| installation.create_skill(&claim, r#"{"name":"wanted by all"}"#));
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 1);
    let taken = |answer: &&Result<_, _>| matches!(answer, Err(DomainError::Taken(_)));
    assert_eq!(answers.iter().filter(taken).count(), 19, "{answers:?}");
    assert_eq!(all_skills(&installation.world, &bot).len(), 1);
    assert_eq!(installation.changelog_entries(&bot).len(), 1);
}

pub(crate) fn a_new_skill_id_is_followed_by_every_stage(store: Arc<dyn Store>) {
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
    let before = installation.changelog_entries(&bot).len();
    installation.wait_until(std::time::Duration::from_secs(5));
    let rename = installation.body(r#"{"skillId":"new"}"#);
    wait(installation.botyard.skills.update(&claim, "old".to_owned(), rename)).unwrap();

    let rest = std::iter::repeat_n((r#"["old"]"#, r#"["new"]"#), 210);
    let expected: Vec<_> = expected.into_iter().chain(rest).collect();
    let all = wait(installation.botyard.stages.page(&claim, &ListQuery::default(), None, 1_000))
        .unwrap()
        .0;
    let mut entries = Vec::new();
    for ((stage, (before, after)), was) in all.iter().zip(&expected).zip(&stages) {
        let skills = serde_json::to_string(&stage.fields.skills).unwrap();
        assert_eq!(&skills, after);
        let is_changed = before != after;
        assert_eq!(stage.updated_at, if is_changed { at(5_000) } else { was.updated_at });
        if is_changed {
            let change = format!(r#"[{{"field":"skills","from":{before},"to":{after}}}]"#);
            entries.push(("update", "stage", stage.id.to_string(), change));
        }
    }
    assert_eq!(all.len(), expected.len());
    assert_eq!(installation.changelog_entries(&bot)[before + 1..], entries);
    let stages =
        wait(installation.botyard.stages.page(&other, &ListQuery::default(), None, 9)).unwrap().0;
    assert_eq!(stages, [of_neighbour]);
}

pub(crate) fn a_deleted_skill_leaves_stages_and_takes_visual_blocks(store: Arc<dyn Store>) {
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
            let block = NewVisualBlock { name: name.to_owned(), content: Json::of(&1) };
            let block = installation.valid(&block);
            wait(installation.botyard.visual_blocks.put(&world.claim(owner), block)).unwrap();
        }
    }
    let before = installation.changelog_entries(&bot).len();
    assert_eq!(
        wait(installation.botyard.skills.delete(&claim, created.id.to_string())),
        Ok(created.id)
    );
    assert_eq!(wait(installation.botyard.skills.get(&claim, "gone".to_owned())), Err(MISSING));
    let left =
        wait(installation.botyard.stages.page(&claim, &ListQuery::default(), None, 9)).unwrap().0;
    let skills = left.iter().map(|stage| stage.fields.skills.clone().unwrap().join(" "));
    assert_eq!(skills.collect::<Vec<_>>(), ["a b", "", "a"]);
    for (owner, expected) in [(&bot, &names[2..]), (&neighbour, &names[..])] {
        let left = wait(installation.botyard.visual_blocks.page(&world.claim(owner), None, 9));
        let left: Vec<_> = left.unwrap().into_iter().map(|block| block.name).collect();
        assert_eq!(left, expected);
    }
    let change = |text: &str| format!("[{text}]");
    assert_eq!(
        installation.changelog_entries(&bot)[before..],
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

pub(crate) fn a_skill_is_changed_by_either_address(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let bot = world.stored_bot("bot");
    let (claim, skills) = (world.claim(&bot), &installation.botyard.skills);
    let created = installation.create_skill(&claim, r#"{"name":"n","skillId":"x"}"#).unwrap();
    for (address, content) in [("x".to_owned(), "one"), (created.id.to_string(), "two")] {
        let request = installation.body(&format!(r#"{{"content":"{content}"}}"#));
        let changed = wait(skills.update(&claim, address.clone(), request)).unwrap();
        assert_eq!(changed.fields.content.as_deref(), Some(content));
        assert_eq!(wait(skills.get(&claim, address)), Ok(changed));
    }
    let entries = installation.changelog_entries(&bot);
    // What changes nothing leaves no trace.
    installation.wait_until(std::time::Duration::from_secs(5));
    let same = installation.body(r#"{"content":"two","enabled":true,"skillId":"x"}"#);
    assert_eq!(wait(skills.update(&claim, "x".to_owned(), same)).unwrap().updated_at, at(0));
    assert_eq!(installation.changelog_entries(&bot), entries);

    let unknown = world.id().to_string();
    for address in ["", "X", "x ", "\0", &unknown, &created.id.to_string().to_uppercase()] {
        assert_eq!(wait(skills.get(&claim, address.to_owned())), Err(MISSING), "{address:?}");
        let request = installation.body(r#"{"content":"three"}"#);
        let answer = wait(skills.update(&claim, address.to_owned(), request));
        assert_eq!(answer, Err(MISSING), "{address:?}");
        let answer = wait(skills.delete(&claim, address.to_owned()));
        assert_eq!(answer, Err(MISSING), "{address:?}");
    }
    let scope = world.scope(&bot);
    world.write(move |tx| Ok(tx.set_bot_state(&scope, domain::bot::BotState::Archived, at(0))?));
    let no_bot = DomainError::NotFound(Resource::Bot);
    assert_eq!(wait(skills.get(&claim, "x".to_owned())), Err(no_bot.clone()));
    assert_eq!(wait(skills.page(&claim, &ListQuery::default(), None, 9)), Err(no_bot.clone()));
    assert_eq!(installation.create_skill(&claim, r#"{"name":"m"}"#), Err(no_bot));
}
