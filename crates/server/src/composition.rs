//! Puts the parts together: the database of the settings, and the services on it.

use std::sync::Arc;
use std::thread::available_parallelism;

use anyhow::{Context, Result};
use domain::body::ModelSources;
use domain::{Botyard, Limits, Ports};
use http_actix::{HttpLimits, HttpOptions, RateLimit, RenderMetrics};
use storage_diesel::system::{SystemClock, SystemEntropy};
use storage_diesel::{DieselStore, Options};

use crate::settings::Settings;

/// The services and the database under them.
pub struct Composition {
    /// The services.
    pub botyard: Botyard,
    /// The database, to be closed at the end.
    pub store: Arc<DieselStore>,
}

/// Brings the database up to date, creating it if need be; returns the migrations that it lacked.
///
/// # Errors
/// If the database can't be opened, or a migration fails.
pub fn migrate(settings: &Settings) -> Result<Vec<String>> {
    let url = &settings.database_url;
    storage_diesel::migrate(url).with_context(|| url.to_string())
}

/// Opens the database and puts the services on it.
///
/// # Errors
/// If the database can't be opened, or its schema is not this binary's.
pub fn open(settings: &Settings) -> Result<Composition> {
    let limits = &settings.limits;
    let options = Options {
        readers: settings.database.readers_on(cores()) as usize,
        queue: limits.queue,
        write_batch: limits.write_batch,
        write_batch_time: limits.write_batch_time,
        ..Options::default()
    };
    let url = &settings.database_url;
    let store = DieselStore::open(url, options).with_context(|| url.to_string())?;
    let store = Arc::new(store);
    let ports = Ports {
        store: store.clone(),
        clock: Arc::new(SystemClock),
        entropy: Arc::new(SystemEntropy),
    };
    let limits = Limits { bots_per_project: limits.bots_per_project };
    let model_sources = ModelSources {
        hosted: settings.model_sources.hosted.clone(),
        selfhosted: settings.model_sources.selfhosted.clone(),
    };
    Ok(Composition { botyard: Botyard::new(ports, limits, model_sources), store })
}

/// What the HTTP layer is told.
pub fn http_options(settings: &Settings, metrics: Option<RenderMetrics>) -> HttpOptions {
    let limits = &settings.limits;
    let rate_limit = (settings.rate_limit.requests_per_second > 0).then(|| RateLimit {
        requests_per_second: settings.rate_limit.requests_per_second,
        burst: settings.rate_limit.burst_in_force(),
    });
    HttpOptions {
        bot_header: settings.auth.bot_header.clone(),
        project_header: settings.auth.project_header.clone(),
        limits: HttpLimits {
            path: limits.path,
            path_segment: limits.path_segment,
            json_body: limits.json_body,
            bot_body: limits.bot_body,
            requests_in_flight: limits.requests_in_flight,
            handler_timeout: limits.handler_timeout,
        },
        rate_limit,
        cors_origins: settings.cors.allowed_origins.clone(),
        trusted_proxies: settings.trusted_proxies.clone(),
        public_url: settings.public_url.clone(),
        metrics,
    }
}

/// The cores that this process may use.
pub fn cores() -> usize {
    available_parallelism().map_or(1, usize::from)
}
