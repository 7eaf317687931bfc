//! The store on SQLite: one thread that writes, some that read.

pub(crate) mod checkpoint;
pub(crate) mod connect;
pub(crate) mod disk_reserve;
pub(crate) mod log_copier;
pub(crate) mod pool;
pub(crate) mod reader;
pub(crate) mod snapshot;
pub(crate) mod store;
pub(crate) mod unit;
pub(crate) mod upkeep;
pub(crate) mod writer;
