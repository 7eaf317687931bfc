//! Waiting for what happens by itself.

use std::thread::sleep;
use std::time::{Duration, Instant};

/// What takes longer than this hangs, also on a machine that has much else to do; no test asks how long something took.
pub const TIMEOUT: Duration = Duration::from_secs(180);
/// The first pause between two attempts.
const SHORTEST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_millis(250);

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
        let waited = started.elapsed();
        assert!(waited < TIMEOUT, "this did not happen: {what}");
        // What takes long is not made slower by many attempts.
        sleep((waited / 10).clamp(SHORTEST_PAUSE, LONGEST_PAUSE));
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
