//! The program that takes the text out of PDFs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result};

use crate::debian;
use crate::workspace::check;

/// The program, and what it reads.
pub struct Pdftotext {
    file: PathBuf,
}

impl Pdftotext {
    pub fn find_or_install(folder: &Path, pdf: &[u8]) -> Result<Self> {
        debian::find_or_install_from("poppler-utils", "pdftotext")?;
        let file = folder.join("text.pdf");
        fs::write(&file, pdf).with_context(|| file.display().to_string())?;
        Ok(Self { file })
    }

    /// Has the whole text printed to `/dev/null`.
    pub fn print(&self) -> Result<()> {
        let mut pdftotext = Command::new("pdftotext");
        pdftotext.arg(&self.file).arg("-").stdin(Stdio::null()).stdout(Stdio::null());
        check("pdftotext", pdftotext.status().context("`pdftotext` can't be started")?)
    }
}
