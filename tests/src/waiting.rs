//! Waiting for what happens by itself.

use std::thread::sleep;
use std::time::{Duration, Instant};

/// Whatever takes longer than this hangs; no test asks how long something took.
pub const PATIENCE: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(10);

/// Tries again and again until there is a result. `what` names it, for the case that it never comes.
///
/// # Panics
/// If it never comes.
#[track_caller]
pub fn eventually<T>(what: &str, mut attempt: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(result) = attempt() {
            return result;
        }
        assert!(started.elapsed() < PATIENCE, "this did not come about: {what}");
        sleep(PAUSE);
    }
}

/// The same for a condition.
///
/// # Panics
/// If it never holds.
#[track_caller]
pub fn until(what: &str, mut condition: impl FnMut() -> bool) {
    eventually(what, || condition().then_some(()));
}
