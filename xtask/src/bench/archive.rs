//! A package to upload: a ZIP archive of stored entries, whose bytes can't be packed.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek as _, SeekFrom, Write as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::bench::form::{self, FormFile};
use crate::bench::request::Request;
use crate::bench::setting::folder;
use crate::debian;
use crate::workspace::check;

/// The archive ends with a comment of so many bytes.
const MARK: u16 = 16;

/// An archive on the disk. Each mark makes another content of it, so that none is known already.
pub struct Archive {
    pub file: PathBuf,
    /// All bytes up to the mark.
    unmarked: u64,
}

impl Archive {
    /// Makes an archive with so many entries of so many bytes.
    pub fn build(parent: &Path, entries: u32, bytes: u64) -> Result<Self> {
        debian::find_or_install("zip")?;
        let parts = folder(parent, "parts")?;
        for number in 0..entries {
            let mut random = File::open("/dev/urandom").context("/dev/urandom")?.take(bytes);
            let part = parts.join(format!("{number:04}.bin"));
            let mut output = File::create(&part).with_context(|| part.display().to_string())?;
            io::copy(&mut random, &mut output).with_context(|| part.display().to_string())?;
        }
        let file = parent.join("archive.zip");
        let mut zip = Command::new("zip");
        let zip = zip.args(["-q", "-0", "-X", "-r"]).arg(&file).arg(".").current_dir(&parts);
        check("zip", zip.status().context("`zip` can't be started")?)?;
        fs::remove_dir_all(&parts).with_context(|| parts.display().to_string())?;
        let unmarked = Self::mark(&file).with_context(|| file.display().to_string())?;
        Ok(Self { file, unmarked })
    }

    /// Gives an archive without a comment one, and returns where it begins.
    fn mark(file: &Path) -> io::Result<u64> {
        let mut output = OpenOptions::new().write(true).open(file)?;
        // The last thing in an archive is the length of the comment, and the comment.
        output.seek(SeekFrom::End(-2))?;
        output.write_all(&MARK.to_le_bytes())?;
        let begin = output.stream_position()?;
        output.write_all(&[b'0'; MARK as usize])?;
        Ok(begin)
    }

    pub const fn length(&self) -> u64 {
        self.unmarked + MARK as u64
    }

    /// Uploads the archive with another mark.
    pub fn upload(&self, request: &Request, server: SocketAddr, mark: u64) -> Result<()> {
        let file = File::open(&self.file).with_context(|| self.file.display().to_string())?;
        let mark = format!("{mark:0width$}", width = usize::from(MARK));
        let file = FormFile {
            name: "archive.zip",
            media_type: "application/zip",
            length: self.length(),
            bytes: file.take(self.unmarked).chain(mark.as_bytes()),
        };
        form::send(request, server, &[], file).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_ends_with_a_comment_to_be_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("archive.zip");
        let end = b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
        fs::write(&file, [&end[..], &[0, 0]].concat()).unwrap();
        let archive = Archive { unmarked: Archive::mark(&file).unwrap(), file };
        let bytes = fs::read(&archive.file).unwrap();
        assert_eq!(bytes, [&end[..], &[16, 0], &[b'0'; 16]].concat());
        assert_eq!((archive.unmarked, archive.length()), (22, 38));
    }
}
