//! Archives that are documents: those of Office, of OpenDocument, and books.
//!
//! What an archive says of its size is held against the limits before anything is read, and not believed:
//! bytes are counted again as they come out of it.

mod compound;
mod relations;
mod xml;

use std::collections::HashMap;
use std::io::{self, Read};

use domain::document::ExtractionError;
use zip::ZipArchive;
use zip::result::ZipError;

pub(super) use relations::{Relations, relative};
pub(super) use xml::{Node, Tag, Xml};

use super::Input;
use super::error::ReadError;
use crate::limits::Limits;

/// How many bytes a part has at most, because it is held in memory whole.
const PART_MAX: u64 = 128 << 20;

/// An archive, of which parts are read by their names.
pub(super) struct Package {
    archive: ZipArchive<Input>,
    /// Where parts are by their equivalent names, because names do not differ by case (ECMA-376, part 2,
    /// 6.3.5), and some programs write backslashes.
    parts: HashMap<String, usize>,
    bytes_left: u64,
    xml_depth: u32,
}

impl Package {
    pub(super) fn open(mut file: Input, limits: &Limits) -> Result<Self, ReadError> {
        compound::refuse(&mut file)?;
        let mut archive = ZipArchive::new(file).map_err(|error| zip_error(&error))?;
        if archive.len() > limits.archive_entries as usize {
            return Err(ExtractionError::TooLarge.into());
        }
        // Of parts with the same name only one would be counted.
        let is_ambiguous = archive.has_duplicate_names()
            || archive.has_overlapping_entries().map_err(|error| zip_error(&error))?;
        if is_ambiguous {
            return Err(ExtractionError::Corrupt.into());
        }
        if declared(&archive).is_none_or(|bytes| bytes > limits.archive_bytes) {
            return Err(ExtractionError::TooLarge.into());
        }
        let name = |index| Some((equivalent(&archive.name_for_index(index)?.ok()?), index));
        let parts = (0..archive.len()).rev().filter_map(name).collect();
        Ok(Self { archive, parts, bytes_left: limits.archive_bytes, xml_depth: limits.xml_depth })
    }

    /// The bytes of a part; `None` if there is no such part.
    pub(super) fn part(&mut self, name: &str) -> Result<Option<Vec<u8>>, ReadError> {
        let most = self.bytes_left.min(PART_MAX);
        let exact = self.archive.index_for_name(name);
        let Some(index) = exact.or_else(|| self.parts.get(&equivalent(name)).copied()) else {
            return Ok(None);
        };
        let part = self.archive.by_index(index).map_err(|error| zip_error(&error))?;
        let mut bytes = Vec::new();
        part.take(most + 1).read_to_end(&mut bytes).map_err(|error| io_error(&error))?;
        let left = most.checked_sub(bytes.len() as u64);
        left.ok_or(ExtractionError::TooLarge)?;
        self.bytes_left -= bytes.len() as u64;
        Ok(Some(bytes))
    }

    /// The bytes of a part without which the archive is no document.
    pub(super) fn needed(&mut self, name: &str) -> Result<Vec<u8>, ReadError> {
        Ok(self.part(name)?.ok_or(ExtractionError::Corrupt)?)
    }

    /// Reads a part as XML.
    pub(super) fn xml<'a>(&self, part: &'a [u8]) -> Xml<'a> {
        Xml::new(part, self.xml_depth)
    }
}

/// What all names of a part have in common.
fn equivalent(name: &str) -> String {
    name.replace('\\', "/").to_ascii_lowercase()
}

/// How many bytes all parts have together by what the archive says, whether they are ever read or not.
fn declared(archive: &ZipArchive<Input>) -> Option<u64> {
    let sizes = (0..archive.len()).map(|index| Some(archive.by_index_data(index).ok()?.size()));
    sizes.reduce(|sum, size| sum?.checked_add(size?)).unwrap_or(Some(0))
}

fn zip_error(error: &ZipError) -> ReadError {
    let word = if let ZipError::Io(error) = error {
        return io_error(error);
    } else if matches!(error, ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED)) {
        ExtractionError::Encrypted
    } else if matches!(error, ZipError::CompressionMethodNotSupported(_)) {
        ExtractionError::Unsupported
    } else {
        ExtractionError::Corrupt
    };
    word.into()
}

/// Libraries say of what makes no sense that it could not be read. The system says so only if it is asked
/// for a place that no file has, unless it is to blame itself.
fn io_error(error: &io::Error) -> ReadError {
    let is_asked_wrongly = error.kind() == io::ErrorKind::InvalidInput;
    let is_of_system = error.kind() == io::ErrorKind::OutOfMemory
        || error.raw_os_error().is_some() && !is_asked_wrongly;
    if is_of_system { ReadError::of_system(error) } else { ExtractionError::Corrupt.into() }
}
