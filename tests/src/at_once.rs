//! Many callers at the same time.

use std::sync::Barrier;
use std::thread::{self, ScopedJoinHandle};

/// Does something so many times at once, each with its number; returns the results in that order.
///
/// # Panics
/// If one of them does.
pub fn at_once<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let (work, start) = (&work, &Barrier::new(count));
    thread::scope(|scope| {
        let threads: Vec<_> = (0..count)
            .map(|number| {
                scope.spawn(move || {
                    start.wait();
                    work(number)
                })
            })
            .collect();
        let results = threads.into_iter().map(ScopedJoinHandle::join);
        results
            .map(|result| result.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}
