//! The resources: each file begins with its rows of the table, and holds handlers, views and examples.

pub(crate) mod bot;
pub(crate) mod changelog;
pub(crate) mod checkauth;
pub(crate) mod document;
pub(crate) mod embedding;
pub(crate) mod event;
pub(crate) mod feedback;
pub(crate) mod fusion;
pub(crate) mod items;
pub(crate) mod keyval;
pub(crate) mod max_age;
pub(crate) mod skill;
pub(crate) mod stage;
pub(crate) mod supervisor;
pub(crate) mod usage;
pub(crate) mod user;
pub(crate) mod webhook;
