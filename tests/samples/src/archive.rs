//! A writer of ZIP archives in which every field can be set to something else (APPNOTE.TXT 6.3.10).

use std::io::Write as _;

use flate2::Compression;
use flate2::write::DeflateEncoder;

/// Made by version 3.0 of the format on Unix.
const MADE_BY: u16 = 0x031e;
/// An ordinary file on Unix.
pub const FILE_MODE: u32 = 0o100_644 << 16;
pub const STREAMED: u16 = 1 << 3;

/// An archive.
#[derive(Clone, Default)]
pub struct Zip {
    pub entries: Vec<Entry>,
    pub comment: Vec<u8>,
    /// What stands between the last entry and the central directory.
    pub before_directory: Vec<u8>,
    /// What stands between the central directory and the end record, ZIP64 included.
    pub after_directory: Vec<u8>,
    pub end: EndRecord,
    /// Whether there is an end record of ZIP64.
    pub zip64: Option<EndRecord>,
}

/// Numbers of an end record that are not what they should be.
#[derive(Clone, Copy, Default)]
pub struct EndRecord {
    pub disk: u32,
    pub directory_disk: u32,
    pub entries_here: Option<u64>,
    pub entries: Option<u64>,
    pub size: Option<u64>,
    pub start: Option<u64>,
    pub comment_size: Option<u16>,
}

/// An entry: what stands where, in the order of the bytes.
#[derive(Clone)]
pub struct Entry {
    pub local: Header,
    pub content: Vec<u8>,
    pub descriptor: Vec<u8>,
    /// Bytes that no header describes.
    pub gap: Vec<u8>,
    pub central: Header,
    pub comment: Vec<u8>,
    pub disk: u16,
    pub attributes: u32,
    /// Where its local header is, if not where it is.
    pub start: Option<u32>,
    /// Whether it is there.
    pub has_local: bool,
    /// Whether the central directory knows it.
    pub has_central: bool,
}

/// What the local header and the central record have in common.
#[derive(Clone)]
pub struct Header {
    pub flags: u16,
    pub method: u16,
    pub crc: u32,
    pub packed: u32,
    pub size: u32,
    pub name: Vec<u8>,
    pub extra: Vec<u8>,
}

/// Forms of a descriptor.
#[derive(Clone, Copy)]
pub struct Form {
    pub signed: bool,
    pub wide: bool,
}

pub const SIGNED: Form = Form { signed: true, wide: false };

impl Entry {
    pub fn stored(name: &str, content: &[u8]) -> Self {
        Self::new(name, 0, content, content.to_vec())
    }

    pub fn deflated(name: &str, content: &[u8]) -> Self {
        Self::new(name, 8, content, deflate(content))
    }

    pub fn new(name: &str, method: u16, content: &[u8], packed: Vec<u8>) -> Self {
        let header = Header {
            flags: 0,
            method,
            crc: crc32fast::hash(content),
            packed: packed.len() as u32,
            size: content.len() as u32,
            name: name.into(),
            extra: Vec::new(),
        };
        Self {
            local: header.clone(),
            content: packed,
            descriptor: Vec::new(),
            gap: Vec::new(),
            central: header,
            comment: Vec::new(),
            disk: 0,
            attributes: FILE_MODE,
            start: None,
            has_local: true,
            has_central: true,
        }
    }

    /// As a streaming writer has it: nothing before the content, all of it after.
    pub fn streamed(mut self, form: Form) -> Self {
        self.both(|header| header.flags |= STREAMED);
        let Header { crc, packed, size, .. } = self.central;
        (self.local.crc, self.local.packed, self.local.size) = (0, 0, 0);
        self.descriptor = descriptor(form, crc, packed, size);
        self
    }

    /// Changes the local header and the central record alike.
    pub fn both(&mut self, change: impl Fn(&mut Header)) {
        change(&mut self.local);
        change(&mut self.central);
    }

    /// Changes it.
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    /// The local header as it is written.
    pub fn local_header(&self) -> Vec<u8> {
        let mut bytes = b"PK\x03\x04\x14\x00".to_vec();
        self.local.write(&mut bytes);
        bytes.extend(&self.local.name);
        bytes.extend(&self.local.extra);
        bytes
    }

    fn local_bytes(&self) -> Vec<u8> {
        if !self.has_local {
            return Vec::new();
        }
        let mut bytes = self.local_header();
        bytes.extend(&self.content);
        bytes.extend(&self.descriptor);
        bytes.extend(&self.gap);
        bytes
    }

