//! A flood that does not reach the server: what others feel of it is what they feel of the programs that
//! make the floods, which run on the same machine.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use anyhow::Result;

use super::flood::{Ended, Running};
use crate::bench::low_priority;

/// Threads that keep the processors busy until this is dropped, as many as those of a [`Crowd`](super::crowd::Crowd).
pub struct Busy {
    is_over: Arc<AtomicBool>,
}

impl Busy {
    pub fn start() -> Result<Self> {
        let busy = Self { is_over: Arc::default() };
        for _ in 0..thread::available_parallelism()?.get() {
            let is_over = busy.is_over.clone();
            thread::Builder::new().spawn(move || {
                low_priority::take();
                while !is_over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            })?;
        }
        Ok(busy)
    }
}

impl Running for Busy {
    fn end(self: Box<Self>) -> Result<Ended> {
        Ok(Ended::with("none".to_owned()))
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}
