//! Gauges of what a store has at the moment. They are set when they are asked for, not with each unit.

use domain::lock::Mode;
use metrics::{Gauge, describe_gauge, gauge};
use r2d2::{ManageConnection, Pool};

const CONNECTIONS: &str = "botyard_storage_connections";
const DATABASE: &str = "botyard_database_bytes";
const LOG: &str = "botyard_database_wal_bytes";

/// Says what they mean.
pub fn describe() {
    describe_gauge!(
        CONNECTIONS,
        "Connections to the database, by whether a unit of work has them."
    );
    describe_gauge!(
        DATABASE,
        "Size of the database. On SQLite, of its file without the write-ahead log."
    );
    describe_gauge!(LOG, "SQLite: size of the write-ahead log.");
}

/// Records the connections of a pool.
pub fn connections<M: ManageConnection>(mode: Mode, pool: &Pool<M>) {
    let mode = match mode {
        Mode::LookUp | Mode::Read => "read",
        Mode::Write => "write",
    };
    let set = |state: &'static str, count: u32| {
        gauge!(CONNECTIONS, "mode" => mode, "state" => state).set(f64::from(count));
    };
    let state = pool.state();
    set("in_use", state.connections.saturating_sub(state.idle_connections));
    set("idle", state.idle_connections);
}

/// Records the size of the database.
pub fn database_bytes(bytes: u64) {
    set_bytes(&gauge!(DATABASE), bytes);
}

/// Records the size of the write-ahead log.
pub fn log_bytes(bytes: u64) {
    set_bytes(&gauge!(LOG), bytes);
}

#[expect(clippy::cast_precision_loss, reason = "a size is exact up to eight petabytes")]
fn set_bytes(gauge: &Gauge, bytes: u64) {
    gauge.set(bytes as f64);
}
