//! The parent: starts a worker for each file, and believes nothing that it says.
//!
//! Start at [`Extractor::extract`](TextExtractor::extract). `work_dir.rs` makes the folder of a worker,
//! `starter.rs` starts its process, `group.rs` is what that is in and `usage.rs` how much all in there use,
//! `supervisor.rs` stays with it until it is gone, `chunk_stream.rs` reads what it answers, `ending.rs` makes a word
//! of how it ended.

mod chunk_stream;
mod ending;
mod failure;
mod group;
mod languages;
mod starter;
mod supervisor;
mod trial;
mod usage;
mod work_dir;

use std::env;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;

use async_trait::async_trait;
use domain::blob::{BlobError, Staged};
use domain::document::{ChunkReader, Extracting, ExtractorError, TextExtractor};
use tokio::process::Command;
use tokio::sync::Semaphore;

use crate::kind;
use crate::limits::Limits;
use crate::record::{Head, Records};
use crate::worker::COMMAND;

use chunk_stream::ChunkStream;
use failure::failed;
use languages::Languages;
use starter::Starter;
use supervisor::Warnings;
use work_dir::WorkDir;

/// Where Tesseract's models are, if not where it looks by itself.
const MODELS: &str = "TESSDATA_PREFIX";

/// The program that workers run, which calls [`worker::run`](crate::worker::run), and
/// [`guard::run`](crate::guard::run) if it is called with [`guard::COMMAND`](crate::guard::COMMAND) alone.
#[derive(Debug, Clone)]
pub struct Program {
    /// Where it is.
    pub path: PathBuf,
    /// What it is called with to be a worker.
    pub arguments: Vec<OsString>,
    /// Where the programs are that it may call, as in the variable `PATH`.
    pub search_path: OsString,
    /// Variables that it needs to be a process with a single thread, because no other can go into a user namespace:
    /// an allocator, for example, can have threads of its own.
    pub variables: Vec<(OsString, OsString)>,
}

impl Program {
    /// This very program, called with the argument [`COMMAND`].
    ///
    /// # Errors
    /// It can't be found.
    pub fn this() -> io::Result<Self> {
        // By this name it is still the same one after another version has taken its place on the disk.
        let own = PathBuf::from("/proc/self/exe");
        let path = if own.exists() { own } else { env::current_exe()? };
        let search_path = env::var_os("PATH").unwrap_or_default();
        Ok(Self { path, arguments: vec![COMMAND.into()], search_path, variables: Vec::new() })
    }
}

/// Reads text from files. Needs a tokio runtime.
#[derive(Debug)]
pub struct Extractor {
    program: Program,
    /// Below it each worker has its folder while it runs.
    folder: PathBuf,
    limits: Limits,
    permits: Arc<Semaphore>,
    starter: Starter,
    languages: Languages,
    warnings: Arc<Warnings>,
}

impl Extractor {
    /// An extractor whose workers run this program, and keep their files below this folder, from which it
    /// removes what killed processes left there.
    ///
    /// # Errors
    /// There is no such folder, or there can be no more threads.
    pub fn new(program: Program, folder: PathBuf, limits: Limits) -> io::Result<Self> {
        work_dir::sweep(&folder)?;
        Ok(Self {
            program,
            folder,
            permits: Arc::new(Semaphore::new(limits.children.get())),
            limits,
            starter: Starter::new()?,
            languages: Languages::default(),
            warnings: Arc::default(),
        })
    }

    /// Has a worker read a small file, so that it is known before the first document comes whether workers
    /// run here, and the log knows what their sandbox lacks.
    ///
    /// # Errors
    /// Why they do not.
    pub async fn try_out(&self) -> Result<(), ExtractorError> {
        let mut chunks = self.extract(trial::file()).await?;
        while chunks.next().await?.is_some() {}
        Ok(())
    }

    fn command(&self, work_dir: &WorkDir) -> io::Result<Command> {
        let mut command = Command::new(&self.program.path);
        command
            .args(&self.program.arguments)
            .env_clear()
            .envs(self.program.variables.iter().cloned())
            .envs(env::var_os(MODELS).map(|models| (MODELS, models)))
            .env("PATH", &self.program.search_path)
            .env("TMPDIR", work_dir.path())
            // One thread each: the cores belong to everybody.
            .env("OMP_THREAD_LIMIT", "1")
            .current_dir(work_dir.path())
            .stdin(Stdio::from(work_dir.open()?))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        Ok(command)
    }
}

#[async_trait]
impl TextExtractor for Extractor {
    async fn media_type(
        &self,
        staged: &Arc<dyn Staged>,
        file_name: &str,
        said: Option<&str>,
    ) -> Result<String, BlobError> {
        let (staged, name) = (staged.clone(), file_name.to_owned());
        let said = said.map(str::to_owned);
        let looking = move || kind::media_type(&mut staged.open()?, &name, said.as_deref());
        let found = tokio::task::spawn_blocking(looking).await;
        Ok(found.map_err(|error| BlobError::Failed(error.to_string()))??)
    }

    async fn ocr_languages(&self) -> Vec<String> {
        self.languages.get(&self.program.search_path).await
    }

    async fn extract(&self, file: Extracting) -> Result<Box<dyn ChunkReader>, ExtractorError> {
        let permit = self.permits.clone().acquire_owned().await.map_err(failed)?;
        let Extracting { bytes, media_type, settings, .. } = file;
        let records = Records::new(&settings, &self.limits);
        let head = Head { settings, media_type, limits: self.limits.clone() };
        let work_dir = WorkDir::create(&self.folder, &head, bytes).await?;
        let command = self.command(&work_dir).map_err(failed)?;
        let started = self.starter.start(command).await.map_err(failed)?;
        let warnings = self.warnings.clone();
        let held = (permit, self.starter.clone());
        let (stdout, supervised) =
            supervisor::supervise(started, work_dir, held, self.limits.clone(), warnings)
                .map_err(failed)?;
        Ok(Box::new(ChunkStream::new(stdout, records, supervised)))
    }
}
