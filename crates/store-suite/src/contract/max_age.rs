//! MaxAge rules.

use std::sync::Arc;

use crate::world::{OPERATOR, World, at};
use domain::access::ProjectScope;
use domain::id::{MaxAgeRuleId, ProjectId};
use domain::lock::Lock;
use domain::max_age::{KeyPattern, MaxAgeRule};
use domain::project::Project;
use domain::store::Store;

/// A rule, not stored.
fn rule(world: &World, project: &Project, pattern: &str) -> MaxAgeRule {
    MaxAgeRule {
        id: MaxAgeRuleId::from_uuid(world.id()),
        project_id: project.id,
        key_pattern: KeyPattern::parse(pattern).unwrap(),
        max_age_seconds: 0.1,
        created_at: at(1),
        updated_at: at(2),
    }
}

fn scope(world: &World, project: &Project) -> ProjectScope {
    let claim = OPERATOR.project(project);
    world.read(move |tx| Ok(claim.resolve(tx, Lock::None)?.1))
}

fn store_rule(world: &World, project: &Project, rule: &MaxAgeRule) {
    let (scope, rule) = (scope(world, project), rule.clone());
    world.write(move |tx| Ok(tx.insert_max_age_rule(&scope, &rule)?));
}

fn find(world: &World, project: &Project, id: MaxAgeRuleId) -> Option<MaxAgeRule> {
    let scope = scope(world, project);
    world.read(move |tx| Ok(tx.max_age_rule(&scope, id, Lock::Shared)?))
}

pub(crate) fn a_rule_comes_back_as_it_was(store: Arc<dyn Store>) {
    let world = World::new(store);
    let project = &world.project;
    let mut stored = rule(&world, project, "a*?\\*%_ä🤖\"'");
    let other = rule(&world, project, "a*?\\*%_ä🤖\"'");
    for stored in [&stored, &other] {
        store_rule(&world, project, stored);
        assert_eq!(find(&world, project, stored.id).as_ref(), Some(stored));
    }
    for age in [f64::MIN_POSITIVE, 1.0 / 3.0, 1e300] {
        stored.key_pattern = KeyPattern::parse(&format!("*{age}")).unwrap();
        (stored.max_age_seconds, stored.updated_at) = (age, at(9));
        let (scope, changed) = (scope(&world, project), stored.clone());
        world.write(move |tx| Ok(tx.update_max_age_rule(&scope, &changed)?));
        assert_eq!(find(&world, project, stored.id).as_ref(), Some(&stored));
    }
    let (scope, id) = (scope(&world, project), stored.id);
    let deleted = world.write(move |tx| {
        Ok([tx.delete_max_age_rule(&scope, id)?, tx.delete_max_age_rule(&scope, id)?])
    });
    assert_eq!(deleted, [true, false]);
    assert_eq!(find(&world, project, stored.id), None);
    assert_eq!(find(&world, project, other.id), Some(other));
}

pub(crate) fn rules_are_paged_oldest_first(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (project, neighbour) = (world.project.clone(), world.other_project());
    let rules = ["c", "a", "b"].map(|pattern| rule(&world, &project, pattern));
    let foreign = rule(&world, &neighbour, "a");
    for index in [2, 0, 1] {
        store_rule(&world, &project, &rules[index]);
    }
    store_rule(&world, &neighbour, &foreign);
    let page = |after: Option<MaxAgeRuleId>, limit| {
        let scope = scope(&world, &project);
        world.read(move |tx| Ok(tx.max_age_rules(&scope, after, limit)?))
    };
    assert_eq!(page(None, 9), rules);
    assert_eq!(page(None, 2), rules[..2]);
    assert_eq!(page(Some(rules[1].id), 2), rules[2..]);
    // Others may have made rules of their own in a shared database.
    let place = |rule: &MaxAgeRule| (rule.project_id, rule.id);
    let all = |after: Option<(ProjectId, MaxAgeRuleId)>, limit| {
        world.read(move |tx| Ok(tx.all_max_age_rules(OPERATOR, after, limit)?))
    };
    let everyone = all(None, 10_000);
    assert!(everyone.is_sorted_by_key(place));
    assert!(rules.iter().chain([&foreign]).all(|rule| everyone.contains(rule)));
    assert_eq!(all(Some(place(&everyone[0])), 2), everyone[1..3]);
    assert_eq!(all(everyone.last().map(place), 2), []);
}

pub(crate) fn rules_of_another_project_are_out_of_reach(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (project, neighbour) = (world.project.clone(), world.other_project());
    let stored = rule(&world, &project, "a");
    store_rule(&world, &project, &stored);
    assert_eq!(find(&world, &neighbour, stored.id), None);
    let (foreign, id) = (scope(&world, &neighbour), stored.id);
    let unit_scope = foreign.clone();
    assert!(!world.write(move |tx| Ok(tx.delete_max_age_rule(&unit_scope, id)?)));
    let stolen = MaxAgeRule { project_id: neighbour.id, ..rule(&world, &project, "b") };
    for changed in [MaxAgeRule { id, ..stolen }, stored.clone()] {
        let (scope, rule) = (foreign.clone(), changed.clone());
        assert!(world.try_write(move |tx| Ok(tx.update_max_age_rule(&scope, &rule)?)).is_err());
        let (scope, rule) = (foreign.clone(), changed);
        if rule.project_id == project.id {
            assert!(world.try_write(move |tx| Ok(tx.insert_max_age_rule(&scope, &rule)?)).is_err());
        }
    }
    assert_eq!(find(&world, &project, stored.id), Some(stored));
}
