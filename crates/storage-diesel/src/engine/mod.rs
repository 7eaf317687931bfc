//! What runs units of work: their queue, the connections, and the transaction as a unit sees it.

pub(crate) mod access_version;
pub(crate) mod db;
pub(crate) mod errors;
pub(crate) mod gauges;
pub(crate) mod generation;
pub(crate) mod meters;
pub(crate) mod owner_queues;
pub(crate) mod pool;
pub(crate) mod queue_bounds;
pub(crate) mod queued_unit;
pub(crate) mod threads;
pub(crate) mod turns;
pub(crate) mod tx;
pub(crate) mod unit_queue;
