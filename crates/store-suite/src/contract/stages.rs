//! Stages.

use std::slice;
use std::sync::Arc;

use crate::world::{World, at};
use domain::bot::Bot;
use domain::id::StageId;
use domain::stage::{Stage, StageFields};
use domain::store::Store;

/// A stage with nothing but its title, name and skills, not stored.
pub(crate) fn stage(world: &World, bot: &Bot, skills: Option<&[&str]>) -> Stage {
    Stage {
        id: StageId::from_uuid(world.id()),
        bot_id: bot.id,
        fields: StageFields {
            title: "Titel".to_owned(),
            name: "name".to_owned(),
            skills: skills.map(|skills| skills.iter().map(ToString::to_string).collect()),
            ..StageFields::default()
        },
        created_at: at(1),
        updated_at: at(2),
    }
}

/// A stage with a value in every field, not stored.
pub(crate) fn full_stage(world: &World, bot: &Bot) -> Stage {
    let named = stage(world, bot, Some(&["b", "a", "not \"there\" 🤖\u{1}"]));
    let fields = StageFields {
        title: "Zoë 🤖 \"quoted\" \\".to_owned(),
        name: String::new(),
        hidden: Some(true),
        footer: Some(false),
        force_skills: Some(true),
        enter_js: Some("ß".repeat(512 * 1024)),
        exit_js: Some(String::new()),
        pre_condition_js: Some("return '\u{2028}';\r\n".to_owned()),
        ..named.fields
    };
    Stage { fields, ..named }
}

pub(crate) fn store_stage(world: &World, stage: &Stage, bot: &Bot) {
    let (scope, stage) = (world.scope(bot), stage.clone());
    world.write(move |tx| Ok(tx.insert_stage(&scope, &stage)?));
}

pub(crate) fn all_stages(world: &World, bot: &Bot) -> Vec<Stage> {
    let scope = world.scope(bot);
    world.whole(move |tx, after| Ok(tx.stages(&scope, after, 10_000)?), |stage| stage.id)
}

pub(crate) fn a_stage_comes_back_as_it_was(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bot = world.stored_bot("bot");
    let (full, bare) = (full_stage(&world, &bot), stage(&world, &bot, None));
    for stored in [&full, &bare] {
        store_stage(&world, stored, &bot);
        let (scope, id) = (world.scope(&bot), stored.id);
        assert_eq!(world.read(move |tx| Ok(tx.stage(&scope, id)?)).as_ref(), Some(stored));
    }
    let emptied = Stage { id: full.id, ..stage(&world, &bot, Some(&[])) };
    let filled = Stage { id: bare.id, updated_at: at(9), ..full.clone() };
    let update = |from: &Stage, to: &Stage| {
        let (scope, from, to) = (world.scope(&bot), from.clone(), to.clone());
        world.write(move |tx| Ok(tx.update_stage(&scope, &from, &to)?));
    };
    update(&full, &emptied);
    update(&bare, &filled);
    assert_eq!(all_stages(&world, &bot), [emptied.clone(), filled.clone()]);
    // All but its name, and back.
    let fields = StageFields { name: emptied.fields.name.clone(), ..full.fields.clone() };
    let refilled = Stage { fields, updated_at: at(10), ..emptied.clone() };
    update(&emptied, &refilled);
    assert_eq!(all_stages(&world, &bot), [refilled.clone(), filled.clone()]);
    update(&refilled, &emptied);
    assert_eq!(all_stages(&world, &bot), [emptied.clone(), filled.clone()]);

    // Only the skills and the time change, of several stages at once or of none.
    let [other, expected] = [(emptied, "a"), (filled, "x \"y\"")].map(|(mut stage, skill)| {
        stage.fields.skills = Some(vec![skill.to_owned()]);
        Stage { updated_at: at(10), ..stage }
    });
    let (scope, set) = (world.scope(&bot), [other.clone(), expected.clone()]);
    world.write(move |tx| {
        tx.update_skills_of_stages(&scope, &[], at(11))?;
        let lists = set.clone().map(|stage| (stage.id, stage.fields.skills.unwrap_or_default()));
        tx.update_skills_of_stages(&scope, &lists, at(10))?;
        // They count as much as if all of them were stored.
        let bytes = tx.content_bytes(&scope)?;
        set.iter().try_for_each(|stage| tx.update_stage(&scope, stage, stage))?;
        assert_eq!(tx.content_bytes(&scope)?, bytes);
        Ok(())
    });
    assert_eq!(all_stages(&world, &bot), [other, expected.clone()]);
    for is_there in [true, false] {
        let scope = world.scope(&bot);
        let deleted = world.try_write(move |tx| Ok(tx.delete_stage(&scope, full.id)?));
        assert_eq!(deleted.is_ok(), is_there);
        assert_eq!(all_stages(&world, &bot), slice::from_ref(&expected));
    }
}

