//! `botyard serve`

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::{Duration, Instant};

use actix_web::dev::{Server, ServerHandle};
use anyhow::{Context, Result, bail};
use domain::{Botyard, DomainError};
use domain::audit::AuditActor;
use domain::job::Queue;
use http_actix::{AppState, RenderMetrics, SocketOptions};
use storage_diesel::system::SystemEntropy;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::{sleep, timeout};

use crate::command_line::CommandLine;
use crate::commands::seed;
use crate::composition;
use crate::encryption;
use crate::extracting;
use crate::folder_lock::{FolderLock, folder_of};
use crate::installation;
use crate::job_runner::JobRunner;
use crate::log_buffer::LogBuffer;
use crate::monitoring::{self, Sampler};
use crate::operator::OPERATOR;
use crate::outgoing::Outgoing;
use crate::output::Output;
use crate::seed::Report;
use crate::settings::{DatabaseUrl, Loaded, Settings};
use crate::upkeep::Upkeep;
use crate::webhooks;

/// Descriptors that are kept for everything but client connections; at most half of all.
const SPARE_DESCRIPTORS: u64 = 256;
/// How often what has not been used for a while is forgotten, by the server and by its metrics.
const TIDY: Duration = Duration::from_secs(10);
/// With no request in progress for so long, every client is taken to have got its last answer.
const IDLE_BEFORE_CLOSE: Duration = Duration::from_millis(100);
/// How long requests are awaited before idle connections are closed; then only requests that take long
/// are left, and those are finished.
const DRAIN_MAX: Duration = Duration::from_secs(1);

/// Runs the API until a signal asks the process to end.
pub async fn run(
    output: Output,
    loaded: Loaded,
    seed: bool,
    (actor, log): (&AuditActor, &LogBuffer),
) -> Result<()> {
    let Loaded { settings, data_flags, .. } = loaded;
    let locks = claim_folders(&settings)?;
    let mut signals = Signals::listen()?;
    let listener = bind(settings.listen, "listen")?;
    let metrics_listener =
        settings.metrics.listen.map(|address| bind(address, "metrics.listen")).transpose()?;
    let address = own_address(&listener)?;
    let metrics_address = metrics_listener.as_ref().map(own_address).transpose()?;
    let own = [Some(address), metrics_address].into_iter().flatten().collect();
    let extractor = extracting::open(&settings)?;
    let metrics = monitoring::install_recorder()?;
    let outgoing = Outgoing::open(&settings, own, extractor.clone())?;
    // Ahead of the migrations, so that a server which can't start has changed nothing.
    let blobs = composition::open_blobs(&settings).await?;
    let applied = composition::migrate(&settings)?;
    for name in &applied {
        tracing::info!(name, "a migration was applied");
    }
    let composition = composition::open(&settings, blobs.clone(), outgoing, extractor.clone())?;
    installation::confirm(&composition.botyard, &blobs, &settings).await?;
    encryption::confirm(&composition.botyard, &settings).await?;
    if !applied.is_empty() {
        composition.acting_for(actor).botyard.audit.record(applied).await?;
    }
    actix_web::rt::spawn(extracting::try_out(extractor));

    let render: RenderMetrics = {
        let metrics = metrics.clone();
        Arc::new(move || metrics.render())
    };
    let on_main = settings.metrics.listen.is_none().then(|| render.clone());
    let options = composition::http_options(&settings, on_main);
    let state = AppState::new(composition.botyard.clone(), options, &SystemEntropy);
    let state = Arc::new(state.map_err(anyhow::Error::msg)?);
    let samples = if seed {
        let command_line = CommandLine::of_this_process(data_flags);
        let address = format!("http://{address}");
        let report = Report { address: &address, settings: &settings, command_line: &command_line };
        Some(seed::fill_empty(output, &composition, &report, actor).await?)
    } else {
        None
    };
    let starting = async {
        let sockets = sockets(&settings);
        let mut servers = vec![http_actix::serve(&state, listener, &sockets)?];
        if let Some((listener, address)) = metrics_listener.zip(metrics_address) {
            servers.push(http_actix::serve_metrics(&state, render, listener, &sockets)?);
            tracing::info!(%address, "metrics are served on an address of their own");
        }
        let jobs = composition.botyard.jobs.clone();
        let sampler = Sampler::new(jobs, composition.store.clone(), &settings);
        let mut upkeep = Upkeep::start(composition.botyard.upkeep(OPERATOR));
        upkeep.add(webhooks::dispatch(composition.botyard.webhooks.clone()));
        upkeep.add_repeating(monitoring::PAUSE, "metrics", async move || sampler.sample().await);
        add_purge(&mut upkeep, &composition.botyard, settings.bots.purge_trash_after);
        let tidied = state.clone();
        upkeep.add_repeating(TIDY, "tidying", async move || -> Result<(), DomainError> {
            tidied.tidy();
            metrics.run_upkeep();
            Ok(())
        });
        let queues = [
            (Queue::Maintenance, settings.jobs.workers),
            (Queue::Crawls, settings.crawler.workers),
            (Queue::Extractions, settings.extraction.workers_on(composition::cores())),
            (Queue::Webhooks, settings.webhooks.workers),
        ];
        if !locks.is_empty() {
            // No other server has this database, so the workers that had jobs are gone.
            composition.botyard.jobs.expire_leases(OPERATOR).await?;
        }
        let jobs = JobRunner::start(&composition.botyard, queues).await?;
        anyhow::Ok((servers, upkeep, jobs))
    };
    let started = starting.await;
    if started.is_ok() {
        let (database, files) = (&settings.database_url, &settings.blob_url);
        tracing::info!(version = env!("CARGO_PKG_VERSION"), %database, %files, "botyard serves");
        log.flush();
    }
    // Printed at once, so that no line of the log comes between them; the samples also if nothing listens, because
    // their tokens are shown only now.
    let listening = started.is_ok().then(|| format!("listening on http://{address}"));
    let lines: Vec<_> = samples.into_iter().chain(listening).collect();
    if !lines.is_empty() {
        output.line(&lines.join("\n"))?;
    }
    let (servers, upkeep, jobs) = started?;

    let handles: Vec<_> = servers.iter().map(Server::handle).collect();
    let running: Vec<_> = servers.into_iter().map(actix_web::rt::spawn).collect();
    signals.first().await;
    state.go_down();
    let store = composition.store.clone();
    let ending = async {
        tokio::join!(wind_down(&state, &handles, &settings), jobs.stop());
        upkeep.stop().await;
        for task in running {
            task.abort();
        }
        // It blocks, and a second signal must be heard meanwhile.
        tokio::task::spawn_blocking(move || store.close()).await
    };
    tokio::select! {
        ended = ending => ended.context("the database was not closed")?,
        () = signals.first() => {
            // As safe as kill -9, which must lose nothing either.
            tracing::warn!("told twice to end: ending at once");
            log.flush();
            std::process::exit(1);
        }
    }
    tracing::info!("ended");
    Ok(())
}

