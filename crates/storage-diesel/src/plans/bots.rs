//! The same for lists of bots.

use diesel::connection::SimpleConnection;
use domain::bot::BotRepository as _;
use domain::user::UserRepository as _;

use super::{Watched, postgres, sqlite};
use crate::engine::db::OwnDb;

/// Puts many organisations beside the one that is there, each with a project of many bots that have
/// configurations of a usual size.
const MANY_BOTS: &str = "CREATE FUNCTION other (n INT) RETURNS UUID LANGUAGE SQL AS \
     $$ SELECT CAST(lpad(to_hex(n), 8, '0') || '-0000-7000-8000-000000000000' AS UUID) $$; \
     INSERT INTO organisations SELECT other(n), 'other', 0 FROM generate_series(1, 100) AS n; \
     INSERT INTO projects SELECT other(n), other(n), 'other', 0 FROM generate_series(1, 100) AS n; \
     INSERT INTO bots (id, project_id, name, kind, state, config, created_at, updated_at) \
     SELECT other(100 * p + n), other(p), name, kind, state, repeat('c', 2000), 0, 0 FROM bots, generate_series(1, 100) AS p, generate_series(1, 50) AS n; \
     ANALYZE projects; ANALYZE bots; SET LOCAL enable_sort = on";

/// Bots of several projects are sorted by their ids, but no row with a configuration is read for it.
fn names_of_bots_come_from_the_index(db: OwnDb) {
    let mut watched = Watched::new(db);
    if let OwnDb::Pg(db) = &mut watched.db {
        db.batch_execute(MANY_BOTS).unwrap();
    }
    let plan = watched.plan(|tx, scope| tx.bots_of_organisation(scope.organisation_id(), None, 9));
    let expected = match watched.db {
        OwnDb::Sqlite(_) => "COVERING INDEX bots_live (project_id=? AND id>?)",
        OwnDb::Pg(_) => "Index Only Scan using bots_live",
    };
    assert!(plan.contains(expected), "{plan}");
}

fn unpublished_copies_are_counted_in_their_index(db: OwnDb) {
    let mut watched = Watched::new(db);
    let project = watched.project();
    watched.check(
        |tx, _| tx.count_unpublished_copies(&project),
        "bots_unpublished (project_id=?)",
        ["bots_unpublished", "project_id = "],
    );
}

#[test]
fn on_sqlite() {
    unpublished_copies_are_counted_in_their_index(sqlite());
    names_of_bots_come_from_the_index(sqlite());
}

#[test]
fn on_postgres() {
    unpublished_copies_are_counted_in_their_index(postgres());
    names_of_bots_come_from_the_index(postgres());
}
