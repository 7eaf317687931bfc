//! The extractor: text out of files, read in a sandbox, cut into chunks.
//!
//! The crate has two sides, which speak in records (`record.rs`):
//!
//! - The **worker** (`worker.rs`) runs in a child process, because what a file can do to its reader must
//!   reach no other process. `sandbox/` is what it gives up before it looks at the file. `read/` makes a
//!   [`Document`](document::Document) of it, with one file for each format, and `chunk/` cuts that; neither
//!   knows anything of a parent.
//! - The **parent** (`parent/`) starts the children, gives them files and reads what they answer. `kind.rs`
//!   says of what type a file is.
//!
//! Beside each worker runs a **guard** (`guard.rs`), which outlives a parent that is killed for just as long as
//! it takes to end what that has left.

mod chunk;
mod disk;
mod document;
pub mod guard;
mod kind;
mod limits;
mod parent;
mod read;
mod record;
mod sandbox;
mod work_dir_files;
pub mod worker;

pub use limits::Limits;
pub use parent::{Extractor, Program};
pub use read::Html;
