//! A tree of files as a package has it.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::workspace::check;

/// The mode of folders and programs, and of all other files.
pub const PROGRAM: u32 = 0o755;
pub const FILE: u32 = 0o644;

/// A folder whose files will be those below `/`.
pub struct Tree {
    pub root: PathBuf,
}

impl Tree {
    /// An empty one in place of what is there.
    pub fn begin(root: PathBuf) -> Result<Self> {
        if root.exists() {
            fs::remove_dir_all(&root).with_context(|| root.display().to_string())?;
        }
        fs::create_dir_all(&root).with_context(|| root.display().to_string())?;
        set_mode(&root, PROGRAM)?;
        Ok(Self { root })
    }

    /// Writes a file, and makes the folders above it.
    pub fn write(&self, path: &str, mode: u32, content: &[u8]) -> Result<()> {
        let file = self.root.join(path);
        self.make_folders(Path::new(path))?;
        fs::write(&file, content).with_context(|| path.to_owned())?;
        set_mode(&file, mode)
    }

    /// Writes a file compressed, with `.gz` after its name.
    pub fn write_compressed(&self, path: &str, content: &[u8]) -> Result<()> {
        self.write(path, FILE, content)?;
        // Neither the name nor a time is in the result.
        let mut gzip = Command::new("gzip");
        gzip.args(["--best", "--no-name", "--force"]).arg(self.root.join(path));
        check(&format!("gzip {path}"), gzip.status().context("gzip can't be started")?)
    }

    /// Every file by its path below the root, in the order of their names.
    pub fn files(&self) -> Result<Vec<PathBuf>> {
        let mut files = Vec::new();
        let mut folders = vec![self.root.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
                let entry = entry?;
                if entry.file_type()?.is_dir() {
                    folders.push(entry.path());
                } else {
                    files.push(entry.path().strip_prefix(&self.root)?.to_owned());
                }
            }
        }
        files.sort();
        Ok(files)
    }

    fn make_folders(&self, path: &Path) -> Result<()> {
        let mut above: Vec<_> = path.ancestors().skip(1).collect();
        above.reverse();
        for folder in above.into_iter().map(|folder| self.root.join(folder)) {
            if !folder.exists() {
                fs::create_dir(&folder).with_context(|| folder.display().to_string())?;
                set_mode(&folder, PROGRAM)?;
            }
        }
        Ok(())
    }
}

/// Sets the mode itself, because the umask takes part of it when a file is made.
fn set_mode(path: &Path, mode: u32) -> Result<()> {
    fs::set_permissions(path, Permissions::from_mode(mode))
        .with_context(|| path.display().to_string())
}
