//! SHA-256 sums, as `sha256sum --check` reads them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use sha2::{Digest as _, Sha256};

/// Writes `SHA256SUMS` for these files of a folder.
pub fn write(folder: &Path, files: &[PathBuf]) -> Result<PathBuf> {
    let mut text = String::new();
    for file in files {
        let bytes = fs::read(file).with_context(|| file.display().to_string())?;
        let sum: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        text += &format!("{sum}  {name}\n");
    }
    let sums = folder.join("SHA256SUMS");
    fs::write(&sums, text).with_context(|| sums.display().to_string())?;
    Ok(sums)
}
