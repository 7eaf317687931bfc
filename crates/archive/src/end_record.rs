//! The end record, with which every reader begins.

use std::cmp::Ordering;

use domain::archive::ArchiveRule::{HeadersDisagree, Malformed, MultiDisk, TrailingData};

use crate::fields::Fields;
use crate::refusal::Refusal;
use crate::source::Source;

const SIGNATURE: &[u8] = b"PK\x05\x06";
const SIZE: usize = 22;
const LOCATOR_SIGNATURE: u32 = 0x0706_4b50;
const LOCATOR_SIZE: u64 = 20;
const ZIP64_SIGNATURE: u32 = 0x0606_4b50;
const ZIP64_SIZE: u64 = 56;

/// Where the central directory is.
#[derive(Debug)]
pub(crate) struct Directory {
    /// Where it begins, which is where the last entry ends.
    pub(crate) start: u64,
    /// Where it ends, which is where the end record begins.
    pub(crate) end: u64,
    /// How many records it has.
    pub(crate) entries: u64,
}

/// What an end record says.
#[derive(Debug)]
struct EndRecord {
    disk: u32,
    directory_disk: u32,
    entries_here: u64,
    entries: u64,
    size: u64,
    start: u64,
}

/// Finds the one end record.
pub(crate) fn find(source: &mut Source) -> Result<Directory, Refusal> {
    let (mut end, mut record) = last_record(source)?;
    if let Some((at, wide)) = zip64(source, end)? {
        if !record.agrees(&wide) {
            return Err(HeadersDisagree.into());
        }
        (end, record) = (at, wide);
    }
    let EndRecord { disk, directory_disk, entries_here, entries, size, start } = record;
    if disk != 0 || directory_disk != 0 || entries_here != entries {
        return Err(MultiDisk.into());
    }
    if start.checked_add(size) != Some(end) {
        return Err(Malformed.into());
    }
    Ok(Directory { start, end, entries })
}

/// The end record and where it is. Its comment must reach to the very end. Readers search it from
/// the end or from the front, so whatever looks like another one in either way is refused; one
/// before it, which does not reach to the end, belongs to an archive within the archive.
fn last_record(source: &mut Source) -> Result<(u64, EndRecord), Refusal> {
    let size = source.size();
    let tail_size = size.min(SIZE as u64 + u64::from(u16::MAX));
    let tail_start = size - tail_size;
    let tail = source.stretch(tail_start..size, Malformed)?.bytes(tail_size as usize)?;
    let mut found = None;
    let mut rule = Malformed;
    for (at, window) in tail.windows(SIZE).enumerate() {
        if !window.starts_with(SIGNATURE) {
            continue;
        }
        if found.is_some() {
            return Err(Malformed.into());
        }
        let (record, comment) = EndRecord::read(window).ok_or(Malformed)?;
        match usize::from(comment).cmp(&(tail.len() - at - SIZE)) {
            Ordering::Less => rule = TrailingData,
            Ordering::Equal => found = Some((at, record)),
            Ordering::Greater => rule = Malformed,
        }
    }
    let (at, record) = found.ok_or(rule)?;
    Ok((tail_start + at as u64, record))
}

/// The end record of ZIP64 and where it is, if its locator stands before the end record.
fn zip64(source: &mut Source, end: u64) -> Result<Option<(u64, EndRecord)>, Refusal> {
    let Some(locator_at) = end.checked_sub(LOCATOR_SIZE) else { return Ok(None) };
    let locator =
        source.stretch(locator_at..end, Malformed)?.array::<{ LOCATOR_SIZE as usize }>()?;
    let mut fields = Fields(&locator);
    if fields.u32() != Some(LOCATOR_SIGNATURE) {
        return Ok(None);
    }
    let disk = fields.u32().ok_or(Malformed)?;
    let at = fields.u64().ok_or(Malformed)?;
    let disks = fields.u32().ok_or(Malformed)?;
    if disk != 0 || disks > 1 {
        return Err(MultiDisk.into());
    }
    if at.checked_add(ZIP64_SIZE) != Some(locator_at) {
        return Err(Malformed.into());
    }
    let bytes = source.stretch(at..locator_at, Malformed)?.array::<{ ZIP64_SIZE as usize }>()?;
    let record = EndRecord::read_zip64(&bytes).ok_or(Malformed)?;
    Ok(Some((at, record)))
}

impl EndRecord {
    /// Reads the record and the length of the comment after it.
    fn read(bytes: &[u8]) -> Option<(Self, u16)> {
        let mut fields = Fields(bytes);
        fields.u32()?;
        let record = Self {
            disk: fields.u16()?.into(),
            directory_disk: fields.u16()?.into(),
            entries_here: fields.u16()?.into(),
            entries: fields.u16()?.into(),
            size: fields.u32()?.into(),
            start: fields.u32()?.into(),
        };
        Some((record, fields.u16()?))
    }

    /// Reads a record of ZIP64; `None` if it is not one of the first version.
    fn read_zip64(bytes: &[u8]) -> Option<Self> {
        let mut fields = Fields(bytes);
        if fields.u32()? != ZIP64_SIGNATURE || fields.u64()? != ZIP64_SIZE - 12 {
            return None;
        }
        // Which version of the format it was made by and needs.
        fields.u32()?;
        Some(Self {
            disk: fields.u32()?,
            directory_disk: fields.u32()?,
            entries_here: fields.u64()?,
            entries: fields.u64()?,
            size: fields.u64()?,
            start: fields.u64()?,
        })
    }

    /// Whether a record of ZIP64 says the same, wherever this one has room to say it.
    fn agrees(&self, wide: &Self) -> bool {
        let few = u64::from(u16::MAX);
        let many = u64::from(u32::MAX);
        [
            (self.disk.into(), wide.disk.into(), few),
            (self.directory_disk.into(), wide.directory_disk.into(), few),
            (self.entries_here, wide.entries_here, few),
            (self.entries, wide.entries, few),
            (self.size, wide.size, many),
            (self.start, wide.start, many),
        ]
        .into_iter()
        .all(|(short, wide, full)| short == full || short == wide)
    }
}
