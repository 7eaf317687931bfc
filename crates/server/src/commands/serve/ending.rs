//! What ends a server, and how it ends: every request in progress gets its whole answer, in the time that there is.

use std::io;
use std::time::{Duration, Instant};

use actix_web::dev::ServerHandle;
use anyhow::{Result, bail};
use http_actix::AppState;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::{sleep, timeout};

use crate::settings::Settings;

/// With no request in progress for so long, every client is taken to have got its last answer.
const IDLE_BEFORE_CLOSE: Duration = Duration::from_millis(100);
/// How long requests are awaited before idle connections are closed; then only requests that take long
/// are left, and those are finished.
const DRAIN_MAX: Duration = Duration::from_secs(1);

/// The signals that end a server.
pub struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    pub fn listen() -> Result<Self> {
        let listen = || -> io::Result<Self> {
            let terminate = signal(SignalKind::terminate())?;
            Ok(Self { terminate, interrupt: signal(SignalKind::interrupt())? })
        };
        match listen() {
            Ok(signals) => Ok(signals),
            Err(error) => bail!("signals can't be listened for: {error}"),
        }
    }

    /// Waits for the next one.
    pub async fn first(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

/// Keeps the address open for a while, then refuses new connections, lets go of idle ones and lets the
/// requests in progress end, each answer sent to its last byte.
pub async fn wind_down(state: &AppState, handles: &[ServerHandle], settings: &Settings) {
    let grace = settings.shutdown.grace;
    tracing::info!("told to end: finishing the requests in progress");
    sleep(settings.shutdown.delay).await;
    let ending = async {
        drain(state).await;
        let stops: Vec<_> = handles.iter().map(|handle| handle.stop(true)).collect();
        for stop in stops {
            stop.await;
        }
    };
    if timeout(grace, ending).await.is_err() {
        tracing::warn!("requests that took longer than shutdown.grace were cut off");
    }
}

/// Waits until every client that keeps on calling has got an answer that ends its connection. After
/// that idle connections are closed, and a request that is on its way to one of them gets no answer.
async fn drain(state: &AppState) {
    let (started, mut idle_since) = (Instant::now(), Instant::now());
    while started.elapsed() < DRAIN_MAX && idle_since.elapsed() < IDLE_BEFORE_CLOSE {
        sleep(Duration::from_millis(10)).await;
        if state.requests_in_flight() > 0 {
            idle_since = Instant::now();
        }
    }
}
