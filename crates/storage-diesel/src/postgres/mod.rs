//! The store on PostgreSQL: threads that read and threads that write, each with a session.

mod address;
pub(crate) mod batch;
pub(crate) mod listener;
pub(crate) mod pool;
mod sequencer;
pub(crate) mod server;
mod session;
pub(crate) mod store;
pub(crate) mod tls;
pub(crate) mod worker;
