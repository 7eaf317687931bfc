//! Who reads documents for this process, and what that may take.

use std::env;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result};
use crawler::html_to_markdown;
use extractor::{Extractor, Limits, Program, guard, worker};

use crate::composition::cores;
use crate::folder_lock::make_folder;
use crate::settings::Settings;

/// The allocator of this program has a thread that gives memory back, by what it is built with; with this variable it
/// has none.
const ONE_THREAD: [(&str, &str); 1] = [("MALLOC_CONF", "background_thread:false")];

/// Does the work of a process that was started to read one document, or to guard such a process; `None`
/// in any other process.
pub fn work() -> Option<ExitCode> {
    match env::args_os().nth(1)?.to_str()? {
        worker::COMMAND => Some(worker::run(html_to_markdown)),
        guard::COMMAND => Some(guard::run()),
        _ => None,
    }
}

/// The extractor of documents, as the settings have it.
///
/// # Errors
/// If there is no place for what is read.
pub fn open(settings: &Settings) -> Result<Arc<Extractor>> {
    make_folder(&settings.data_dir)?;
    let folder = settings.data_dir.join("extractions");
    make_folder(&folder)?;
    let mut program = Program::this().context("this program can't be found")?;
    program.variables = ONE_THREAD.map(|(name, value)| (name.into(), value.into())).to_vec();
    let extractor = Extractor::new(program, folder, limits(settings));
    Ok(Arc::new(extractor.context("documents can't be read")?))
}

/// Makes sure that documents can be read, and has the log say how safely. If they can't, all else still
/// works.
pub async fn try_out(extractor: Arc<Extractor>) {
    if let Err(error) = extractor.try_out().await {
        tracing::error!(%error, "documents can't be read on this machine");
    }
}

fn limits(settings: &Settings) -> Limits {
    let settings = &settings.extraction;
    Limits {
        text_bytes: settings.text as u64,
        pages: settings.pages,
        chunks: settings.chunks,
        xml_depth: settings.xml_depth,
        archive_entries: settings.archive_entries,
        archive_bytes: settings.archive_total as u64,
        image_pixels: settings.image_pixels,
        ocr_pages: settings.ocr_pages,
        memory: settings.memory as u64,
        cpu: settings.cpu,
        wall: settings.time,
        result_bytes: settings.result as u64,
        children: settings.processes_on(cores()),
        ..Limits::default()
    }
}
