//! The way out: requests to servers that clients name, and to nothing of the network that this server runs in.
//!
//! Start at [`Client`], which sends a request and gives its answer. It follows nothing and keeps nothing: what is
//! asked, how often, and what becomes of an answer is for the crates that use it.
//!
//! - `guard/` says which addresses may be reached.
//! - `connector.rs` resolves names and connects, to what the guard let pass and to nothing else. No other file
//!   opens a connection.
//! - `client.rs` sends requests over these connections.

mod client;
mod connector;
mod error;
mod guard;
mod settings;

pub use client::{Client, SetupError};
pub use error::EgressError;
pub use settings::Settings;
