//! The header before the content of an entry and the descriptor after it.

use domain::archive::ArchiveRule::{HeadersDisagree, Malformed};

use crate::central::{Entry, Method};
use crate::extra::Extra;
use crate::fields::Fields;
use crate::refusal::Refusal;
use crate::source::Stretch;

const SIGNATURE: u32 = 0x0403_4b50;
const SIZE: usize = 30;
const DESCRIPTOR_SIGNATURE: u32 = 0x0807_4b50;

/// Reads the header, which must say what the central record says.
pub(crate) fn header(entry: &Entry, bytes: &mut Stretch<'_>) -> Result<(), Refusal> {
    let header = Header::read(&bytes.array::<SIZE>()?).ok_or(Malformed)?;
    if usize::from(header.name_size) != entry.name.len() {
        return Err(HeadersDisagree.into());
    }
    let name = bytes.bytes(header.name_size.into())?;
    let extra = bytes.bytes(header.extra_size.into())?;
    let extra = Extra::read(&extra)?;
    let [size, packed] = extra.widen([header.size, header.packed])?;

    let method = match entry.method {
        Method::Stored => 0,
        Method::Deflated => 8,
    };
    // A streaming writer knows the numbers only when the content is through, and says 0 before.
    let may_be_zero = entry.is_streamed();
    let agrees = |here: u64, there: u64| here == there || may_be_zero && here == 0;
    let same = name == entry.name
        && (extra.unicode_name.is_none() || extra.unicode_name == entry.unicode_name.as_deref())
        && entry.has_flags(header.flags)
        && header.method == method
        && agrees(header.crc.into(), entry.crc.into())
        && agrees(packed, entry.packed)
        && agrees(size, entry.size);
    if same { Ok(()) } else { Err(HeadersDisagree.into()) }
}

/// Reads what is left of an entry after its content: the descriptor, if the flags promise one, and
/// nothing else. Its form is known by its length: with or without signature, sizes of 32 or 64 bits.
pub(crate) fn descriptor(entry: &Entry, bytes: &mut Stretch<'_>) -> Result<(), Refusal> {
    let (signed, wide) = match (entry.is_streamed(), bytes.left()) {
        (false, 0) => return Ok(()),
        (true, 0) => return Err(HeadersDisagree.into()),
        (true, 12) => (false, false),
        (true, 16) => (true, false),
        (true, 20) => (false, true),
        (true, 24) => (true, true),
        _ => return Err(Malformed.into()),
    };
    let descriptor = bytes.bytes(bytes.left() as usize)?;
    let mut fields = Fields(&descriptor);
    if signed && fields.u32() != Some(DESCRIPTOR_SIGNATURE) {
        return Err(Malformed.into());
    }
    let crc = fields.u32();
    let mut size = || if wide { fields.u64() } else { fields.u32().map(u64::from) };
    if crc == Some(entry.crc) && size() == Some(entry.packed) && size() == Some(entry.size) {
        return Ok(());
    }
    Err(HeadersDisagree.into())
}

/// The fixed part of a header.
struct Header {
    flags: u16,
    method: u16,
    crc: u32,
    packed: u32,
    size: u32,
    name_size: u16,
    extra_size: u16,
}

impl Header {
    fn read(bytes: &[u8]) -> Option<Self> {
        let mut fields = Fields(bytes);
        if fields.u32()? != SIGNATURE {
            return None;
        }
        // Which version of the format it needs.
        fields.u16()?;
        let (flags, method) = (fields.u16()?, fields.u16()?);
        // When the file was changed.
        fields.u32()?;
        let (crc, packed, size) = (fields.u32()?, fields.u32()?, fields.u32()?);
        let (name_size, extra_size) = (fields.u16()?, fields.u16()?);
        Some(Self { flags, method, crc, packed, size, name_size, extra_size })
    }
}
