//! What must hold for every operation, generated from the table of operations: a later endpoint
//! comes in by itself, and one that breaks a rule fails here before anybody has written a test for it.
//!
//! A matrix sends a [`call::Call`] that is valid in all respects but one, the row, to every operation, the column.
//! [`cells::Cells`] collects what each cell got wrong, so that a broken rule shows its whole extent at once.
//!
//! Most of them call the API in this process: on SQLite what is decided before anything is stored, on each database
//! what a unit of work decides. [`wired`] sends one request for each of these decisions to a server, over HTTP.
//!
//! An operation with a new parameter needs an entry in [`slots`] that says what stands in it, and its row of
//! the specification's tables in [`specification`].

mod bodies;
mod call;
mod cells;
mod changes;
mod document;
mod foreign_members;
mod form;
mod ids;
mod keys;
mod methods;
mod parity;
mod parts;
mod paths;
mod preconditions;
mod queries;
mod scopes;
mod shapes;
mod slots;
mod specification;
mod state;
mod tokens;
mod verdict;
mod wired;
mod world;

/// The matrix makes a webhook for each of many bots.
const SETTINGS: [(&str, &str); 1] = [("LIMITS__WEBHOOKS_PER_PROJECT", "0")];
