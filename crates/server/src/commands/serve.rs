//! `botyard serve`

mod ending;
mod sockets;

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use actix_web::dev::Server;
use anyhow::{Context, Result};
use domain::audit::AuditActor;
use domain::job::Queue;
use domain::{Botyard, DomainError};
use http_actix::{AppState, RenderMetrics};
use metrics_exporter_prometheus::PrometheusHandle;
use storage_diesel::system::SystemEntropy;

use self::ending::{Signals, wind_down};
use crate::command_line::CommandLine;
use crate::commands::seed;
use crate::composition::{self, Composition};
use crate::encryption;
use crate::extracting;
use crate::folder_lock::claim_folders;
use crate::installation;
use crate::job_runner::JobRunner;
use crate::log_buffer::LogBuffer;
use crate::monitoring::{self, Sampler};
use crate::operator::OPERATOR;
use crate::outgoing::Outgoing;
use crate::output::Output;
use crate::seed::Report;
use crate::settings::{Loaded, Settings};
use crate::upkeep::Upkeep;
use crate::webhooks;

/// How often what has not been used for a while is forgotten, by the server and by its metrics.
const TIDY: Duration = Duration::from_secs(10);

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
    let bound = Bound::of(&settings)?;
    let address = bound.api.address;
    let metrics = monitoring::install_recorder()?;
    let composition = compose(&settings, &bound, actor).await?;
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
        let servers = listen(&settings, &state, bound, render)?;
        let upkeep = start_upkeep(&settings, &composition, &state, metrics);
        if !locks.is_empty() {
            // No other server has this database, so the workers that had jobs are gone.
            composition.botyard.jobs.expire_leases(OPERATOR).await?;
        }
        let jobs = JobRunner::start(&composition.botyard, queues(&settings)).await?;
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

/// Puts the services together, on a database with all migrations. What a server can't do without is looked at ahead of
/// them, so that one which can't start has changed nothing.
async fn compose(settings: &Settings, bound: &Bound, actor: &AuditActor) -> Result<Composition> {
    let extractor = extracting::open(settings)?;
    let outgoing = Outgoing::open(settings, bound.own_addresses(), extractor.clone())?;
    let blobs = composition::open_blobs(settings).await?;
    let applied = composition::migrate(settings)?;
    for name in &applied {
        tracing::info!(name, "a migration was applied");
    }
    let composition = composition::open(settings, blobs.clone(), outgoing, extractor.clone())?;
    installation::confirm(&composition.botyard, &blobs, settings).await?;
    encryption::confirm(&composition.botyard, settings).await?;
    if !applied.is_empty() {
        composition.acting_for(actor).botyard.audit.record(applied).await?;
    }
    actix_web::rt::spawn(extracting::try_out(extractor));
    Ok(composition)
}

/// Begins to accept connections.
fn listen(
    settings: &Settings,
    state: &Arc<AppState>,
    bound: Bound,
    render: RenderMetrics,
) -> Result<Vec<Server>> {
    let options = sockets::options(settings);
    let mut servers = vec![http_actix::serve(state, bound.api.listener, &options)?];
    if let Some(Listening { listener, address }) = bound.metrics {
        servers.push(http_actix::serve_metrics(state, render, listener, &options)?);
        tracing::info!(%address, "metrics are served on an address of their own");
    }
    Ok(servers)
}

/// Starts what is done beside requests and jobs.
fn start_upkeep(
    settings: &Settings,
    composition: &Composition,
    state: &Arc<AppState>,
    metrics: PrometheusHandle,
) -> Upkeep {
    let Composition { botyard, store, .. } = composition;
    let mut upkeep = Upkeep::start(botyard.upkeep(OPERATOR));
    upkeep.add(webhooks::dispatch(botyard.webhooks.clone()));
    let sampler = Sampler::new(botyard.jobs.clone(), store.clone(), settings);
    upkeep.add_repeating(monitoring::PAUSE, "metrics", async move || sampler.sample().await);
    add_purge(&mut upkeep, botyard, settings.bots.purge_trash_after);
    let state = state.clone();
    upkeep.add_repeating(TIDY, "tidying", async move || -> Result<(), DomainError> {
        state.tidy();
        metrics.run_upkeep();
        Ok(())
    });
    upkeep
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

/// The queues of jobs, and how many workers each has.
fn queues(settings: &Settings) -> [(Queue, usize); 4] {
    [
        (Queue::Maintenance, settings.jobs.workers),
        (Queue::Crawls, settings.crawler.workers),
        (Queue::Extractions, settings.extraction.workers_on(composition::cores())),
        (Queue::Webhooks, settings.webhooks.workers),
    ]
}

/// The addresses that are bound, ahead of everything that takes time: a second server fails at once.
struct Bound {
    api: Listening,
    metrics: Option<Listening>,
}

struct Listening {
    listener: TcpListener,
    /// Where it listens, also where the system chose the port.
    address: SocketAddr,
}

impl Bound {
    fn of(settings: &Settings) -> Result<Self> {
        let metrics = settings.metrics.listen;
        Ok(Self {
            api: Listening::on(settings.listen, "listen")?,
            metrics: metrics.map(|at| Listening::on(at, "metrics.listen")).transpose()?,
        })
    }

    fn own_addresses(&self) -> Vec<SocketAddr> {
        [Some(&self.api), self.metrics.as_ref()]
            .into_iter()
            .flatten()
            .map(|at| at.address)
            .collect()
    }
}

impl Listening {
    fn on(address: SocketAddr, setting: &str) -> Result<Self> {
        let listener = TcpListener::bind(address)
            .with_context(|| format!("setting {setting}: {address} can't be listened on"))?;
        let address = listener.local_addr().context("the socket has no address")?;
        Ok(Self { listener, address })
    }
}
