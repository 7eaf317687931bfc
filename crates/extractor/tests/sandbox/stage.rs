//! An extractor with a folder of its own, and the files that it is given.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use domain::blob::{BlobError, BlobReader};
use domain::document::{
    ChunkReader, ExtractedChunk, Extracting, ExtractionError, ExtractionSettings, ExtractorError,
    Strategy, TextExtractor as _,
};
use extractor::{Extractor, Limits, Program};
use tempfile::TempDir;

use crate::actor::PIDS;

/// Whatever takes longer than this hangs.
const TIMEOUT: Duration = Duration::from_secs(60);

/// An extractor whose workers are this program.
pub struct Stage {
    pub extractor: Extractor,
    pub folder: TempDir,
    pub settings: ExtractionSettings,
    /// Where the programs are that the workers run, if they are the test's own.
    pub _programs: Option<TempDir>,
}

impl Stage {
    pub fn new() -> Self {
        Self::with(Limits::default())
    }

    pub fn with(limits: Limits) -> Self {
        let path = env::var_os("PATH").unwrap_or_default();
        Self::started(&["extract-worker"], limits, path)
    }

    /// One whose workers lie.
    pub fn of_liars(how: &str, limits: Limits) -> Self {
        Self::started(&["lie", how], limits, OsString::new())
    }

    pub fn started(arguments: &[&str], limits: Limits, search_path: OsString) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let program = program(arguments, search_path);
        let extractor = Extractor::new(program, folder.path().to_owned(), limits).unwrap();
        Self { extractor, folder, settings: settings(), _programs: None }
    }

    /// Begins to read a file.
    pub async fn begin(
        &self,
        media_type: &str,
        bytes: impl Into<Vec<u8>>,
    ) -> Result<Box<dyn ChunkReader>, ExtractorError> {
        let bytes = bytes.into();
        let size = bytes.len() as u64;
        self.extract(media_type, size, Box::new(Blocks(vec![Ok(bytes)]))).await
    }

    pub async fn extract(
        &self,
        media_type: &str,
        size: u64,
        bytes: Box<dyn BlobReader>,
    ) -> Result<Box<dyn ChunkReader>, ExtractorError> {
        let (file_name, media_type) = ("a file".to_owned(), media_type.to_owned());
        let settings = self.settings.clone();
        self.extractor.extract(Extracting { bytes, size, file_name, media_type, settings }).await
    }

    /// The chunks of a file.
    pub async fn chunks(
        &self,
        media_type: &str,
        bytes: impl Into<Vec<u8>>,
    ) -> Result<Vec<ExtractedChunk>, ExtractorError> {
        let mut reader = self.begin(media_type, bytes).await?;
        let mut chunks = Vec::new();
        let end = loop {
            match reader.next().await {
                Ok(Some(more)) => chunks.extend(more),
                Ok(None) => break Ok(chunks),
                Err(error) => break Err(error),
            }
        };
        // What was said stays so.
        assert_eq!(reader.next().await.map(|_| ()), end.clone().map(|_| ()));
        self.is_empty().await;
        end
    }

    /// The text of a file that fits into one chunk.
    pub async fn text(
        &self,
        media_type: &str,
        bytes: impl Into<Vec<u8>>,
    ) -> Result<String, ExtractorError> {
        let mut chunks = self.chunks(media_type, bytes).await?;
        assert_eq!(chunks.len(), 1);
        Ok(chunks.remove(0).text)
    }

    /// What a worker finds out that plays a part.
    pub async fn play(&self, part: &str) -> Result<String, ExtractorError> {
        self.text("text/html", part).await
    }

    /// Waits until there is nothing left of any worker.
    pub async fn is_empty(&self) {
        until(|| fs::read_dir(self.folder.path()).unwrap().next().is_none().then_some(())).await;
        let folder = fs::canonicalize(self.folder.path()).unwrap();
        until(|| (!is_worked_in(&folder)).then_some(())).await;
    }

    /// The numbers of the processes that a worker with the part "hang" consists of.
    pub async fn pids(&self) -> Vec<String> {
        pids(self.folder.path()).await
    }
}

/// This program, called in another way.
pub fn program(arguments: &[&str], search_path: OsString) -> Program {
    let arguments = arguments.iter().map(OsString::from).collect();
    let path = env::current_exe().unwrap();
    Program { path, arguments, search_path, variables: Vec::new() }
}

/// The numbers of the processes of the worker that hangs below this folder.
pub async fn pids(folder: &Path) -> Vec<String> {
    let pids = until(|| {
        let mut rooms = fs::read_dir(folder).unwrap();
        rooms.find_map(|room| fs::read_to_string(room.unwrap().path().join(PIDS)).ok())
    });
    pids.await.split(' ').map(str::to_owned).collect()
}

/// Whether any process works below this folder, though its own may be removed by now.
fn is_worked_in(folder: &Path) -> bool {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let mut places = processes.filter_map(|process| fs::read_link(process.path().join("cwd")).ok());
    places.any(|place| place.starts_with(folder))
}

/// Looks again and again until there is something.
pub async fn until<T>(look: impl Fn() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(started.elapsed() < TIMEOUT, "it never came about");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Waits until a process is gone, or is a zombie that only waits to be reaped.
pub async fn gone(pid: &str) {
    let status = PathBuf::from(format!("/proc/{pid}/stat"));
    until(|| match fs::read_to_string(&status) {
        Ok(stat) => stat.contains(") Z ").then_some(()),
        Err(_) => Some(()),
    })
    .await;
}

pub fn file(error: ExtractionError) -> ExtractorError {
    ExtractorError::File(error)
}

pub fn settings() -> ExtractionSettings {
    ExtractionSettings {
        max_chars: 10_000,
        max_overlap: 0,
        strategy: Strategy::Text,
        images_enabled: false,
        ocr_enabled: false,
        ocr_language: "eng".to_owned(),
    }
}

/// The blocks of a blob, the last one first.
pub struct Blocks(pub Vec<Result<Vec<u8>, BlobError>>);

#[async_trait]
impl BlobReader for Blocks {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, BlobError> {
        self.0.pop().transpose()
    }
}
