//! The store on real databases: the suite of the port on both, and what is particular to each.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "these are tests, and so are the functions that they share"
)]

mod batches;
mod closing;
mod databases;
mod embedding;
mod events;
mod following;
mod keyval;
mod look_ups;
mod memory;
mod migrations;
mod postgres;
mod renames;
mod rows;
mod savepoints;
mod sqlite;
mod transfer;
mod turns;

use std::sync::Arc;

use databases::Database;

/// Runs a case of the suite on a database of its own.
fn run(case: &str, database: &Database) {
    let store = Arc::new(database.open());
    store_suite::run(case, store.clone());
    store.close();
}

/// Makes two tests of each case, `contract::skills::a_skill_comes_back_as_it_was::sqlite` and `…::postgres`.
macro_rules! on_both_databases {
    ($part:ident: $($group:ident { $($case:ident,)+ })+) => {
        mod $part {$(
            mod $group {$(
                mod $case {
                    const CASE: &str = concat!(
                        stringify!($part), "::", stringify!($group), "::", stringify!($case)
                    );

                    #[test]
                    fn sqlite() {
                        crate::run(CASE, &crate::Database::sqlite());
                    }

                    #[test]
                    fn postgres() {
                        crate::run(CASE, &crate::Database::postgres());
                    }
                }
            )+}
        )+}
    };
}

store_suite::for_each_contract_case!(on_both_databases);
store_suite::for_each_service_case!(on_both_databases);
