//! What parent and worker say to each other: JSON, with its length before it.
//!
//! To the worker goes one [`Head`], beside the file. Back come [`Record`]s, of which the last is no chunk.
//! Each side reads what the other says as it reads what clients send: a length is a claim, and what comes
//! after the end is an error.

use std::io::{self, Read, Write};

use domain::document::{ExtractedChunk, ExtractionError, ExtractionSettings};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::limits::Limits;

/// How many bytes a head has at most.
const HEAD_MAX: usize = 64 << 10;
/// How many bytes a record has at most: the longest chunk, each character of it escaped, and headings.
const RECORD_MAX: usize = 1 << 20;
/// How many bytes say how long a record is.
const LENGTH: usize = 4;

/// What a worker is to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Head {
    pub(crate) settings: ExtractionSettings,
    pub(crate) media_type: String,
    pub(crate) limits: Limits,
}

/// What a worker answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Record {
    Chunk(#[serde(with = "ChunkInRecord")] ExtractedChunk),
    /// There are no more.
    End,
    Failed(ExtractionError),
}

/// How a chunk is written.
#[derive(Serialize, Deserialize)]
#[serde(remote = "ExtractedChunk", deny_unknown_fields)]
struct ChunkInRecord {
    text: String,
    char_start: u64,
    char_end: u64,
    page: Option<u32>,
    heading: Vec<String>,
}

/// Why what the other side says can't be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub(crate) enum RecordError {
    #[error("the answer is larger than it may be")]
    TooLarge,
    #[error("the answer can't be understood: {0}")]
    Malformed(&'static str),
}

impl Head {
    pub(crate) fn write(&self, to: &mut dyn Write) -> io::Result<()> {
        to.write_all(&encode(self)?)
    }

    /// Reads a head, and nothing of what follows it.
    pub(crate) fn read(from: &mut dyn Read) -> io::Result<Self> {
        let mut length = [0; LENGTH];
        from.read_exact(&mut length)?;
        let length = u32::from_be_bytes(length) as usize;
        if length > HEAD_MAX {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let mut json = vec![0; length];
        from.read_exact(&mut json)?;
        Ok(serde_json::from_slice(&json)?)
    }
}

impl Record {
    pub(crate) fn encode(&self) -> io::Result<Vec<u8>> {
        encode(self)
    }
}

fn encode(value: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; LENGTH];
    serde_json::to_writer(&mut bytes, value)?;
    let length = u32::try_from(bytes.len() - LENGTH).map_err(io::Error::other)?;
    if let Some(place) = bytes.first_chunk_mut() {
        *place = length.to_be_bytes();
    }
    Ok(bytes)
}

/// The records in the answer of a worker, whose bytes come in pieces.
#[derive(Debug)]
pub(crate) struct Records {
    /// What was not read yet.
    pending: Vec<u8>,
    /// How many bytes may still come.
    bytes_left: u64,
    chunks_left: u32,
    max_chars: u64,
    /// Where the last chunk began.
    last_start: Option<u64>,
    is_ended: bool,
}

impl Records {
    pub(crate) fn new(settings: &ExtractionSettings, limits: &Limits) -> Self {
        Self {
            pending: Vec::new(),
            bytes_left: limits.result_bytes,
            chunks_left: limits.chunks,
            max_chars: settings.max_chars.into(),
            last_start: None,
            is_ended: false,
        }
    }

    /// Takes in what came and reads the records that are whole with it. At most a record is held here, and
    /// what is pushed at once.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<Vec<Record>, RecordError> {
        let left = self.bytes_left.checked_sub(bytes.len() as u64);
        self.bytes_left = left.ok_or(RecordError::TooLarge)?;
        self.pending.extend_from_slice(bytes);
        let pending = std::mem::take(&mut self.pending);
        let (mut rest, mut records) = (pending.as_slice(), Vec::new());
        while let Some((length, after)) = rest.split_first_chunk::<LENGTH>() {
            if self.is_ended {
                break;
            }
            let length = u32::from_be_bytes(*length) as usize;
            if length > RECORD_MAX {
                return Err(RecordError::Malformed("a record is too long"));
            }
            let Some((json, after)) = after.split_at_checked(length) else {
                break;
            };
            records.push(self.check(decode(json)?)?);
            rest = after;
        }
        if self.is_ended && !rest.is_empty() {
            return Err(RecordError::Malformed("something comes after the end"));
        }
        self.pending = rest.to_vec();
        Ok(records)
    }

    fn check(&mut self, record: Record) -> Result<Record, RecordError> {
        let Record::Chunk(chunk) = &record else {
            self.is_ended = true;
            return Ok(record);
        };
        self.chunks_left = self.chunks_left.checked_sub(1).ok_or(RecordError::TooLarge)?;
        let chars = chunk.text.chars().count() as u64;
        if chars == 0 || chars > self.max_chars {
            return Err(RecordError::Malformed("a chunk is empty or too long"));
        }
        if chunk.text.contains('\0') || chunk.heading.iter().any(|title| title.contains('\0')) {
            return Err(RecordError::Malformed("a chunk contains U+0000"));
        }
        if chunk.char_start.checked_add(chars) != Some(chunk.char_end) {
            return Err(RecordError::Malformed("a chunk does not end where it says"));
        }
        if self.last_start.replace(chunk.char_start).is_some_and(|last| last >= chunk.char_start) {
            return Err(RecordError::Malformed("a chunk begins before the one before it"));
        }
        Ok(record)
    }
}

fn decode<T: DeserializeOwned>(json: &[u8]) -> Result<T, RecordError> {
    serde_json::from_slice(json).map_err(|_| RecordError::Malformed("a record is no record"))
}

