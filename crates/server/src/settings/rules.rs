//! What settings must be to each other and to what the server does with them.

use std::time::Duration;

use super::error::ErrorLines;
use super::kinds::DatabaseUrl;
use super::table::Settings;
use super::value::Layer;

/// A node makes the lease of its job longer four times in each; a shorter one would run out while a
/// busy node works, and two would do the same.
const SHORTEST_LEASE: Duration = Duration::from_secs(1);
/// A process that reads a document needs half of this before it has seen the first byte.
const LEAST_MEMORY: usize = 256 << 20;

/// Adds an error for each setting that fits by itself, but not beside the others.
pub fn check(settings: &Settings, found: &Layer, errors: &mut ErrorLines) {
    if let Some(found) = found.get("database.listen_url")
        && let Some(listen_url) = &settings.database.listen_url
        && [listen_url, &settings.database_url]
            .iter()
            .any(|url| !matches!(url, DatabaseUrl::Postgres(_)))
    {
        // Neither address is quoted: they may have passwords.
        let complaint = "this and database_url must both be addresses of PostgreSQL";
        errors.add_value("database.listen_url", &found.origin, complaint);
    }
    let mut refuse = |name: &'static str, complaint: &str| {
        if let Some(found) = found.get(name) {
            let complaint = format!("\"{}\" {complaint}", found.given);
            errors.add_value(name, &found.origin, &complaint);
        }
    };
    let auth = &settings.auth;
    if auth.bot_header.eq_ignore_ascii_case(&auth.project_header) {
        refuse(
            "auth.project_header",
            "is auth.bot_header as well; the header is what tells the two kinds of token apart",
        );
    }
    let sources = &settings.model_sources;
    if sources.hosted == sources.selfhosted {
        refuse("model_sources.selfhosted", "is model_sources.hosted as well; the two must differ");
    }
    if settings.jobs.lease < SHORTEST_LEASE {
        refuse("jobs.lease", "is too short; the least is 1s");
    }
    let otlp = &settings.otlp;
    let (has_endpoint, leaves_out) = (otlp.endpoint.is_some(), otlp.one_in > 1);
    for (name, is_used) in [("otlp.endpoint", has_endpoint), ("otlp.one_in", leaves_out)] {
        if is_used && !cfg!(feature = "otlp") {
            refuse(name, "needs a build of botyard with the cargo feature `otlp`");
        }
    }
    if settings.extraction.memory < LEAST_MEMORY {
        refuse("extraction.memory", "is too small; the least is 256MiB");
    }
    let listen = settings.listen;
    if listen.port() != 0 && settings.metrics.listen == Some(listen) {
        refuse("metrics.listen", "is listen as well; leave it empty to serve the metrics there");
    }
}
