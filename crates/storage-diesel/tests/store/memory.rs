//! What is read takes memory until it is answered: there is a bound, and a share for each project.

mod changes;
mod duplicates;
mod lists;
mod sessions;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, ThreadId};
use std::time::Duration;

use domain::id::ProjectId;
use domain::lock::{Lock, Mode};
use domain::memory::RequestMemory;
use domain::store::{BoxedUnit, Outcome, Store};
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

each_database! {
    contents_wait_for_room_in_memory,
}

/// The caller is a thread of HTTP, which would answer no other request meanwhile.
#[test]
fn a_large_bot_is_read_by_a_thread_that_reads() {
    for (kib, by_caller) in [(200, true), (300, false)] {
        let instruction = format!(r#","botInstruction":"{}""#, "x".repeat(kib << 10));
        let setting = Setting::with(Database::sqlite(), Options::default(), &instruction);
        let (claim, project) = (setting.claim.clone(), setting.bot.project_id);
        let unit: BoxedUnit = Box::new(move |tx| {
            assert!(tx.live_bot(&claim, Lock::None)?.is_some());
            Ok(Box::new(thread::current().id()) as Outcome)
        });
        let read_by = wait(setting.store.run(Mode::LookUp, Some(project), unit)).unwrap();
        let read_by: ThreadId = *read_by.downcast().unwrap();
        assert_eq!(read_by == thread::current().id(), by_caller, "{kib} KiB");
    }
}
