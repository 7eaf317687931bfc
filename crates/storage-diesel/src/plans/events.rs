//! The same for events.

use diesel::connection::SimpleConnection;
use domain::event::{EventFilter, EventRepository as _, EventTypes, RangeEnd};
use domain::id::BotId;

use super::{ID, OPERATOR, Watched, postgres, sqlite};
use crate::engine::db::OwnDb;
use crate::tables::event::{IS_UNNUMBERED, NUMBER_EVENTS};

/// Many events of the project, and one without a number.
const MANY: &str = "INSERT INTO events (project_id, number, id, at, type, bot_id, resource_id, data) \
     SELECT project_id, n, id, n, 'bot.updated', id, 'x', '{}' FROM bots, generate_series(1, 5000) AS n; \
     ANALYZE events; \
     INSERT INTO events (project_id, id, at, type, bot_id, resource_id, data) \
     SELECT project_id, id, 1, 'bot.updated', id, 'x', '{}' FROM bots";

fn every_look_up_has_its_index(db: OwnDb) {
    let mut watched = Watched::new(db);
    if let OwnDb::Pg(db) = &mut watched.db {
        db.batch_execute(MANY).unwrap();
    }
    let (project, id, bot) = (watched.project(), watched.scope.project_id(), BotId::from_uuid(ID));
    let key = "PRIMARY KEY (project_id=? AND number>?";
    for types in ["*", "skill.*,bot.created"].map(|text| EventTypes::parse(text).unwrap()) {
        for bot_id in [None, Some(bot)] {
            let filter = EventFilter { types, bot_id };
            for (end, scan) in
                [(RangeEnd::First, "Scan using"), (RangeEnd::Last, "Scan Backward using")]
            {
                watched.check(
                    |tx, _| tx.events(&project, &filter, 5..=50, end, 9),
                    key,
                    [scan, "events_pkey"],
                );
            }
        }
    }
    watched.check(|tx, _| tx.event_numbers(&project), key, ["events_pkey", "number > "]);
    watched.check(|tx, _| tx.oldest_events(OPERATOR, id, 9), key, ["events_pkey", "number > "]);
    watched.check(|tx, _| tx.remove_events(OPERATOR, id, 9), key, ["events_pkey", "number > "]);
    watched.check(
        |tx, _| tx.knows_bot(&project, bot),
        "events_of_deleted_bots (project_id=? AND bot_id=?)",
        ["using events_of_deleted_bots", "using bots_pkey"],
    );
}

#[test]
fn every_look_up_has_its_index_on_sqlite() {
    every_look_up_has_its_index(sqlite());
}

#[test]
fn every_look_up_has_its_index_on_postgres() {
    every_look_up_has_its_index(postgres());
}

#[test]
fn events_are_numbered_one_by_one() {
    let mut watched = Watched::new(postgres());
    if let OwnDb::Pg(db) = &mut watched.db {
        let plan = "SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off";
        db.batch_execute(&format!("{MANY}; {plan}")).unwrap();
    }
    let plan = watched.explain(NUMBER_EVENTS);
    for text in ["using events_without_number", "using events_pkey", "Nested Loop"] {
        assert!(plan.contains(text), "{text}: {plan}");
    }
    assert!(!plan.contains("Seq Scan"), "{plan}");
    assert!(watched.explain(IS_UNNUMBERED).contains("using events_without_number"));
}
