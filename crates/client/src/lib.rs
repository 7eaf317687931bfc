//! A client of the External Bot Management API: a method for each operation of a botyard server that takes a token.
//!
//! A token for a project makes a [`ProjectClient`], a token for one bot a [`BotClient`]. Each resource has a module,
//! with the bodies, the answers and the methods of both clients, made of the API document of the server
//! (`docs/openapi.json`), whose words `null` and "body" mean `None` and an argument here.
//!
//! ```no_run
//! use client::bot::{CreateBot, ListBotsQuery, UpdateBot};
//! use client::project_document::{UploadDocument, UploadDocumentQuery};
//! use client::{File, ProjectClient};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let project = ProjectClient::new("http://127.0.0.1:8080", "byp_…")?;
//! let bot = project.create_bot(&CreateBot { name: "Grace".into(), ..CreateBot::default() }).await?;
//! let manual = UploadDocument::new(File::open("manual.pdf").await?);
//! let document = project.upload_document(&UploadDocumentQuery::default(), manual).await?.project_doc;
//! println!("{} {}", bot.id, document.extraction.chunk_count);
//!
//! let warmer = UpdateBot { temperature: Some(Some(7.0)), ..UpdateBot::default() };
//! if let Err(client::Error::Refused(refusal)) = project.update_bot(bot.id, &warmer).await {
//!     println!("{}: {:?}", refusal.problem.code, refusal.problem.errors);
//! }
//!
//! let mut page = ListBotsQuery { limit: Some(100), ..ListBotsQuery::default() };
//! loop {
//!     let bots = project.list_bots(&page).await?;
//!     println!("{:?}", bots.items);
//!     let Some(cursor) = bots.next else { break };
//!     page.cursor = Some(cursor);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # What is not in a request, and what is `null`
//!
//! A body that changes something names only what it changes. Where a value can be taken away, a field of it is an
//! `Option` in an `Option`: `None` leaves the value as it is, `Some(None)` sends `null`.
//!
//! # Limits
//!
//! An answer in which JSON is nested 128 levels deep or deeper can't be read, which protects the stack of the program
//! against a server that is none of botyard's. It takes a free member that is about as deep, and is not so for what is
//! [`Json`].
//!
//! # Errors
//!
//! [`Error::Refused`] is what the server said, with its stable code. No request is sent again by itself:
//! [`Refusal::retry_after`] says when that makes sense.

mod error;
mod file;
mod http;
mod json;
mod nullable;
mod page;
mod tagged;
mod timestamp;

pub mod bot;
pub mod changelog;
pub mod download;
pub mod event;
pub mod event_stream;
pub mod feedback;
pub mod fusion_view;
pub mod key_value_entry;
pub mod max_age_rule;
pub mod project_document;
pub mod shared;
pub mod skill;
pub mod stage;
pub mod supervisor;
pub mod token;
pub mod usage;
pub mod user;
pub mod webhook;
pub mod website_crawl;

pub use error::{Error, Refusal, Result};
pub use file::File;
pub use http::{BotClient, ProjectClient};
pub use json::Json;
pub use page::{Page, PageQuery};
pub use tagged::Tagged;
pub use timestamp::{Day, Timestamp};
