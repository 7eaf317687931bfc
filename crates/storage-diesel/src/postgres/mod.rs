//! The store on PostgreSQL: every thread reads and writes.

pub(crate) mod listener;
pub(crate) mod pool;
pub(crate) mod server;
pub(crate) mod store;
pub(crate) mod worker;
