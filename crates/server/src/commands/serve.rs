//! `botyard serve`

use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::{Duration, Instant};

use actix_web::dev::Server;
use anyhow::{Context, Result, bail};
use http_actix::{AppState, RenderMetrics, SocketOptions};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use storage_diesel::system::SystemEntropy;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::composition;
use crate::folder_lock::FolderLock;
use crate::output::Output;
use crate::seed;
use crate::settings::{DatabaseUrl, Settings};
use crate::workers::Workers;

/// Upper bounds of the buckets in which times are counted, in seconds.
const SECONDS: [f64; 12] =
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0];
/// Descriptors that are kept for everything but client connections.
const SPARE_DESCRIPTORS: u64 = 256;
/// For this long no request may have been in progress before the rest is cut off.
const QUIET: Duration = Duration::from_millis(300);

/// Runs the API until the process is told to end.
pub async fn run(output: Output, settings: Settings, seed: bool) -> Result<()> {
    let _locks = claim_folders(&settings)?;
    let mut signals = Signals::listen()?;
    let listener = bind(settings.listen, "listen")?;
    let metrics_listener =
        settings.metrics.listen.map(|address| bind(address, "metrics.listen")).transpose()?;
    let metrics = metrics_recorder()?;
    let applied = composition::migrate(&settings)?;
    for name in applied {
        tracing::info!(name, "a migration was applied");
    }
    let composition = composition::open(&settings)?;
    let address = listener.local_addr().context("the socket has no address")?;

    let render: RenderMetrics = {
        let metrics = metrics.clone();
        Arc::new(move || metrics.render())
    };
    let on_main = settings.metrics.listen.is_none().then(|| render.clone());
    let options = composition::http_options(&settings, on_main);
    let state = AppState::new(composition.botyard.clone(), options, &SystemEntropy);
    let state = Arc::new(state.map_err(anyhow::Error::msg)?);
    if seed {
        if seed::is_welcome(&composition.botyard).await? {
            let seeded = seed::fill(&composition.botyard).await?;
            output.one(&seeded, |seeded| seeded.text(&format!("http://{address}"), &settings))?;
        } else {
            tracing::warn!("the database is not empty, so it was not seeded");
        }
    }
    let mut servers = vec![http_actix::serve(&state, listener, &sockets(&settings))?];
    if let Some(listener) = metrics_listener {
        let address = listener.local_addr().context("the socket has no address")?;
        servers.push(http_actix::serve_metrics(render, listener)?);
        tracing::info!(%address, "metrics are served on an address of their own");
    }
    let upkeep = move || metrics.run_upkeep();
    let workers =
        Workers::start(&composition.botyard, &state, settings.bots.purge_trash_after, upkeep);
    output.line(&format!("listening on http://{address}"))?;

    let handles: Vec<_> = servers.iter().map(Server::handle).collect();
    let running: Vec<_> = servers.into_iter().map(actix_web::rt::spawn).collect();
    signals.first().await;
    state.go_down();
    tokio::select! {
        () = signals.first() => tracing::warn!("told twice to end: ending at once"),
        () = wind_down(&state, &handles, &settings) => {}
    }
    workers.stop().await;
    for task in running {
        task.abort();
    }
    composition.store.close();
    tracing::info!("ended");
    Ok(())
}

/// Keeps the address open for a while, then refuses new connections and lets the requests in progress
/// end.
async fn wind_down(
    state: &Arc<AppState>,
    handles: &[actix_web::dev::ServerHandle],
    settings: &Settings,
) {
    tracing::info!("told to end: finishing the requests in progress");
    tokio::time::sleep(settings.shutdown.delay).await;
    for handle in handles {
        // Not awaited: it would wait for idle connections, too.
        actix_web::rt::spawn(handle.stop(true));
    }
    let started = Instant::now();
    let mut quiet_since = Instant::now();
    while started.elapsed() < settings.shutdown.grace && quiet_since.elapsed() < QUIET {
        tokio::time::sleep(Duration::from_millis(10)).await;
        if state.requests_in_flight() > 0 {
            quiet_since = Instant::now();
        }
    }
}

/// A server that keeps files claims their folders.
fn claim_folders(settings: &Settings) -> Result<Vec<FolderLock>> {
    let DatabaseUrl::Sqlite(database) = &settings.database_url else {
        return Ok(Vec::new());
    };
    let mut locks = vec![FolderLock::claim(&settings.data_dir)?];
    let folder = database.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder {
        let is_elsewhere = folder.canonicalize().ok() != settings.data_dir.canonicalize().ok();
        if is_elsewhere {
            locks.push(FolderLock::claim(folder)?);
        }
    }
    Ok(locks)
}

fn bind(address: std::net::SocketAddr, setting: &str) -> Result<TcpListener> {
    TcpListener::bind(address)
        .with_context(|| format!("setting {setting}: {address} can't be listened on"))
}

fn metrics_recorder() -> Result<PrometheusHandle> {
    let suffix = Matcher::Suffix("_seconds".to_owned());
    let builder = PrometheusBuilder::new().set_buckets_for_metric(suffix, &SECONDS)?;
    Ok(builder.install_recorder()?)
}

/// As many connections as the settings allow and the system's descriptors carry.
fn sockets(settings: &Settings) -> SocketOptions {
    let limits = &settings.limits;
    let wanted = limits.connections as u64 + SPARE_DESCRIPTORS;
    let granted = rlimit::increase_nofile_limit(wanted).unwrap_or_else(|error| {
        tracing::warn!(%error, "the limit of open files can't be read");
        wanted
    });
    let connections = granted.saturating_sub(SPARE_DESCRIPTORS).clamp(1, limits.connections as u64);
    if connections < limits.connections as u64 {
        tracing::warn!(
            connections,
            "fewer connections than limits.connections, because the system grants too few open files"
        );
    }
    SocketOptions {
        workers: settings.http.workers_on(composition::cores()),
        connections: usize::try_from(connections).unwrap_or(limits.connections),
        request_head_timeout: limits.request_head_timeout,
        keep_alive: limits.keep_alive,
        shutdown_grace: settings.shutdown.grace,
    }
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
