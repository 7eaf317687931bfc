//! The files in which Office of today keeps what is encrypted, and Office of old kept everything (MS-CFB).

use std::io::{Read, Seek, SeekFrom};

use domain::document::ExtractionError;

use super::io_error;
use crate::read::Input;
use crate::read::error::ReadError;

const MAGIC: [u8; 8] = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
/// What an encrypted document is called within, in UTF-16.
const ENCRYPTED: &str = "EncryptedPackage";

/// Whether a file is of this kind, and if so, why it can't be read. The file is at its beginning after it.
pub(super) fn refuse(file: &mut Input) -> Result<(), ReadError> {
    let word = scan(file).map_err(|error| io_error(&error))?;
    file.seek(SeekFrom::Start(0)).map_err(|error| io_error(&error))?;
    word.map_or(Ok(()), |word| Err(word.into()))
}

fn scan(file: &mut Input) -> std::io::Result<Option<ExtractionError>> {
    let mut bytes = Vec::new();
    file.by_ref().take(MAGIC.len() as u64).read_to_end(&mut bytes)?;
    if bytes != MAGIC {
        return Ok(None);
    }
    let name: Vec<u8> = ENCRYPTED.encode_utf16().flat_map(u16::to_le_bytes).collect();
    loop {
        // What the last piece ended with may be the beginning of the name.
        let kept = bytes.len().saturating_sub(name.len());
        bytes.drain(..kept);
        if file.by_ref().take(1 << 16).read_to_end(&mut bytes)? == 0 {
            return Ok(Some(ExtractionError::Unsupported));
        }
        if bytes.windows(name.len()).any(|piece| piece == name) {
            return Ok(Some(ExtractionError::Encrypted));
        }
    }
}