pub(crate) fn stages_are_paged_oldest_first(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    let stages = [(); 5].map(|()| stage(&world, &bot, None));
    for index in [3, 0, 4, 2, 1] {
        store_stage(&world, &stages[index], &bot);
    }
    store_stage(&world, &stage(&world, &neighbour, None), &neighbour);
    let page = |after: Option<StageId>, limit| {
        let scope = world.scope(&bot);
        world.read(move |tx| Ok(tx.stages(&scope, after, limit)?.into_items()))
    };
    assert_eq!(page(None, 100), stages);
    assert_eq!(page(None, 2), stages[..2]);
    assert_eq!(page(Some(stages[1].id), 2), stages[2..4]);
    assert_eq!(page(Some(stages[4].id), 2), []);
}

pub(crate) fn stages_with_a_skill_are_found_exactly(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    // A comma between two items looks like an item that is a comma.
    let skills: [&[&str]; 9] = [
        &["ab", "a"],
        &["a", ","],
        &["A"],
        &["x", "y", "z"],
        &["say \"a\"", "ü\\"],
        &[],
        &["x", "y", "a"],
        &["x", "y"],
        &[",", "y"],
    ];
    let stages = skills.map(|skills| stage(&world, &bot, Some(skills)));
    for stage in &stages {
        store_stage(&world, stage, &bot);
    }
    store_stage(&world, &stage(&world, &bot, None), &bot);
    store_stage(&world, &stage(&world, &neighbour, Some(&["a", ","])), &neighbour);
    let page = |skill: &str, after: Option<StageId>, limit| {
        let (scope, skill) = (world.scope(&bot), skill.to_owned());
        world.read(move |tx| Ok(tx.stages_with_skill(&scope, &skill, after, limit)?))
    };
    let expected = |indexes: &[usize]| -> Vec<_> {
        let one =
            |index: &usize| (stages[*index].id, stages[*index].fields.skills.clone().unwrap());
        indexes.iter().map(one).collect()
    };
    for (skill, indexes) in [
        ("a", &[0, 1, 6][..]),
        ("ab", &[0]),
        ("A", &[2]),
        (",", &[1, 8]),
        ("say \"a\"", &[4]),
        ("ü\\", &[4]),
        ("say", &[]),
        ("b", &[]),
        ("", &[]),
    ] {
        assert_eq!(page(skill, None, 100), expected(indexes), "{skill}");
        // One by one, past all those that only look like it.
        let (mut after, mut found) = (None, Vec::new());
        while let [one] = &page(skill, after, 1)[..] {
            found.push(one.clone());
            after = Some(one.0);
        }
        assert_eq!(found, expected(indexes), "{skill}");
    }
    assert_eq!(page("a", None, 2), expected(&[0, 1]));
    assert_eq!(page("a", Some(stages[1].id), 2), expected(&[6]));
    assert_eq!(page("a", None, 0), []);
}

pub(crate) fn stages_of_another_bot_are_out_of_reach(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    let stored = stage(&world, &bot, Some(&["a"]));
    store_stage(&world, &stored, &bot);
    for foreign in [world.scope(&neighbour), world.forged_scope(&bot, &world.other_project())] {
        let (scope, id) = (foreign.clone(), stored.id);
        world.write(move |tx| {
            assert_eq!(tx.stage(&scope, id)?, None);
            assert_eq!(tx.stages(&scope, None, 10)?.into_items(), []);
            assert_eq!(tx.stages_with_skill(&scope, "a", None, 10)?, []);
            assert_eq!(tx.remove_stages(&scope, 10)?, 0);
            Ok(())
        });
        let (scope, stolen) =
            (foreign.clone(), Stage { bot_id: foreign.bot_id(), ..stored.clone() });
        assert!(world.try_write(move |tx| Ok(tx.update_stage(&scope, &stolen, &stolen)?)).is_err());
        let scope = foreign.clone();
        let skills = move |tx: &mut dyn domain::store::Repositories| {
            Ok(tx.update_skills_of_stages(&scope, &[(id, Vec::new())], at(9))?)
        };
        assert!(world.try_write(skills).is_err());
        let scope = foreign.clone();
        assert!(world.try_write(move |tx| Ok(tx.delete_stage(&scope, id)?)).is_err());
    }
    let (scope, own) = (world.scope(&neighbour), stage(&world, &bot, None));
    assert!(world.try_write(move |tx| Ok(tx.insert_stage(&scope, &own)?)).is_err());
    assert_eq!(all_stages(&world, &bot), [stored]);
    assert_eq!(all_stages(&world, &neighbour), []);
}
