//! The languages in which text can be read from images.

use std::ffi::OsStr;
use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;
use tokio::sync::OnceCell;
use tokio::time::timeout;

use crate::read::ocr::{LIST_LANGUAGES, TESSERACT, listed_languages};

/// How long the program may take to say it.
const WAIT: Duration = Duration::from_secs(10);

/// What Tesseract says, remembered once it says something: it may be installed later.
#[derive(Debug, Default)]
pub(super) struct Languages(OnceCell<Vec<String>>);

impl Languages {
    pub(super) async fn get(&self, search_path: &OsStr) -> Vec<String> {
        let asked = self.0.get_or_try_init(|| async {
            let languages = ask(search_path).await;
            if languages.is_empty() { Err(()) } else { Ok(languages) }
        });
        asked.await.cloned().unwrap_or_default()
    }
}

async fn ask(search_path: &OsStr) -> Vec<String> {
    let mut command = Command::new(TESSERACT);
    command.arg(LIST_LANGUAGES).env("PATH", search_path).stdin(Stdio::null()).kill_on_drop(true);
    match timeout(WAIT, command.output()).await {
        Ok(Ok(output)) if output.status.success() => listed_languages(&output.stdout),
        Ok(Ok(output)) => {
            tracing::debug!("tesseract can't list its languages: {}", output.status);
            Vec::new()
        }
        // Not being there is no error.
        Ok(Err(_)) => Vec::new(),
        Err(_) => {
            tracing::debug!("tesseract did not list its languages in time");
            Vec::new()
        }
    }
}
