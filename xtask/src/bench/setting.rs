//! What, how and where to measure.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::bench::load::Wrk;
use crate::bench::measurement::Measurement;

pub const READERS: u32 = 32;
pub const WRITERS: u32 = 64;

/// The programs that take part.
pub struct Programs {
    pub botyard: PathBuf,
    pub floor: PathBuf,
    pub wrk: Wrk,
}

/// What, how and where to measure.
pub struct Setting {
    pub programs: Programs,
    pub folder: PathBuf,
    pub seconds: u32,
    pub rounds: u32,
    /// All if this is empty.
    pub only: Vec<Measurement>,
    /// A part of the names of the floods that are measured.
    pub flood: String,
}

impl Setting {
    pub fn wants(&self, what: Measurement) -> bool {
        self.only.is_empty() || self.only.contains(&what)
    }

    pub fn wants_any(&self, of: &[Measurement]) -> bool {
        of.iter().any(|what| self.wants(*what))
    }
}

/// A new folder in another one.
pub fn folder(parent: &Path, name: &str) -> Result<PathBuf> {
    let folder = parent.join(name);
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    Ok(folder)
}
