//! Many clients at once, each of which asks again as soon as it has its answer.

use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle, sleep};
use std::time::Duration;

use anyhow::{Result, anyhow};

use super::flood::{Ended, Running};
use crate::bench::low_priority;
use crate::bench::request::{Connection, Request};

/// How long a client waits after a request that was refused or has failed.
const PAUSE: Duration = Duration::from_millis(100);

/// What all clients of a crowd ask together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Each request once.
    Once,
    /// One after the other, again and again.
    Endless,
}

/// Clients that run. They are ended when this is dropped.
pub struct Crowd {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

struct Shared {
    server: SocketAddr,
    requests: Vec<Request>,
    order: Order,
    /// How many requests were begun.
    begun: AtomicUsize,
    answered: AtomicUsize,
    refused: AtomicUsize,
    failed: AtomicUsize,
    is_over: AtomicBool,
    /// The open connections, so that they can be cut off; each client has a place.
    open: Mutex<Vec<Option<TcpStream>>>,
}

impl Crowd {
    /// Has so many clients ask.
    pub fn start(
        server: SocketAddr,
        clients: usize,
        order: Order,
        requests: Vec<Request>,
    ) -> Result<Self> {
        let shared = Arc::new(Shared {
            server,
            requests,
            order,
            begun: AtomicUsize::new(0),
            answered: AtomicUsize::new(0),
            refused: AtomicUsize::new(0),
            failed: AtomicUsize::new(0),
            is_over: AtomicBool::new(false),
            open: Mutex::new((0..clients).map(|_| None).collect()),
        });
        let mut crowd = Self { shared, threads: Vec::new() };
        for client in 0..clients {
            let shared = crowd.shared.clone();
            let thread = thread::Builder::new().spawn(move || {
                low_priority::take();
                shared.ask(client);
            })?;
            crowd.threads.push(thread);
        }
        Ok(crowd)
    }

    fn cut_off(&self) {
        // Under the lock, so that no connection is entered afterwards.
        let open = self.shared.open.lock().unwrap_or_else(PoisonError::into_inner);
        self.shared.is_over.store(true, Ordering::Relaxed);
        for stream in open.iter().flatten() {
            // One that the server has closed already is cut off, too.
            drop(stream.shutdown(Shutdown::Both));
        }
    }
}

impl Running for Crowd {
    fn end(mut self: Box<Self>) -> Result<Ended> {
        self.cut_off();
        for thread in self.threads.drain(..) {
            thread.join().map_err(|_| anyhow!("a client came to a sudden end"))?;
        }
        Ok(Ended::with(self.shared.done()))
    }
}

impl Drop for Crowd {
    fn drop(&mut self) {
        self.cut_off();
    }
}

impl Shared {
    /// One client.
    fn ask(&self, client: usize) {
        let mut connection = None;
        while !self.is_over() {
            let Some(request) = self.next() else {
                break;
            };
            let outcome = self.exchange(client, &mut connection, request);
            if self.is_over() {
                break;
            }
            let counter = match outcome {
                Ok(200) => &self.answered,
                Ok(_) => &self.refused,
                Err(_) => &self.failed,
            };
            counter.fetch_add(1, Ordering::Relaxed);
            if connection.is_none() {
                sleep(PAUSE);
            }
        }
    }

    fn next(&self) -> Option<&Request> {
        let number = self.begun.fetch_add(1, Ordering::Relaxed);
        match self.order {
            Order::Once => self.requests.get(number),
            Order::Endless => self.requests.get(number % self.requests.len().max(1)),
        }
    }

    /// The status of the answer. Unless that is a 200, the connection is given up.
    fn exchange(
        &self,
        client: usize,
        connection: &mut Option<Connection>,
        request: &Request,
    ) -> Result<u16> {
        let mut open = match connection.take() {
            Some(open) => open,
            None => self.open(client)?,
        };
        let status = open.status(request)?;
        if status == 200 {
            *connection = Some(open);
        }
        Ok(status)
    }

    fn open(&self, client: usize) -> Result<Connection> {
        let connection = Connection::open(self.server)?;
        let stream = connection.stream().try_clone()?;
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_over() {
            return Err(anyhow!("the flood is over"));
        }
        if let Some(place) = open.get_mut(client) {
            *place = Some(stream);
        }
        Ok(connection)
    }

    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    fn done(&self) -> String {
        let count = |counter: &AtomicUsize| counter.load(Ordering::Relaxed);
        let mut done = format!("{} answered", count(&self.answered));
        for (name, counter) in [("refused", &self.refused), ("broken off", &self.failed)] {
            if count(counter) > 0 {
                done += &format!(", {} {name}", count(counter));
            }
        }
        done
    }
}
