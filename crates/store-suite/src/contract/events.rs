//! Events, and the order in which they are read.

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::world::{OPERATOR, World, at, together, wait};
use domain::access::{ProjectScope, Scheme};
use domain::bot::Bot;
use domain::error::{DomainError, StorageError};
use domain::event::{
    Event, EventActor, EventData, EventFilter, EventType, EventTypes, NumberedEvent, RangeEnd,
};
use domain::id::{EventId, TokenId};
use domain::json::Json;
use domain::project::Project;
use domain::store::Store;
use domain::testing::project_scope;

/// How long an event may take until it has its number.
const NUMBERED_WITHIN: Duration = Duration::from_secs(30);

pub(crate) fn scope_of(project: &Project) -> ProjectScope {
    project_scope(project.organisation_id, project.id)
}

fn event(world: &World, project: &Project, event_type: EventType, bot: Option<&Bot>) -> Event {
    Event {
        id: EventId::from_uuid(world.id()),
        project_id: project.id,
        bot_id: bot.map(|bot| bot.id),
        at: at(7),
        event_type,
        resource_id: world.id().to_string(),
        actor: None,
        data: Json::of(&EventData::NONE),
    }
}

fn add(world: &World, project: &Project, events: &[Event]) {
    let (scope, events) = (scope_of(project), events.to_vec());
    world.write(move |tx| Ok(tx.add_events(&scope, &events)?));
}

/// The numbers of the project's events.
fn numbers(world: &World, project: &Project) -> RangeInclusive<u64> {
    let scope = scope_of(project);
    world.read(move |tx| Ok(tx.event_numbers(&scope)?))
}

fn read(
    world: &World,
    project: &Project,
    filter: EventFilter,
    numbers: RangeInclusive<u64>,
    end: RangeEnd,
    limit: u32,
) -> Vec<NumberedEvent> {
    let scope = scope_of(project);
    world.read(move |tx| Ok(tx.events(&scope, &filter, numbers.clone(), end, limit)?))
}

/// All events of a project, once there are so many.
pub(crate) fn all_events(world: &World, project: &Project, count: u64) -> Vec<NumberedEvent> {
    let began = Instant::now();
    while *numbers(world, project).end() < count {
        assert!(began.elapsed() < NUMBERED_WITHIN, "{:?}", numbers(world, project));
        thread::yield_now();
    }
    let all = EventFilter::default();
    read(world, project, all, 1..=u64::from(u32::MAX), RangeEnd::First, 10_000)
}

/// These events with the numbers that they get.
fn numbered(events: &[Event]) -> Vec<NumberedEvent> {
    let numbered = (1..).zip(events.iter().cloned());
    numbered.map(|(number, event)| NumberedEvent { number, event }).collect()
}

pub(crate) fn an_event_comes_back_as_it_was(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bot = world.stored_bot("bot");
    assert!(numbers(&world, &world.project).is_empty());
    let token_id = TokenId::from_uuid(world.id());
    let mut events: Vec<Event> = EventType::ALL
        .iter()
        .map(|event_type| event(&world, &world.project, *event_type, Some(&bot)))
        .collect();
    events.push(Event {
        bot_id: None,
        resource_id: "any text, as long as it is one: ü".to_owned(),
        data: Json::of(&EventData { size: Some(u64::MAX), ..EventData::NONE }),
        ..events[0].clone()
    });
    for scheme in [Scheme::Bot, Scheme::Project] {
        let actor = Some(EventActor { token_id, scheme });
        events.push(Event { actor, id: EventId::from_uuid(world.id()), ..events[1].clone() });
    }
    // Some alone, and some in one unit.
    let (alone, together) = events.split_at(3);
    for event in alone {
        add(&world, &world.project, std::slice::from_ref(event));
    }
    add(&world, &world.project, together);
    add(&world, &world.project, &[]);
    let count = events.len() as u64;
    assert_eq!(all_events(&world, &world.project, count), numbered(&events));
    assert_eq!(numbers(&world, &world.project), 1..=count);
}

