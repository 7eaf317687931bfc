//! Connections: what lies between a socket and the framework.
//!
//! The framework reads a [`Wire`](wire::Wire) instead of the socket. It keeps the times that clients have,
//! refuses heads and chunks that are not exactly HTTP/1.1 (RFC 9112), and hands over one request at a
//! time: the next one when the answer is complete. A request that it refuses becomes one that the
//! application answers, so that it gets a problem body, a line of log and its place in the order of
//! answers like any other. [`exchange`] is what both sides know of the request in progress,
//! [`addresses`] counts the connections of each address, and [`service`] puts it all together.

pub(crate) mod addresses;
mod chunks;
pub(crate) mod exchange;
mod framing;
mod head;
mod header_values;
pub(crate) mod service;
mod standstill;
#[cfg(test)]
mod tests;
mod timer;
mod wire;
