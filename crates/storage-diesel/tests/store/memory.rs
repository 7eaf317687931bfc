//! What is read takes memory until it is answered: there is a bound, and a share for each project.

mod changes;
mod duplicates;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use diesel::prelude::*;
use diesel::sql_types::BigInt;
use domain::id::ProjectId;
use domain::lock::{Lock, Mode};
use domain::memory::RequestMemory;
use domain::store::{BoxedUnit, Outcome, Repositories, Store};
use storage_diesel::Options;
use store_suite::wait;
use uuid::Uuid;

use crate::databases::{Database, each_database};
use crate::rows::Setting;

/// Runs a unit that reads the bot, for a request; returns whether it found it.
fn read(
    setting: &Setting,
    request: &RequestMemory,
    (mode, tenant): (Mode, ProjectId),
    runs: &Arc<AtomicUsize>,
) -> bool {
    let (claim, runs) = (setting.claim.clone(), runs.clone());
    let unit: BoxedUnit = Box::new(move |tx| {
        runs.fetch_add(1, Ordering::SeqCst);
        Ok(Box::new(tx.live_bot(&claim, Lock::None)?.is_some()) as Outcome)
    });
    let answer = wait(request.during_all(setting.store.run(mode, Some(tenant), unit)));
    *answer.unwrap().downcast().unwrap()
}

fn contents_wait_for_room_in_memory(database: Database) {
    let options = Options { content_memory: 2 << 20, ..Options::default() };
    let instruction = format!(r#","botInstruction":"{}""#, "x".repeat(600 << 10));
    let setting = Setting::with(database, options, &instruction);
    let (own, other) = (setting.bot.project_id, ProjectId::from_uuid(Uuid::from_u128(2)));
    let (first, second, third) = <(RequestMemory, RequestMemory, RequestMemory)>::default();
    let [runs, others] = [(); 2].map(|()| Arc::new(AtomicUsize::new(0)));
    for mode in [Mode::Read, Mode::LookUp, Mode::Write] {
        runs.store(0, Ordering::SeqCst);
        assert!(read(&setting, &first, (mode, own), &others));
        thread::scope(|scope| {
            let waiting = scope.spawn(|| read(&setting, &second, (mode, own), &runs));
            while runs.load(Ordering::SeqCst) < 3 {
                thread::sleep(Duration::from_millis(1));
            }
            // Another project need not wait.
            assert!(read(&setting, &third, (mode, other), &others));
            assert!(!waiting.is_finished());
            // The request is answered.
            first.release();
            third.release();
            assert!(waiting.join().unwrap());
        });
        second.release();
    }
}

/// It comes in parts, so the session does not become larger; others would wait for a new one.
#[test]
fn a_session_of_postgres_is_kept_after_a_long_configuration() {
    let options = Options { readers: 1, writers: 1, ..Options::default() };
    let text = "x".repeat(1 << 20);
    let long = ["botInstruction", "customJs", "customCss"];
    let members: String = long.map(|field| format!(r#","{field}":"{text}""#)).concat();
    let setting = Setting::with(Database::postgres(), options, &members);
    let mut own = setting.database.connect();
    let mut sessions = || -> i64 {
        let others = "CAST(sum(pid) AS BIGINT) FROM pg_stat_activity \
             WHERE datname = current_database() AND pid <> pg_backend_pid()";
        diesel::select(diesel::dsl::sql::<BigInt>(others)).get_result(&mut own).unwrap()
    };
    let (request, runs) = (RequestMemory::default(), Arc::default());
    for mode in [Mode::Read, Mode::LookUp, Mode::Write] {
        let project = setting.bot.project_id;
        let claim = setting.claim.clone();
        let look = move |tx: &mut dyn Repositories| {
            Ok(Box::new(tx.has_live_bot(&claim, Lock::None)?) as Outcome)
        };
        let look_up = || wait(setting.store.run(mode, Some(project), Box::new(look.clone())));
        look_up().unwrap();
        let before = sessions();
        assert!(read(&setting, &request, (mode, project), &runs));
        look_up().unwrap();
        assert_eq!(sessions(), before, "another session runs it");
    }
}

each_database! {
    contents_wait_for_room_in_memory,
}