/// Empties the trash of what has been in it for so long; never if that is zero.
fn add_purge(upkeep: &mut Upkeep, botyard: &Botyard, purge_after: Duration) {
    if purge_after.is_zero() {
        return;
    }
    // Often enough that a short time in the trash is kept to, too.
    let pause = purge_after.clamp(Duration::from_secs(1), Duration::from_secs(60));
    let bots = botyard.bots.clone();
    upkeep.add_repeating(pause, "trash", async move || {
        let purged = bots.purge_trash(OPERATOR, purge_after).await?;
        if purged > 0 {
            tracing::info!(purged, "bots were removed from the trash");
        }
        Ok(())
    });
}

/// Keeps the address open for a while, then refuses new connections, lets go of idle ones and lets the
/// requests in progress end, each answer sent to its last byte.
async fn wind_down(state: &AppState, handles: &[ServerHandle], settings: &Settings) {
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

/// A server that keeps files claims their folders.
pub fn claim_folders(settings: &Settings) -> Result<Vec<FolderLock>> {
    let DatabaseUrl::Sqlite(database) = &settings.database_url else {
        return Ok(Vec::new());
    };
    let mut locks = vec![FolderLock::claim(&settings.data_dir)?];
    let folder = folder_of(database);
    if folder.canonicalize().ok() != settings.data_dir.canonicalize().ok() {
        locks.push(FolderLock::claim(folder)?);
    }
    Ok(locks)
}

fn bind(address: SocketAddr, setting: &str) -> Result<TcpListener> {
    TcpListener::bind(address)
        .with_context(|| format!("setting {setting}: {address} can't be listened on"))
}

/// Where it listens, also where the system chose the port.
fn own_address(listener: &TcpListener) -> Result<SocketAddr> {
    listener.local_addr().context("the socket has no address")
}

/// As many connections as the settings allow and the system's descriptors carry.
fn sockets(settings: &Settings) -> SocketOptions {
    let limits = &settings.limits;
    let granted = rlimit::increase_nofile_limit(limits.connections as u64 + SPARE_DESCRIPTORS);
    let connections = match granted {
        Ok(granted) => connections_of(granted, limits.connections),
        Err(error) => {
            tracing::warn!(%error, "the limit of open files can't be read");
            limits.connections
        }
    };
    if connections < limits.connections {
        tracing::warn!(
            connections,
            "fewer connections than limits.connections, because the system grants too few open files"
        );
    }
    let per_address = match limits.connections_per_address {
        0 => connections.div_ceil(2),
        set => set,
    };
    SocketOptions {
        workers: settings.http.workers_on(composition::cores()),
        connections,
        connections_per_address: per_address,
        request_head_timeout: limits.request_head_timeout,
        keep_alive: limits.keep_alive,
        standstill_timeout: limits.standstill_timeout,
        shutdown_grace: settings.shutdown.grace,
    }
}

/// How many of the wanted connections so many descriptors carry.
fn connections_of(descriptors: u64, wanted: usize) -> usize {
    let spare = SPARE_DESCRIPTORS.min(descriptors / 2);
    usize::try_from(descriptors.saturating_sub(spare)).unwrap_or(wanted).clamp(1, wanted)
}

/// The signals that end a server.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    fn listen() -> Result<Self> {
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
    async fn first(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_with_few_descriptors_still_has_connections() {
        for (descriptors, connections) in [
            (100_000, 10_000),
            (10_256, 10_000),
            (1_024, 768),
            (512, 256),
            (256, 128),
            (2, 1),
            (0, 1),
        ] {
            assert_eq!(connections_of(descriptors, 10_000), connections, "{descriptors}");
        }
    }
}
