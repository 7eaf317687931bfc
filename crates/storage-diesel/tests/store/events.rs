//! The numbers of events, where transactions are committed in any order, and by whomever.

use std::collections::BTreeSet;
use std::thread;
use std::time::{Duration, Instant};

use domain::DomainError;
use domain::clock::Timestamp;
use domain::event::{Event, EventData, EventFilter, EventType, RangeEnd};
use domain::id::{EventId, ProjectId};
use domain::json::Json;
use domain::lock::Lock;
use domain::store::Repositories;
use domain::testing::ResolveClaim as _;
use storage_diesel::DieselStore;
use uuid::Uuid;

use crate::databases::{Database, OPERATOR, insert, organisation, read, write};

/// A project of organisation 1 in a database.
const PROJECT: u128 = 2;

/// Adds the project to the database, in whose store there is nothing yet.
fn add_project(database: &Database, store: &DieselStore) {
    write(store, insert(1)).unwrap();
    let (organisation, project) = (organisation(1).id, Uuid::from_u128(PROJECT));
    let ids = [database.id(organisation), database.id(project)];
    let [organisation, project] = ids;
    database.execute(&format!(
        "INSERT INTO projects (id, organisation_id, name, created_at) \
         VALUES ({project}, {organisation}, 'p', 1)"
    ));
}

/// The statement that stores an event which is about this, past the store.
fn statement(database: &Database, about: &str, number: Option<i64>) -> String {
    let ids = [database.id(Uuid::from_u128(PROJECT)), database.id(Uuid::from_u128(9))];
    let [project, id] = ids;
    let (column, value) = match number {
        Some(number) => (", number", format!(", {number}")),
        None => ("", String::new()),
    };
    format!(
        "INSERT INTO events (project_id, id, at, type, resource_id, data{column}) \
         VALUES ({project}, {id}, 1, 'bot.updated', '{about}', '{{}}'{value})"
    )
}

/// Adds an event about this to the project.
fn add(tx: &mut dyn Repositories, about: &str) -> Result<(), DomainError> {
    let project = tx.project(OPERATOR, ProjectId::from_uuid(Uuid::from_u128(PROJECT)))?.unwrap();
    let (_, scope) = OPERATOR.project(&project).resolve(tx, Lock::None)?;
    let event = Event {
        id: EventId::from_uuid(Uuid::from_u128(9)),
        project_id: project.id,
        bot_id: None,
        at: Timestamp::from_millis(1),
        event_type: EventType::BotUpdated,
        resource_id: about.to_owned(),
        actor: None,
        data: Json::of(&EventData::NONE),
    };
    Ok(tx.add_events(&scope, &[event])?)
}

/// What the project's events are about, in the order of their numbers, which have no gaps.
fn about(store: &DieselStore) -> Vec<String> {
    let events = read(store, move |tx| {
        let project =
            tx.project(OPERATOR, ProjectId::from_uuid(Uuid::from_u128(PROJECT)))?.unwrap();
        let (_, scope) = OPERATOR.project(&project).resolve(tx, Lock::None)?;
        Ok(tx.events(&scope, &EventFilter::default(), 1..=1_000, RangeEnd::First, 1_000)?)
    });
    let events = events.unwrap();
    let numbers: Vec<_> = events.iter().map(|found| found.number).collect();
    assert_eq!(numbers, (1..=events.len() as u64).collect::<Vec<_>>());
    events.into_iter().map(|found| found.event.resource_id).collect()
}

/// Waits until the project's events are about this.
#[track_caller]
fn until_about(store: &DieselStore, expected: &[&str]) {
    let began = Instant::now();
    while about(store) != expected {
        assert!(began.elapsed() < Duration::from_secs(60), "{:?}", about(store));
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn events_that_came_without_numbers_get_them_when_sqlite_is_opened() {
    let database = Database::sqlite();
    let store = database.open();
    add_project(&database, &store);
    store.close();
    for (about, number) in [("third", -3), ("second", -5), ("first", 1)] {
        database.execute(&statement(&database, about, Some(number)));
    }
    assert_eq!(about(&database.open()), ["first", "second", "third"]);
}

mod on_postgres {
    use diesel::connection::SimpleConnection as _;

    use super::*;

    #[test]
    fn an_open_transaction_holds_up_no_events_and_loses_none() {
        let (database, elsewhere) = (Database::postgres(), Database::postgres());
        let store = database.open();
        add_project(&database, &store);
        let (mut long, mut other) = (database.connect(), elsewhere.connect());
        long.batch_execute(&format!("BEGIN; {}", statement(&database, "late", None))).unwrap();
        // One that only has a snapshot, and one of another database of the server.
        let mut reading = database.connect();
        let read = "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM events";
        reading.batch_execute(read).unwrap();
        other.batch_execute("BEGIN; CREATE TABLE held (id INT)").unwrap();
        // These were announced by no store: the sequencer looks by itself.
        database.execute(&statement(&database, "first", None));
        until_about(&store, &["first"]);
        database.execute(&statement(&database, "second", None));
        until_about(&store, &["first", "second"]);
        long.batch_execute("COMMIT").unwrap();
        until_about(&store, &["first", "second", "late"]);
    }

    #[test]
    fn a_sequencer_that_lost_its_session_gets_another() {
        let database = Database::postgres();
        let store = database.open();
        add_project(&database, &store);
        let mut expected = Vec::new();
        for about in ["a", "b", "c"] {
            database.execute(&statement(&database, about, None));
            expected.push(about);
            until_about(&store, &expected);
            database.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() \
                 AND application_name = 'botyard-sequencer'",
            );
        }
    }

    #[test]
    fn several_nodes_number_events_once() {
        let database = Database::postgres();
        let nodes: Vec<_> = (0..4).map(|_| database.open()).collect();
        add_project(&database, &nodes[0]);
        thread::scope(|scope| {
            for (number, node) in nodes.iter().enumerate() {
                scope.spawn(move || {
                    for round in 0..40 {
                        let about = format!("{number} {round}");
                        write(node, move |tx| add(tx, &about)).unwrap();
                    }
                });
            }
        });
        let began = Instant::now();
        while about(&nodes[1]).len() < 160 {
            assert!(began.elapsed() < Duration::from_secs(60), "{:?}", about(&nodes[1]));
        }
        let all: BTreeSet<_> = about(&nodes[2]).into_iter().collect();
        assert_eq!(all.len(), 160);
    }

    #[test]
    fn events_are_numbered_whatever_isolation_the_database_prefers() {
        let database = Database::postgres();
        database.execute(
            "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_isolation = \
             ''repeatable read''', current_database()); END $$",
        );
        let nodes = [database.open(), database.open()];
        add_project(&database, &nodes[0]);
        thread::scope(|scope| {
            for node in &nodes {
                scope.spawn(move || {
                    for _ in 0..40 {
                        write(node, |tx| add(tx, "x")).unwrap();
                    }
                });
            }
        });
        until_about(&nodes[0], &["x"; 80]);
    }
}
