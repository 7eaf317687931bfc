//! How many connections there are, and how long they last.

use http_actix::SocketOptions;

use crate::composition;
use crate::settings::Settings;

/// Descriptors that are kept for what is neither a client's connection nor opened for a request.
const SPARE_DESCRIPTORS: u64 = 256;

/// As many connections as the settings allow and the system's descriptors carry.
pub fn options(settings: &Settings) -> SocketOptions {
    let limits = &settings.limits;
    // A request may have a file open, or a connection to another server.
    let spare = SPARE_DESCRIPTORS.saturating_add(limits.requests_in_flight as u64);
    let wanted = spare.saturating_add(limits.connections as u64);
    let granted = rlimit::increase_nofile_limit(wanted);
    let connections = match granted {
        Ok(granted) => connections_of(granted, spare, limits.connections),
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

/// How many of the wanted connections so many descriptors carry, if `spare` of them, or half, are kept for all else.
fn connections_of(descriptors: u64, spare: u64, wanted: usize) -> usize {
    let spare = spare.min(descriptors / 2);
    usize::try_from(descriptors.saturating_sub(spare)).unwrap_or(wanted).clamp(1, wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_with_few_descriptors_still_has_connections() {
        for (descriptors, spare, connections) in [
            (100_000, 4_352, 10_000),
            (14_352, 4_352, 10_000),
            (10_000, 4_352, 5_648),
            (1_024, 4_352, 512),
            (1_024, 256, 768),
            (2, 256, 1),
            (0, 256, 1),
        ] {
            assert_eq!(connections_of(descriptors, spare, 10_000), connections, "{descriptors}");
        }
    }
}
