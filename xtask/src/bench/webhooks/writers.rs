//! Those who make the events, whatever happens to the server.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, sleep};
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow};
use serde_json::Value;

use crate::bench::request::{Connection, Request};
use crate::bench::server::{BOT, Botyard};

/// How many change skills at once, each its own.
const WRITERS: usize = 4;

/// Clients that change skills.
pub struct Writers {
    changes: Vec<Request>,
    server: Mutex<SocketAddr>,
    is_stopped: AtomicBool,
}

impl Writers {
    /// Makes the skills that they change.
    pub fn new(server: &Botyard) -> Result<Self> {
        let change = |number: usize| {
            let mut skill = server.request("POST", &format!("{BOT}/skills"));
            skill.body = Some(format!(r#"{{"name": "of writer {number}"}}"#));
            let made: Value = serde_json::from_str(&server.ask(&skill)?.body)?;
            let id = made.get("_id").and_then(Value::as_str).context("a skill without an _id")?;
            Ok(server.request("PUT", &format!("{BOT}/skills/{id}")))
        };
        let changes = (0..WRITERS).map(change).collect::<Result<_>>()?;
        let (server, is_stopped) = (Mutex::new(server.address), AtomicBool::new(false));
        Ok(Self { changes, server, is_stopped })
    }

    /// Says where the server is from now on.
    pub fn set_server(&self, address: SocketAddr) {
        *self.server.lock().unwrap_or_else(PoisonError::into_inner) = address;
    }

    /// Has them end, whatever there is left to do.
    pub fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    fn server(&self) -> SocketAddr {
        *self.server.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes so many changes, each of which the server has answered, with a pause of each client after each of its own.
    /// What was not answered is tried again.
    pub fn write(&self, count: usize, pause: Duration) -> Result<()> {
        thread::scope(|scope| {
            let writers: Vec<_> = self
                .changes
                .iter()
                .map(|change| {
                    let (change, count) = (change.clone(), count / WRITERS);
                    scope.spawn(move || self.write_one_by_one(change, count, pause))
                })
                .collect();
            for writer in writers {
                writer.join().map_err(|_| anyhow!("a writer has panicked"))?;
            }
            Ok(())
        })
    }

    fn write_one_by_one(&self, mut change: Request, count: usize, pause: Duration) {
        let (mut connection, mut tries) = (None, 0_u64);
        let mut done = 0;
        while done < count && !self.is_stopped.load(Ordering::Relaxed) {
            tries += 1;
            change.body =
                Some(format!(r#"{{"content": "{done} {tries} {:?}"}}"#, thread::current().id()));
            let answered = match &mut connection {
                None => Connection::open(self.server()).map(|open| connection = Some(open)),
                Some(open) => open.ask(&change).map(|()| done += 1),
            };
            if answered.is_err() {
                connection = None;
                sleep(Duration::from_millis(50));
            } else {
                sleep(pause);
            }
        }
    }
}
