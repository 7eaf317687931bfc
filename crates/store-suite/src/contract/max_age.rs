//! MaxAge rules.

use std::sync::Arc;

use crate::world::{OPERATOR, World, at};
use domain::access::ProjectScope;
use domain::id::{MaxAgeRuleId, ProjectId};
use domain::keyval::EntryAddress;
use domain::lock::Lock;
use domain::max_age::{CleanUpPosition, KeyPattern, MaxAgeRule};
use domain::project::Project;
use domain::store::Store;
use domain::testing::ResolveClaim as _;

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
}

/// The projects to clean up, those of others left out, who may have made rules of their own in a shared
/// database.
fn to_clean_up(world: &World, projects: &[ProjectId], only_stopped: bool) -> Vec<ProjectId> {
    let next = |after: Option<ProjectId>| {
        world.read(move |tx| Ok(tx.project_to_clean_up(OPERATOR, after, only_stopped)?))
    };
    let all: Vec<_> = std::iter::successors(next(None), |last| next(Some(*last))).collect();
    assert!(all.is_sorted());
    all.into_iter().filter(|project| projects.contains(project)).collect()
}

pub(crate) fn a_clean_up_finds_where_it_stopped(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (project, neighbour) = (world.project.clone(), world.other_project());
    let [first, second, foreign] =
        [&project, &project, &neighbour].map(|project| rule(&world, project, "a"));
    let projects = [project.id, neighbour.id];
    assert_eq!(to_clean_up(&world, &projects, false), []);
    for (project, rule) in [(&project, &first), (&project, &second), (&neighbour, &foreign)] {
        store_rule(&world, project, rule);
    }
    let mut both = projects;
    both.sort_unstable();
    assert_eq!(to_clean_up(&world, &projects, false), both);
    let position = |project| {
        let scope = scope(&world, project);
        world.read(move |tx| Ok(tx.clean_up_position(&scope)?))
    };
    let stop = |project, position: Option<CleanUpPosition>| {
        let scope = scope(&world, project);
        world.write(move |tx| Ok(tx.set_clean_up_position(&scope, position.as_ref())?));
    };
    assert_eq!((position(&project), position(&neighbour)), (None, None));
    let address = EntryAddress {
        user_id: "Zoë".to_owned(),
        entry_type: "\"t'".to_owned(),
        key: "k\\🤖".to_owned(),
    };
    for (rule, after) in [(&first, Some(address.clone())), (&second, None), (&first, None)] {
        let stopped = CleanUpPosition { rule: rule.id, after };
        stop(&project, Some(stopped.clone()));
        assert_eq!((position(&project), position(&neighbour)), (Some(stopped), None));
        assert_eq!(to_clean_up(&world, &projects, true), [project.id]);
        assert_eq!(to_clean_up(&world, &projects, false), both);
    }
    // A rule of another project is none in which one could have stopped.
    let elsewhere = CleanUpPosition { rule: foreign.id, after: None };
    stop(&project, Some(elsewhere));
    assert_eq!((position(&project), position(&neighbour)), (None, None));
    // What a changed rule means, nothing has been through.
    let stopped = CleanUpPosition { rule: first.id, after: Some(address) };
    stop(&project, Some(stopped.clone()));
    let (own, changed) = (scope(&world, &project), first.clone());
    world.write(move |tx| Ok(tx.update_max_age_rule(&own, &changed)?));
    assert_eq!(position(&project), None);
    stop(&project, Some(stopped.clone()));
    assert_eq!(position(&project), Some(stopped));
    stop(&project, None);
    assert_eq!(position(&project), None);
    assert_eq!(to_clean_up(&world, &projects, true), []);
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
