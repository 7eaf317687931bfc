//! Archives that are documents: those of Office, of OpenDocument, and books.
//!
//! What an archive says of itself is not believed. Bytes are counted as they come out of it.

mod compound;
mod relations;
mod xml;

use std::io::{self, Read};

use domain::document::ExtractionError;
use zip::ZipArchive;
use zip::result::ZipError;

pub(super) use relations::{Relations, relative};
pub(super) use xml::{Node, Tag, Xml};

use super::Input;
use crate::limits::Limits;

/// How many bytes a part has at most, because it is held in memory whole.
const PART_MAX: u64 = 128 << 20;

/// An archive, of which parts are read by their names.
pub(super) struct Package {
    archive: ZipArchive<Input>,
    bytes_left: u64,
    xml_depth: u32,
}

impl Package {
    pub(super) fn open(mut file: Input, limits: &Limits) -> Result<Self, ExtractionError> {
        compound::refuse(&mut file)?;
        let archive = ZipArchive::new(file).map_err(|error| zip_word(&error))?;
        if archive.len() > limits.archive_entries as usize {
            return Err(ExtractionError::TooLarge);
        }
        Ok(Self { archive, bytes_left: limits.archive_bytes, xml_depth: limits.xml_depth })
    }

    /// The bytes of a part; `None` if there is no such part.
    pub(super) fn part(&mut self, name: &str) -> Result<Option<Vec<u8>>, ExtractionError> {
        let most = self.bytes_left.min(PART_MAX);
        let part = match self.archive.by_name(name) {
            Ok(part) => part,
            Err(ZipError::FileNotFound) => return Ok(None),
            Err(error) => return Err(zip_word(&error)),
        };
        let mut bytes = Vec::new();
        part.take(most + 1).read_to_end(&mut bytes).map_err(|error| io_word(&error))?;
        let left = most.checked_sub(bytes.len() as u64);
        left.ok_or(ExtractionError::TooLarge)?;
        self.bytes_left -= bytes.len() as u64;
        Ok(Some(bytes))
    }

    /// The bytes of a part without which the archive is no document.
    pub(super) fn needed(&mut self, name: &str) -> Result<Vec<u8>, ExtractionError> {
        self.part(name)?.ok_or(ExtractionError::Corrupt)
    }

    /// Reads a part as XML.
    pub(super) fn xml<'a>(&self, part: &'a [u8]) -> Xml<'a> {
        Xml::new(part, self.xml_depth)
    }
}

fn zip_word(error: &ZipError) -> ExtractionError {
    if let ZipError::Io(error) = error {
        io_word(error)
    } else if matches!(error, ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED)) {
        ExtractionError::Encrypted
    } else if matches!(error, ZipError::CompressionMethodNotSupported(_)) {
        ExtractionError::Unsupported
    } else {
        ExtractionError::Corrupt
    }
}

/// The file itself can be read, so what is in it makes no sense, unless there is no memory left for it.
fn io_word(error: &io::Error) -> ExtractionError {
    if error.kind() == io::ErrorKind::OutOfMemory {
        ExtractionError::Memory
    } else {
        ExtractionError::Corrupt
    }
}
