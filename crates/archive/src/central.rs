//! The central directory: what the archive says of its entries.

use domain::archive::ArchiveRule::{
    self, Encrypted, EntryTooLarge, Malformed, MultiDisk, NotAFile, RatioTooHigh, TooLarge,
    UnsupportedCompression,
};

use crate::end_record::Directory;
use crate::extra::Extra;
use crate::fields::Fields;
use crate::limits::ArchiveLimits;
use crate::names::{self, Names};
use crate::refusal::Refusal;
use crate::source::{Source, Stretch};
use crate::watch::Watch;

const SIGNATURE: u32 = 0x0201_4b50;
const SIZE: usize = 46;

const FLAG_STREAMED: u16 = 1 << 3;
const FLAG_UTF8: u16 = 1 << 11;
/// Encrypted content, strong encryption, encrypted central directory.
const FLAGS_ENCRYPTED: u16 = 1 | 1 << 6 | 1 << 13;
/// The content is a difference to another file.
const FLAG_PATCH: u16 = 1 << 5;
/// How hard the writer tried, which is all that may differ between the headers.
const FLAGS_EFFORT: u16 = 1 << 1 | 1 << 2;

/// How the content is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    Stored,
    Deflated,
}

/// An entry as its record in the central directory has it.
#[derive(Debug)]
pub(crate) struct Entry {
    flags: u16,
    pub(crate) method: Method,
    pub(crate) crc: u32,
    /// How many bytes it has in the archive.
    pub(crate) packed: u64,
    /// How many it has unpacked.
    pub(crate) size: u64,
    /// Where its local header begins.
    pub(crate) start: u64,
    /// Its name as it is written, at most [`names::LONGEST`] bytes.
    pub(crate) name: Vec<u8>,
    /// Its name in the extra field for Unicode, if there is one.
    pub(crate) unicode_name: Option<Vec<u8>>,
}

/// Reads the directory, which must have exactly as many records as the end record says.
pub(crate) fn read(
    source: &mut Source,
    directory: &Directory,
    limits: &ArchiveLimits,
    watch: &Watch,
) -> Result<Vec<Entry>, Refusal> {
    let mut records = source.stretch(directory.start..directory.end, Malformed)?;
    let mut names = Names::default();
    let mut entries = Vec::new();
    let mut total: u64 = 0;
    for _ in 0..directory.entries {
        watch.check()?;
        let entry = Entry::read(&mut records, &mut names)?;
        entry.keeps_to(limits)?;
        total = total.saturating_add(entry.size);
        if total > limits.total_bytes {
            return Err(TooLarge.into());
        }
        entries.push(entry);
    }
    if records.left() > 0 {
        return Err(Malformed.into());
    }
    names.finish()?;
    Ok(entries)
}

impl Entry {
    /// Reads the next record and takes its names.
    fn read(records: &mut Stretch<'_>, names: &mut Names) -> Result<Self, Refusal> {
        let header = Header::read(&records.array::<SIZE>()?).ok_or(Malformed)?;
        if usize::from(header.name_size) > names::LONGEST {
            return Err(ArchiveRule::NameTooLong.into());
        }
        let name = records.bytes(header.name_size.into())?;
        let extra = records.bytes(header.extra_size.into())?;
        records.skip(header.comment_size)?;

        let extra = Extra::read(&extra)?;
        if header.flags & FLAGS_ENCRYPTED != 0 {
            return Err(Encrypted.into());
        }
        let method = match header.method {
            0 if header.flags & FLAG_PATCH == 0 => Method::Stored,
            8 if header.flags & FLAG_PATCH == 0 => Method::Deflated,
            _ => return Err(UnsupportedCompression.into()),
        };
        if header.disk != 0 {
            return Err(MultiDisk.into());
        }
        let [size, packed, start] = extra.widen([header.size, header.packed, header.start])?;
        let unicode_name = extra.unicode_name.map(<[u8]>::to_vec);
        let entry = Self {
            flags: header.flags,
            method,
            crc: header.crc,
            packed,
            size,
            start,
            name,
            unicode_name,
        };
        entry.take_names(names)?;
        kind(header.attributes, entry.is_folder(), size)?;
        Ok(entry)
    }

    /// Readers differ in which name they take, so each of the two must be valid.
    fn take_names(&self, names: &mut Names) -> Result<(), ArchiveRule> {
        let name = names::decode(&self.name, self.flags & FLAG_UTF8 != 0)?;
        names.take(&name)?;
        if let Some(unicode_name) = &self.unicode_name {
            let other = names::decode(unicode_name, true)?;
            if other != name {
                names.take(&other)?;
            }
        }
        Ok(())
    }

    /// Whether it is a folder: then its name ends with a slash.
    pub(crate) fn is_folder(&self) -> bool {
        self.name.ends_with(b"/")
    }

    /// Whether its sizes follow its content.
    pub(crate) const fn is_streamed(&self) -> bool {
        self.flags & FLAG_STREAMED != 0
    }

    /// Whether the flags of the local header mean the same.
    pub(crate) const fn has_flags(&self, flags: u16) -> bool {
        (self.flags ^ flags) & !FLAGS_EFFORT == 0
    }

    /// The sizes are what the record says; that the content has them is found out later.
    fn keeps_to(&self, limits: &ArchiveLimits) -> Result<(), ArchiveRule> {
        if self.size > limits.entry_bytes {
            return Err(EntryTooLarge);
        }
        let most = self.packed.saturating_mul(limits.ratio);
        if self.size > limits.ratio_from && self.size > most {
            return Err(RatioTooHigh);
        }
        Ok(())
    }
}

/// Files and folders only. The upper half of the attributes has the mode of Unix, the lower half the
/// attributes of Windows; what wrote them is not asked, because readers look at both.
fn kind(attributes: u32, is_folder: bool, size: u64) -> Result<(), ArchiveRule> {
    const FOLDER: u32 = 0x10;
    /// A volume label, a device, a link or another reparse point.
    const SPECIAL: u32 = 0x08 | 0x40 | 0x400;
    let by_mode = match attributes >> 28 {
        0 => None,
        0o04 => Some(true),
        0o10 => Some(false),
        _ => return Err(NotAFile),
    };
    let says_folder = by_mode == Some(true) || attributes & FOLDER != 0;
    if attributes & SPECIAL != 0 || says_folder && !is_folder || is_folder && size > 0 {
        return Err(NotAFile);
    }
    Ok(())
}

/// The fixed part of a record.
struct Header {
    flags: u16,
    method: u16,
    crc: u32,
    packed: u32,
    size: u32,
    name_size: u16,
    extra_size: u16,
    comment_size: u16,
    disk: u16,
    attributes: u32,
    start: u32,
}

impl Header {
    fn read(bytes: &[u8]) -> Option<Self> {
        let mut fields = Fields(bytes);
        if fields.u32()? != SIGNATURE {
            return None;
        }
        // Which version of the format it was made by and needs.
        fields.u32()?;
        let (flags, method) = (fields.u16()?, fields.u16()?);
        // When the file was changed.
        fields.u32()?;
        let (crc, packed, size) = (fields.u32()?, fields.u32()?, fields.u32()?);
        let (name_size, extra_size, comment_size) = (fields.u16()?, fields.u16()?, fields.u16()?);
        let disk = fields.u16()?;
        // Whether it is taken for a text.
        fields.u16()?;
        let (attributes, start) = (fields.u32()?, fields.u32()?);
        Some(Self {
            flags,
            method,
            crc,
            packed,
            size,
            name_size,
            extra_size,
            comment_size,
            disk,
            attributes,
            start,
        })
    }
}