    fn central_bytes(&self, start: u32) -> Vec<u8> {
        let mut bytes = b"PK\x01\x02".to_vec();
        bytes.extend(MADE_BY.to_le_bytes());
        bytes.extend(20_u16.to_le_bytes());
        self.central.write(&mut bytes);
        bytes.extend((self.comment.len() as u16).to_le_bytes());
        bytes.extend(self.disk.to_le_bytes());
        bytes.extend(0_u16.to_le_bytes());
        bytes.extend(self.attributes.to_le_bytes());
        bytes.extend(self.start.unwrap_or(start).to_le_bytes());
        bytes.extend(&self.central.name);
        bytes.extend(&self.central.extra);
        bytes.extend(&self.comment);
        bytes
    }
}

impl Header {
    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.flags.to_le_bytes());
        bytes.extend(self.method.to_le_bytes());
        // A time and a date.
        bytes.extend([0x83, 0x18, 0x22, 0x5c]);
        for number in [self.crc, self.packed, self.size] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend((self.name.len() as u16).to_le_bytes());
        bytes.extend((self.extra.len() as u16).to_le_bytes());
    }
}

impl Zip {
    pub fn of(entries: impl IntoIterator<Item = Entry>) -> Self {
        Self { entries: entries.into_iter().collect(), ..Self::default() }
    }

    /// Changes it.
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    /// How many entries the central directory knows.
    pub fn entries(&self) -> u64 {
        self.entries.iter().filter(|entry| entry.has_central).count() as u64
    }

    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut directory = Vec::new();
        for entry in &self.entries {
            if entry.has_central {
                directory.extend(entry.central_bytes(bytes.len() as u32));
            }
            bytes.extend(entry.local_bytes());
        }
        bytes.extend(&self.before_directory);
        let start = bytes.len() as u64;
        let size = directory.len() as u64;
        bytes.extend(directory);
        bytes.extend(&self.after_directory);
        let entries = self.entries();
        if let Some(end) = &self.zip64 {
            let at = bytes.len() as u64;
            bytes.extend(b"PK\x06\x06\x2c\0\0\0\0\0\0\0\x2d\0\x2d\0");
            bytes.extend(end.disk.to_le_bytes());
            bytes.extend(end.directory_disk.to_le_bytes());
            for number in [
                end.entries_here.unwrap_or(entries),
                end.entries.unwrap_or(entries),
                end.size.unwrap_or(size),
                end.start.unwrap_or(start),
            ] {
                bytes.extend(number.to_le_bytes());
            }
            bytes.extend(b"PK\x06\x07\0\0\0\0");
            bytes.extend(at.to_le_bytes());
            bytes.extend(1_u32.to_le_bytes());
        }
        let end = &self.end;
        bytes.extend(b"PK\x05\x06");
        bytes.extend((end.disk as u16).to_le_bytes());
        bytes.extend((end.directory_disk as u16).to_le_bytes());
        bytes.extend((end.entries_here.unwrap_or(entries) as u16).to_le_bytes());
        bytes.extend((end.entries.unwrap_or(entries) as u16).to_le_bytes());
        bytes.extend((end.size.unwrap_or(size) as u32).to_le_bytes());
        bytes.extend((end.start.unwrap_or(start) as u32).to_le_bytes());
        bytes.extend(end.comment_size.unwrap_or(self.comment.len() as u16).to_le_bytes());
        bytes.extend(&self.comment);
        bytes
    }
}

pub fn descriptor(form: Form, crc: u32, packed: u32, size: u32) -> Vec<u8> {
    let mut bytes = if form.signed { b"PK\x07\x08".to_vec() } else { Vec::new() };
    bytes.extend(crc.to_le_bytes());
    for number in [packed, size] {
        bytes.extend(number.to_le_bytes());
        if form.wide {
            bytes.extend([0; 4]);
        }
    }
    bytes
}

/// An extra field.
pub fn extra(id: u16, content: &[u8]) -> Vec<u8> {
    let mut bytes = id.to_le_bytes().to_vec();
    bytes.extend((content.len() as u16).to_le_bytes());
    bytes.extend(content);
    bytes
}

/// The extra field of ZIP64.
pub fn zip64_extra(numbers: &[u64]) -> Vec<u8> {
    extra(1, &numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<_>>())
}

/// The extra field with the name in UTF-8.
pub fn unicode_path(name: &[u8], unicode: &[u8]) -> Vec<u8> {
    let mut content = vec![1];
    content.extend(crc32fast::hash(name).to_le_bytes());
    content.extend(unicode);
    extra(0x7075, &content)
}

pub fn deflate(content: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}