pub(crate) fn events_of_projects_are_kept_apart(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (project, other) = (world.project.clone(), world.other_project());
    let events: Vec<_> =
        (0..6).map(|_| event(&world, &project, EventType::BotUpdated, None)).collect();
    let others: Vec<_> =
        (0..6).map(|_| event(&world, &other, EventType::BotUpdated, None)).collect();
    for (one, another) in events.iter().zip(&others) {
        add(&world, &project, std::slice::from_ref(one));
        add(&world, &other, std::slice::from_ref(another));
    }
    assert_eq!(all_events(&world, &project, 6), numbered(&events));
    assert_eq!(all_events(&world, &other, 6), numbered(&others));
    let (scope, foreign) = (scope_of(&project), others.clone());
    let refused = world.try_write(move |tx| Ok(tx.add_events(&scope, &foreign)?));
    assert!(matches!(refused, Err(DomainError::Storage(StorageError::Broken(_)))));
    world.write({
        let project = other.id;
        move |tx| Ok(tx.remove_events(OPERATOR, project, 5)?)
    });
    assert_eq!(all_events(&world, &other, 6), numbered(&others)[5..]);
    assert_eq!(all_events(&world, &project, 6), numbered(&events));
}

pub(crate) fn events_are_found_by_number_type_and_bot(store: Arc<dyn Store>) {
    let world = World::new(store);
    let project = world.project.clone();
    let bots = [world.stored_bot("one"), world.stored_bot("two")];
    let types = [EventType::SkillCreated, EventType::SkillDeleted, EventType::DocumentAssigned];
    let events: Vec<_> = (0..12)
        .map(|number| event(&world, &project, types[number % 3], bots.get(number % 4)))
        .collect();
    add(&world, &project, &events);
    let all = all_events(&world, &project, 12);
    assert_eq!(all, numbered(&events));
    let filters = ["*", "skill.*", "document.assigned,skill.deleted", "bot.created"];
    for types in filters.map(|text| EventTypes::parse(text).unwrap()) {
        for bot_id in [None, Some(bots[0].id), Some(bots[1].id)] {
            for (first, last) in [(1, 12), (0, 99), (4, 9), (7, 7), (13, 20), (8, 3)] {
                let matching = |found: &&NumberedEvent| {
                    let bot = bot_id.is_none_or(|bot| found.event.bot_id == Some(bot));
                    let number = (first..=last).contains(&found.number);
                    bot && number && types.contains(found.event.event_type)
                };
                let expected: Vec<_> = all.iter().filter(matching).cloned().collect();
                let filter = EventFilter { types, bot_id };
                for limit in [0, 1, 2, 100] {
                    let found =
                        |end| read(&world, &project, filter, first..=last, end, limit as u32);
                    let few = expected.len().min(limit);
                    assert_eq!(found(RangeEnd::First), expected[..few]);
                    assert_eq!(found(RangeEnd::Last), expected[expected.len() - few..]);
                }
            }
        }
    }
}

pub(crate) fn old_events_go_and_numbers_go_on(store: Arc<dyn Store>) {
    let world = World::new(store);
    let project = world.project.clone();
    let new = || event(&world, &project, EventType::BotUpdated, None);
    let mut events: Vec<_> = (0..5).map(|offset| Event { at: at(offset), ..new() }).collect();
    add(&world, &project, &events);
    all_events(&world, &project, 5);
    let id = project.id;
    let oldest = |limit| world.read(move |tx| Ok(tx.oldest_events(OPERATOR, id, limit)?));
    assert_eq!(oldest(3), (vec![(1, at(0)), (2, at(1)), (3, at(2))], 5));
    let remove = |through| world.write(move |tx| Ok(tx.remove_events(OPERATOR, id, through)?));
    assert_eq!((remove(0), remove(2), remove(2), remove(4)), (0, 2, 0, 2));
    assert_eq!(oldest(3), (vec![(5, at(4))], 5));
    assert_eq!(numbers(&world, &project), 5..=5);
    events.push(new());
    add(&world, &project, &events[5..]);
    assert_eq!(all_events(&world, &project, 6), numbered(&events)[4..]);
    let nothing = world.other_project().id;
    assert_eq!(world.read(move |tx| Ok(tx.oldest_events(OPERATOR, nothing, 3)?)), (vec![], 0));
}

