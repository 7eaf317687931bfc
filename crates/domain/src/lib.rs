//! The rules of botyard, without any I/O: entities, services, and the ports that they need.
//!
//! A program that embeds botyard makes a [`Botyard`], which bundles the services, with [`Botyard::builder`].
//! The HTTP server does the same, so both work on the same database beside each other.
//!
//! ```
//! use std::sync::Arc;
//!
//! use domain::access::Operator;
//! use domain::bot::{CreateBot, UpdateBot};
//! use domain::input::Input as _;
//! use domain::DomainError;
//! use storage_diesel::{DatabaseUrl, DieselStore, Options, migrate, system};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("botyard.db");
//! let url = DatabaseUrl::Sqlite(path);
//! migrate(&url)?;
//! let store = Arc::new(DieselStore::open(&url, Options::default())?);
//! let botyard = system::botyard_on(store.clone()).build();
//!
//! # let runtime = tokio::runtime::Builder::new_current_thread().build()?;
//! # runtime.block_on(async {
//! // A program of the installation itself may do everything; a token gives a claim on its own bot only.
//! let operator = Operator::of_this_installation();
//! let organisation = botyard.organisations.create(operator, "Museums").await?;
//! let project = botyard.projects.create(operator, organisation.id, "Guides").await?;
//!
//! // An input is checked before a service takes it, by the rules that hold for the body of a request.
//! let new = CreateBot::parse(br#"{"name": "Guide"}"#, botyard.input_settings())?;
//! let bot = botyard.bots.create(&operator.project(&project), new).await?.bot;
//! let violations = UpdateBot::parse(br#"{"temperature": 7}"#, botyard.input_settings()).unwrap_err();
//! assert_eq!(violations.iter().next().unwrap().pointer, "/temperature");
//!
//! let claim = operator.bot(organisation.id, &bot);
//! assert_eq!(botyard.bots.get(&claim).await?.bot.config.name, "Guide");
//! # Ok::<(), DomainError>(())
//! # })?;
//! store.close();
//! # Ok(())
//! # }
//! ```
//!
//! Each concept has a folder with its entity, its rules, its repository trait and its service:
//!
//! - **Who owns what**: [`organisation`], [`project`], [`access`] (tokens, what their bearers may do).
//! - **Bots** and what belongs to them: [`bot`], [`skill`], [`stage`], [`fusion`], [`visual_block`],
//!   [`changelog`].
//! - **Knowledge**: [`crawl`] (website-crawls), [`document`].
//! - **Events**: [`event`], [`webhook`].
//! - **Conversations**: [`user`], [`history`] (supervisor chats), [`feedback`], [`usage`], [`keyval`],
//!   [`max_age`]; [`recorder`] and [`import`] write what a chat runtime has to tell.
//! - **Lists**: [`list`] (sorted, searched, filtered, counted), [`batch`].
//! - **Inputs**: [`input`], [`violation`], [`json`], [`text`], [`free_fields`], [`id`].
//! - **Changes at once**: [`entity_tag`] (which state a client has seen), [`precondition`], [`idempotency`] (requests
//!   that take effect once).
//! - **Ports**, which other crates implement: [`store`] (a unit of work on the database), [`blob`], [`archive`],
//!   [`clock`], [`entropy`], and the traits of [`crawl`], [`document`], [`webhook`] and
//!   [`encryption`]. [`testing`] has some for tests.
//! - **Running it**: [`job`] (work that is done later), [`audit`] (who did what on the command line),
//!   [`installation`] (which blob store belongs to the database), [`encryption`] (secrets in the database).
//!
//! There is no SQL here, no HTTP, and no clock or generator of its own. [`DomainError`] is every error of a
//! service.

pub mod access;
pub mod archive;
pub mod audit;
pub mod background;
pub mod batch;
pub mod blob;
pub mod bot;
mod bot_resource;
mod builder;
pub mod changelog;
pub mod clock;
mod context;
pub mod copy_step;
pub mod crawl;
mod dirty_set;
pub mod document;
pub mod encryption;
pub mod entity_tag;
pub mod entropy;
pub mod error;
pub mod event;
pub mod feedback;
mod file_name;
pub mod free_fields;
pub mod fusion;
pub mod history;
pub mod http_url;
pub mod id;
pub mod idempotency;
pub mod import;
pub mod input;
pub mod installation;
pub mod job;
pub mod json;
pub mod keyval;
mod limits;
pub mod list;
pub mod lock;
pub mod max_age;
pub mod memory;
pub mod organisation;
pub mod per_key;
mod ports;
pub mod precondition;
pub mod project;
pub mod recorder;
mod services;
pub mod skill;
pub mod slots;
pub mod stage;
pub mod store;
pub mod testing;
pub mod text;
mod unit;
pub mod upkeep;
pub mod usage;
pub mod user;
pub mod violation;
pub mod visual_block;
pub mod webhook;

pub use builder::BotyardBuilder;
pub use error::{DomainError, StorageError};
pub use limits::Limits;
pub use services::Botyard;
