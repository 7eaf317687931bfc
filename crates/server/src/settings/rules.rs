//! What settings must be to each other.

use super::error::Faults;
use super::sources::Layer;
use super::table::Settings;

/// Adds a fault for each setting that fits by itself, but not beside the others.
pub fn check(settings: &Settings, found: &Layer, faults: &mut Faults) {
    let mut refuse = |name: &'static str, complaint: &str| {
        if let Some(found) = found.get(name) {
            let complaint = format!("\"{}\" {complaint}", found.given);
            faults.add_value(name, &found.origin, &complaint);
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
    let listen = settings.listen;
    if listen.port() != 0 && settings.metrics.listen == Some(listen) {
        refuse("metrics.listen", "is listen as well; leave it empty to serve the metrics there");
    }
}
