//! The store on real databases: the suite of the port on both, and what is particular to each.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "these are tests, and so are the functions that they share"
)]

mod databases;
mod embedding;
mod keyval;
mod migrations;
mod postgres;
mod rows;
mod sqlite;

use std::sync::Arc;

use databases::Database;

/// Runs a case on a database of its own.
fn run(case: &str, database: &Database) {
    let store = Arc::new(database.open());
    domain::port_suite::run(case, store.clone());
    store.close();
}

macro_rules! on_both_databases {
    ($($group:ident :: $case:ident,)+) => {$(
        mod $case {
            #[test]
            fn sqlite() {
                super::run(
                    concat!(stringify!($group), "::", stringify!($case)),
                    &super::Database::sqlite(),
                );
            }

            #[test]
            fn postgres() {
                super::run(
                    concat!(stringify!($group), "::", stringify!($case)),
                    &super::Database::postgres(),
                );
            }
        }
    )+};
}

domain::for_each_port_case!(on_both_databases);
