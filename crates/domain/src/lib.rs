//! The rules of botyard, without any I/O: entities, services, and the ports that they need.
//!
//! Start at [`Botyard`], which bundles the services, and at [`store`], which says what a unit of work
//! is. A folder is a concept of the specification; each holds its entity, its rules, its repository
//! trait and its service. There is no SQL here, no HTTP, and no clock or generator of its own.

pub mod access;
pub mod archive;
pub mod batch;
pub mod blob;
pub mod bot;
pub mod changelog;
pub mod clock;
mod context;
pub mod copy_step;
pub mod crawl;
pub mod document;
pub mod entropy;
pub mod error;
pub mod feedback;
mod file_name;
pub mod free_fields;
pub mod fusion;
pub mod history;
pub mod id;
pub mod import;
pub mod input;
pub mod job;
pub mod json;
pub mod keyval;
mod limits;
pub mod lock;
pub mod max_age;
pub mod memory;
pub mod organisation;
mod ports;
pub mod project;
pub mod project_slots;
pub mod recorder;
mod services;
pub mod skill;
pub mod stage;
pub mod store;
pub mod testing;
pub mod text;
mod unit;
pub mod usage;
pub mod user;
pub mod violation;
pub mod visual_block;

pub use error::{DomainError, StorageError};
pub use limits::Limits;
pub use ports::Ports;
pub use services::Botyard;
