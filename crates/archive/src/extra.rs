//! The extra fields of a header, as far as they change what the header says.

use domain::archive::ArchiveRule::{self, HeadersDisagree, Malformed};

use crate::fields::Fields;

const ZIP64: u16 = 0x0001;
const UNICODE_PATH: u16 = 0x7075;

/// Which of the fields there are.
#[derive(Debug, Default)]
pub(crate) struct Extra<'a> {
    /// Numbers that have no room in the header.
    zip64: Option<&'a [u8]>,
    /// The name in UTF-8, which some readers prefer to that of the header.
    pub(crate) unicode_name: Option<&'a [u8]>,
}

impl<'a> Extra<'a> {
    pub(crate) fn read(bytes: &'a [u8]) -> Result<Self, ArchiveRule> {
        let mut fields = Fields(bytes);
        let mut extra = Self::default();
        // Tools that align the content pad with zeros, which may be too few for a field.
        while fields.0.len() >= 4 || fields.0.iter().any(|byte| *byte != 0) {
            let id = fields.u16().ok_or(Malformed)?;
            let size = fields.u16().ok_or(Malformed)?;
            let field = fields.bytes(usize::from(size)).ok_or(Malformed)?;
            let twice = match id {
                ZIP64 => extra.zip64.replace(field).is_some(),
                UNICODE_PATH => extra.unicode_name.replace(unicode_name(field)?).is_some(),
                _ => false,
            };
            if twice {
                return Err(Malformed);
            }
        }
        Ok(extra)
    }

    /// The numbers of a header in 64 bits. In the field are either those that are at their maximum
    /// in the header, or all of them, and then they agree with the header where it has room. The
    /// field may go on after these numbers (with the number of a disk).
    pub(crate) fn widen<const N: usize>(&self, short: [u32; N]) -> Result<[u64; N], ArchiveRule> {
        let masked = short.iter().filter(|number| **number == u32::MAX).count();
        let Some(field) = self.zip64 else {
            return if masked == 0 { Ok(short.map(u64::from)) } else { Err(Malformed) };
        };
        let mut fields = Fields(field);
        let all = field.len() != masked * 8;
        let mut wide = short.map(u64::from);
        for (number, short) in wide.iter_mut().zip(short) {
            if short == u32::MAX {
                *number = fields.u64().ok_or(Malformed)?;
            } else if all && !fields.0.is_empty() && fields.u64() != Some(*number) {
                return Err(HeadersDisagree);
            }
        }
        match fields.0 {
            [] | [0, 0, 0, 0] => Ok(wide),
            _ => Err(Malformed),
        }
    }
}

/// The field repeats the checksum of the name in the header, so that readers can tell a stale one.
/// Not all of them look at it, and so the name counts even then.
fn unicode_name(field: &[u8]) -> Result<&[u8], ArchiveRule> {
    let mut fields = Fields(field);
    let version = fields.u8().ok_or(Malformed)?;
    fields.u32().ok_or(Malformed)?;
    if version == 1 { Ok(fields.0) } else { Err(Malformed) }
}
