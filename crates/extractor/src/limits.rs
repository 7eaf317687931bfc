//! How much of a file is read, and what its reader may use up.

use std::num::NonZeroUsize;
use std::thread::available_parallelism;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The bounds of an extraction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// How many bytes of text a file has at most.
    pub text_bytes: u64,
    /// How many pages.
    pub pages: u32,
    /// How many chunks.
    pub chunks: u32,
    /// How deep the elements of XML may stand in one another.
    pub xml_depth: u32,
    /// How many files an archive has at most that is a document, as those of Office are.
    pub archive_entries: u32,
    /// How many bytes of them are read at most together, unpacked.
    pub archive_bytes: u64,
    /// How many pixels an image has at most.
    pub image_pixels: u64,
    /// On how many pages text is read from images.
    pub ocr_pages: u32,
    /// How many bytes there may be in the folder of a child beside the file, while it runs.
    pub room_bytes: u64,
    /// How many bytes of memory a child may have, and each program that it starts. Together they may have
    /// twice as many, because a child runs one program at a time.
    pub memory: u64,
    /// Of how many processes a child may consist, with the programs that it starts.
    pub processes: u32,
    /// How long it may compute.
    pub cpu: Duration,
    /// How long it may take.
    pub wall: Duration,
    /// How many bytes it may answer.
    pub result_bytes: u64,
    /// How many children may run at once.
    pub children: NonZeroUsize,
}

impl Default for Limits {
    fn default() -> Self {
        let cores = available_parallelism().map_or(1, usize::from);
        Self {
            text_bytes: 20 << 20,
            pages: 2_000,
            chunks: 100_000,
            xml_depth: 256,
            archive_entries: 10_000,
            archive_bytes: 512 << 20,
            image_pixels: 50_000_000,
            ocr_pages: 200,
            room_bytes: 256 << 20,
            memory: 1 << 30,
            processes: 32,
            cpu: Duration::from_secs(60),
            wall: Duration::from_secs(120),
            result_bytes: 64 << 20,
            children: NonZeroUsize::new(cores / 2).unwrap_or(NonZeroUsize::MIN),
        }
    }
}