pub(crate) fn a_bot_is_known_until_its_last_event_goes(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (project, other) = (world.project.clone(), world.other_project());
    let (there, gone) = (world.stored_bot("there"), world.bot("gone"));
    let foreign = world.bot_of(&other);
    let knows = |project: &Project, bot: &Bot| {
        let (scope, bot) = (scope_of(project), bot.id);
        world.read(move |tx| Ok(tx.knows_bot(&scope, bot)?))
    };
    assert!(knows(&project, &there) && knows(&other, &foreign));
    for unknown in [&gone, &foreign] {
        assert!(!knows(&project, unknown));
    }
    add(&world, &project, &[event(&world, &project, EventType::BotUpdated, Some(&gone))]);
    assert!(!knows(&project, &gone));
    add(&world, &project, &[event(&world, &project, EventType::BotDeleted, Some(&gone))]);
    assert!(knows(&project, &gone));
    assert!(!knows(&other, &gone));
}

pub(crate) fn a_unit_that_is_undone_has_no_events(store: Arc<dyn Store>) {
    let world = World::new(store);
    let project = world.project.clone();
    let events = [0, 1].map(|_| event(&world, &project, EventType::BotUpdated, None));
    let (scope, undone) = (scope_of(&project), events[..1].to_vec());
    let refused = world.try_write::<()>(move |tx| {
        tx.add_events(&scope, &undone)?;
        Err(DomainError::Refused("undone".to_owned()))
    });
    assert!(refused.is_err());
    add(&world, &project, &events[1..]);
    assert_eq!(all_events(&world, &project, 1), numbered(&events[1..]));
}

/// Readers go on after the last number that they have seen, while many write.
pub(crate) fn a_reader_misses_nothing_that_many_write(store: Arc<dyn Store>) {
    const WRITERS: usize = 6;
    const UNITS: usize = 25;
    let world = World::new(store);
    let project = world.project.clone();
    let (scope, left) = (scope_of(&project), AtomicUsize::new(WRITERS));
    let seen = together(WRITERS + 2, |number| {
        if number < WRITERS {
            for unit in 0..UNITS {
                let event = event(&world, &project, EventType::BotUpdated, None);
                let event = Event { resource_id: format!("{number} {unit}"), ..event };
                let added = (scope.clone(), vec![event; 1 + unit % 3]);
                let (tenant, scope) = (Some(project.id), added.0);
                let work = Box::new(move |tx: &mut dyn domain::store::Repositories| {
                    tx.add_events(&scope, &added.1)?;
                    Ok(Box::new(()) as domain::store::Outcome)
                });
                wait(world.store.run(domain::lock::Mode::Write, tenant, work)).unwrap();
            }
            left.fetch_sub(1, Ordering::SeqCst);
            return Vec::new();
        }
        let (mut seen, total) = (Vec::<NumberedEvent>::new(), WRITERS * (UNITS * 2 - 1));
        let began = Instant::now();
        while seen.len() < total && began.elapsed() < NUMBERED_WITHIN {
            let next = seen.last().map_or(1, |last| last.number + 1);
            let filter = EventFilter::default();
            seen.extend(read(
                &world,
                &project,
                filter,
                next..=u64::from(u32::MAX),
                RangeEnd::First,
                7,
            ));
        }
        seen
    });
    for seen in &seen[WRITERS..] {
        let total = WRITERS * (UNITS * 2 - 1);
        let numbers: Vec<_> = seen.iter().map(|found| found.number).collect();
        assert_eq!(numbers, (1..=total as u64).collect::<Vec<_>>());
        // What one writer did is in the order in which it was done.
        for writer in 0..WRITERS {
            let units: Vec<usize> = seen
                .iter()
                .filter_map(|found| {
                    let (by, unit) = found.event.resource_id.split_once(' ')?;
                    (by == writer.to_string()).then(|| unit.parse().unwrap())
                })
                .collect();
            assert!(units.is_sorted() && units.len() == UNITS * 2 - 1, "{units:?}");
        }
    }
}