#[cfg(test)]
mod tests {
    use domain::document::Strategy;
    use proptest::prelude::*;

    use super::*;

    fn settings() -> ExtractionSettings {
        ExtractionSettings {
            max_chars: 1_000,
            max_overlap: 100,
            strategy: Strategy::Text,
            images_enabled: false,
            ocr_enabled: true,
            ocr_language: "deu+eng".to_owned(),
        }
    }

    fn chunk(start: u64, text: &str) -> Record {
        Record::Chunk(ExtractedChunk {
            text: text.to_owned(),
            char_start: start,
            char_end: start + text.chars().count() as u64,
            page: Some(7),
            heading: vec!["Ähren".to_owned()],
        })
    }

    fn bytes(records: &[Record]) -> Vec<u8> {
        records.iter().flat_map(|record| record.encode().unwrap()).collect()
    }

    fn push(bytes: &[u8]) -> Result<Vec<Record>, RecordError> {
        Records::new(&settings(), &Limits::default()).push(bytes)
    }

    fn malformed(words: &'static str) -> Result<Vec<Record>, RecordError> {
        Err(RecordError::Malformed(words))
    }

    #[test]
    fn a_head_is_read_as_it_was_written_and_what_follows_stays() {
        let head = Head {
            settings: settings(),
            media_type: "text/plain".to_owned(),
            limits: Limits::default(),
        };
        let mut bytes = Vec::new();
        head.write(&mut bytes).unwrap();
        bytes.extend_from_slice(b"file");
        let mut from = bytes.as_slice();
        assert_eq!(Head::read(&mut from).unwrap(), head);
        assert_eq!(from, b"file");
    }

    #[test]
    fn a_head_that_is_none_is_refused() {
        for bytes in [&b""[..], b"\0\0\0\x02{}", b"\0\0\0\x03{}", b"\xff\xff\xff\xff{}"] {
            assert!(Head::read(&mut &*bytes).is_err(), "{bytes:?}");
        }
    }

    #[test]
    fn what_is_no_answer_is_refused() {
        let no_record = "a record is no record";
        assert_eq!(push(b"\0\0\0\x02{}"), malformed(no_record));
        assert_eq!(push(b"\0\0\0\x05\"bad\""), malformed(no_record));
        assert_eq!(push(b"\0\x10\0\x01"), malformed("a record is too long"));
        let after = bytes(&[Record::End, chunk(0, "a")]);
        assert_eq!(push(&after), malformed("something comes after the end"));
        let length = "a chunk is empty or too long";
        assert_eq!(push(&bytes(&[chunk(0, "")])), malformed(length));
        assert_eq!(push(&bytes(&[chunk(0, &"a".repeat(1_001))])), malformed(length));
        let nul = "a chunk contains U+0000";
        assert_eq!(push(&bytes(&[chunk(0, "a\0")])), malformed(nul));
        let order = "a chunk begins before the one before it";
        assert_eq!(push(&bytes(&[chunk(5, "a"), chunk(5, "a")])), malformed(order));
        let Record::Chunk(mut wrong) = chunk(0, "ab") else { panic!() };
        wrong.char_end = 3;
        let end = "a chunk does not end where it says";
        assert_eq!(push(&bytes(&[Record::Chunk(wrong)])), malformed(end));
    }

    #[test]
    fn an_answer_is_bounded() {
        let limits = Limits { chunks: 2, ..Limits::default() };
        let three = bytes(&[chunk(0, "a"), chunk(1, "b"), chunk(2, "c")]);
        let mut records = Records::new(&settings(), &limits);
        assert_eq!(records.push(&three), Err(RecordError::TooLarge));
        let limits = Limits { result_bytes: three.len() as u64 - 1, ..Limits::default() };
        let mut records = Records::new(&settings(), &limits);
        assert_eq!(records.push(&three), Err(RecordError::TooLarge));
    }

    #[test]
    fn the_longest_chunk_fits_into_a_record() {
        let record = chunk(0, &"\u{1}".repeat(100_000));
        assert!(record.encode().unwrap().len() < RECORD_MAX);
        let record = chunk(0, &"\u{10ffff}".repeat(100_000));
        assert!(record.encode().unwrap().len() < RECORD_MAX);
    }

    proptest! {
        #[test]
        fn records_are_read_as_they_were_written(
            texts in proptest::collection::vec("\\PC{1,20}|[\u{1}-\u{1f}\"\\\\]{1,9}", 0..9),
            is_failed: bool,
            step in 1..50_usize,
        ) {
            let last = Record::Failed(ExtractionError::NoText);
            let last = if is_failed { last } else { Record::End };
            let starts = texts.iter().scan(0, |start, text| {
                let here = *start;
                *start += text.chars().count() as u64;
                Some(here)
            });
            let mut sent: Vec<_> =
                starts.zip(&texts).map(|(start, text)| chunk(start, text)).collect();
            sent.push(last);
            let mut records = Records::new(&settings(), &Limits::default());
            let mut read = Vec::new();
            for piece in bytes(&sent).chunks(step) {
                prop_assert!(!records.is_ended);
                read.extend(records.push(piece).unwrap());
            }
            prop_assert!(records.is_ended);
            prop_assert_eq!(read, sent);
        }

        #[test]
        fn no_answer_makes_it_panic(bytes: Vec<u8>, json in "\\PC{0,30}") {
            let _ = push(&bytes);
            let length = u32::try_from(json.len()).unwrap().to_be_bytes();
            let _ = push(&[&length, json.as_bytes()].concat());
        }
    }
}
