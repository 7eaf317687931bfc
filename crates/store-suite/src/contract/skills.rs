//! Skills.

use std::sync::Arc;

use crate::world::{World, at};
use domain::access::BotScope;
use domain::bot::Bot;
use domain::error::{DomainError, Resource};
use domain::id::SkillId;
use domain::json::JsonObject;
use domain::skill::{AnswerMode, Skill, SkillFields};
use domain::store::Store;

pub(crate) const MISSING: DomainError = DomainError::NotFound(Resource::Skill);

/// A skill with nothing but its name and `skillId`, not stored.
pub(crate) fn skill(world: &World, bot: &Bot, name: &str) -> Skill {
    Skill {
        id: SkillId::from_uuid(world.id()),
        bot_id: bot.id,
        fields: SkillFields {
            name: name.to_owned(),
            skill_id: format!("id-of-{name}"),
            enabled: false,
            ..SkillFields::default()
        },
        created_at: at(1),
        updated_at: at(2),
    }
}

/// A skill with a value in every field, not stored.
pub(crate) fn full_skill(world: &World, bot: &Bot) -> Skill {
    let object = |text| JsonObject::parse(text).unwrap();
    let named = skill(world, bot, "Zoë 🤖 \"quoted\" \\ 'single'");
    let fields = SkillFields {
        skill_id: "A.b_c-9".to_owned(),
        description: Some(String::new()),
        enabled: true,
        content: Some("ß\r\n\u{202e}\u{7f}".repeat(50_000)),
        params: Some(vec![object(r#"{ "z" : 1.50, "a":{"big":123456789012345678901234567890}}"#)]),
        tool_call_answer: Some(vec!["b".to_owned(), String::new(), "🤖".to_owned()]),
        answer_mode: AnswerMode::SequenceLoop,
        ..named.fields
    };
    Skill { fields, ..named }
}

pub(crate) fn store_skill(world: &World, skill: &Skill, bot: &Bot) {
    let (scope, skill) = (world.scope(bot), skill.clone());
    world.write(move |tx| Ok(tx.insert_skill(&scope, &skill)?));
}

pub(crate) fn all_skills(world: &World, bot: &Bot) -> Vec<Skill> {
    let scope = world.scope(bot);
    world.whole(move |tx, after| Ok(tx.skills(&scope, after, 10_000)?), |skill| skill.id)
}

fn find(world: &World, scope: &BotScope, address: &str) -> Option<Skill> {
    let (scope, address) = (scope.clone(), address.to_owned());
    world.read(move |tx| Ok(tx.skill(&scope, &address)?))
}

pub(crate) fn a_skill_comes_back_as_it_was(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bot = world.stored_bot("bot");
    let scope = world.scope(&bot);
    let (full, bare) = (full_skill(&world, &bot), skill(&world, &bot, "bare"));
    for stored in [&full, &bare] {
        store_skill(&world, stored, &bot);
        assert_eq!(find(&world, &scope, &stored.fields.skill_id).as_ref(), Some(stored));
        assert_eq!(find(&world, &scope, &stored.id.to_string()).as_ref(), Some(stored));
    }
    // All fields change, and all that can be unset are.
    let emptied = Skill { id: full.id, updated_at: at(9), ..skill(&world, &bot, "emptied") };
    let filled = Skill { id: bare.id, ..full.clone() };
    let update = |from: &Skill, to: &Skill| {
        let (scope, from, to) = (scope.clone(), from.clone(), to.clone());
        world.write(move |tx| Ok(tx.update_skill(&scope, &from, &to)?));
    };
    update(&full, &emptied);
    update(&bare, &filled);
    assert_eq!(all_skills(&world, &bot), [emptied.clone(), filled.clone()]);
    // All but its names.
    let SkillFields { name, skill_id, .. } = emptied.fields.clone();
    let fields = SkillFields { name, skill_id, ..full.fields.clone() };
    let refilled = Skill { fields, updated_at: at(10), ..emptied.clone() };
    update(&emptied, &refilled);
    assert_eq!(all_skills(&world, &bot), [refilled, filled.clone()]);
    let scope_of_bot = scope.clone();
    world.write(move |tx| Ok(tx.delete_skill(&scope_of_bot, full.id)?));
    assert_eq!(all_skills(&world, &bot), [filled]);
    assert!(world.try_write(move |tx| Ok(tx.delete_skill(&scope, full.id)?)).is_err());
}

pub(crate) fn skills_are_paged_oldest_first(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    let skills = ["c", "a", "d", "b", "e"].map(|name| skill(&world, &bot, name));
    for index in [3, 0, 4, 2, 1] {
        store_skill(&world, &skills[index], &bot);
    }
    store_skill(&world, &skill(&world, &neighbour, "a"), &neighbour);
    let page = |after: Option<SkillId>, limit| {
        let scope = world.scope(&bot);
        world.read(move |tx| Ok(tx.skills(&scope, after, limit)?.into_items()))
    };
    assert_eq!(page(None, 100), skills);
    assert_eq!(page(None, 2), skills[..2]);
    assert_eq!(page(Some(skills[1].id), 2), skills[2..4]);
    assert_eq!(page(Some(skills[4].id), 2), []);
}

pub(crate) fn a_skill_id_stands_ahead_of_an_id(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bot = world.stored_bot("bot");
    let scope = world.scope(&bot);
    let first = skill(&world, &bot, "first");
    let mut second = skill(&world, &bot, "second");
    second.fields.skill_id = first.id.to_string();
    store_skill(&world, &first, &bot);
    assert_eq!(find(&world, &scope, &second.fields.skill_id), Some(first.clone()));
    store_skill(&world, &second, &bot);
    assert_eq!(find(&world, &scope, &second.fields.skill_id), Some(second.clone()));
    assert_eq!(find(&world, &scope, &first.fields.skill_id), Some(first));
    assert_eq!(find(&world, &scope, &second.id.to_string()), Some(second));
    assert_eq!(find(&world, &scope, "nothing"), None);
}

pub(crate) fn names_are_compared_byte_by_byte(store: Arc<dyn Store>) {
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
            let of_name = tx.skill_of_name(&scope, &wanted.fields.name)?;
            Ok((of_name, tx.skill_of_skill_id(&scope, &wanted.fields.skill_id)?))
        });
        assert_eq!(found, (Some(stored.id), Some(stored.id)), "{}", stored.fields.name);
    }
    let scope = world.scope(&bot);
    let found = world.read(move |tx| {
        Ok((tx.skill_of_name(&scope, "ADA")?, tx.skill_of_skill_id(&scope, "ID-OF-ada")?))
    });
    assert_eq!(found, (None, None));
}

pub(crate) fn skills_of_another_bot_are_out_of_reach(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    let stored = skill(&world, &bot, "mine");
    store_skill(&world, &stored, &bot);
    // The neighbour, and this very bot as if it lay in another project.
    for foreign in [world.scope(&neighbour), world.forged_scope(&bot, &world.other_project())] {
        assert_eq!(find(&world, &foreign, &stored.fields.skill_id), None);
        assert_eq!(find(&world, &foreign, &stored.id.to_string()), None);
        let (scope, wanted) = (foreign.clone(), stored.clone());
        world.write(move |tx| {
            assert_eq!(tx.skill_of_name(&scope, &wanted.fields.name)?, None);
            assert_eq!(tx.skill_of_skill_id(&scope, &wanted.fields.skill_id)?, None);
            assert_eq!(tx.skills(&scope, None, 10)?.into_items(), []);
            assert_eq!(tx.remove_skills(&scope, 10)?, 0);
            Ok(())
        });
        let (scope, mut stolen) = (foreign.clone(), stored.clone());
        stolen.bot_id = foreign.bot_id();
        let inserted = stolen.clone();
        assert!(world.try_write(move |tx| Ok(tx.update_skill(&scope, &stolen, &stolen)?)).is_err());
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
