//! What look-ups see of changes, although they don't begin a transaction each.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use domain::DomainError;
use domain::access::{MintToken, TokenTarget};
use domain::id::ProjectId;
use domain::lock::Mode;
use domain::organisation::Organisation;
use domain::store::{BoxedUnit, Outcome, Store};
use domain::testing::RunUnits as _;
use storage_diesel::DieselStore;
use store_suite::wait;
use uuid::Uuid;

use crate::databases::{
    Database, OPERATOR, each_database, insert, organisation, other_than, until, write,
};
use crate::rows::Setting;

fn look_up(store: &DieselStore, number: u128) -> Option<Organisation> {
    let store: &(dyn Store + 'static) = store;
    let id = organisation(number).id;
    wait(store.look_up(move |tx| Ok(tx.organisation(OPERATOR, id)?))).unwrap()
}

fn a_look_up_sees_what_was_answered_before(database: Database) {
    const EACH: u128 = 50;
    let store = database.open();
    thread::scope(|scope| {
        for thread in 0..4 {
            let store = &store;
            scope.spawn(move || {
                for number in (1..=EACH).map(|number| thread * EACH + number) {
                    assert_eq!(look_up(store, number), None);
                    write(store, insert(number)).unwrap();
                    assert_eq!(look_up(store, number), Some(organisation(number)));
                }
            });
        }
    });
}

fn a_look_up_sees_what_another_process_has_committed(database: Database) {
    let store = database.open();
    write(&store, insert(1)).unwrap();
    let is_renamed = || look_up(&store, 1).unwrap().name == "renamed";
    assert!(!is_renamed());
    database.execute("UPDATE organisations SET name = 'renamed'");
    until(is_renamed, "a look-up shows an old state");
}

fn a_look_up_that_panics_leaves_the_next_one_alone(database: Database) {
    let store = database.open();
    for number in 1..20 {
        let port: &(dyn Store + 'static) = &store;
        let panicking = port.look_up(|tx| {
            tx.organisations(OPERATOR)?;
            panic!("a defect")
        });
        let refused: Result<(), DomainError> = wait(panicking);
        assert!(refused.is_err());
        write(&store, insert(number)).unwrap();
        assert!(look_up(&store, number).is_some());
    }
}

fn a_change_of_tokens_concerns_its_project(database: Database) {
    let setting = Setting::on(database);
    // The first look of SQLite's writer for changes of others may count as one.
    write(&setting.store, insert(1)).unwrap();
    let before = setting.store.access_version().unwrap();
    let request = MintToken {
        target: TokenTarget::Bot(setting.bot.id),
        name: "token".to_owned(),
        scopes: None,
        read_only: false,
        expires_in: None,
    };
    wait(setting.botyard.access.mint(OPERATOR, request)).unwrap();
    let changed = |project| setting.store.access_changed(project).unwrap();
    assert!(changed(setting.bot.project_id) > before);
    assert!(changed(other_than(setting.bot.project_id)) <= before);
}

each_database! {
    a_look_up_sees_what_was_answered_before,
    a_look_up_sees_what_another_process_has_committed,
    a_look_up_that_panics_leaves_the_next_one_alone,
    a_change_of_tokens_concerns_its_project,
}

#[test]
fn look_ups_without_a_pause_do_not_keep_the_log_from_being_moved() {
    const WRITTEN: u64 = 96 << 20;
    const BOUND: u64 = 40 << 20;
    let database = Database::sqlite();
    let store = database.open();
    write(&store, insert(1)).unwrap();
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !is_over.load(Ordering::SeqCst) {
                    assert!(look_up(&store, 1).is_some());
                }
            });
        }
        const EACH: usize = 512 << 10;
        for number in 2..=u128::from(WRITTEN) / EACH as u128 {
            let large = Organisation { name: "x".repeat(EACH), ..organisation(number) };
            write(&store, move |tx| Ok(tx.insert_organisation(OPERATOR, &large)?)).unwrap();
        }
        is_over.store(true, Ordering::SeqCst);
    });
    let log = fs::metadata(format!("{}-wal", database.path().display())).unwrap().len();
    assert!(log < BOUND, "the log has {log} bytes");
}

#[test]
fn the_version_of_a_projects_content_grows_with_its_changes() {
    let database = Database::sqlite();
    let store = database.open();
    let [one, other] = [1, 2].map(|number| ProjectId::from_uuid(Uuid::from_u128(number)));
    let run = |tenant, number| {
        let unit: BoxedUnit = Box::new(move |tx| {
            insert(number)(tx)?;
            Ok(Box::new(()) as Outcome)
        });
        wait(store.run(Mode::Write, tenant, unit))
    };
    let versions = || [one, other].map(|project| store.content_version(project).unwrap());
    // The first look of the writer for changes of others may count as one.
    run(None, 1).unwrap();
    let first = versions();
    run(Some(one), 2).unwrap();
    let second = versions();
    assert!(second[0] > first[0] && second[1] == first[1]);
    assert!(run(Some(other), 2).is_err());
    assert_eq!(versions(), second, "what was undone has changed nothing");
    run(None, 3).unwrap();
    let third = versions();
    assert!(third[0] > second[0] && third[1] > second[1]);
    database.execute("UPDATE organisations SET name = 'renamed'");
    until(|| versions()[0] > third[0] && versions()[1] > third[1], "not noticed");
    let postgres = Database::postgres();
    assert_eq!(postgres.open().content_version(one), None, "another node may write");
}
