//! A package as it would be uploaded: a ZIP archive with one file, which is stored as it is.

/// What records begin with, by what they are.
const FILE: &[u8] = b"PK\x03\x04";
const DIRECTORY_ENTRY: &[u8] = b"PK\x01\x02";
const END: &[u8] = b"PK\x05\x06";
/// The version of the format that a reader must know: 1.0, which has stored files.
const VERSION: u16 = 10;
/// The first day that the format knows, 1980-01-01, so that the same content makes the same archive.
const DATE: u16 = 0b10_0001;

/// The archive, as APPNOTE.TXT 6.3 has it; `None` if it would be larger than 4 GiB.
pub fn archive(name: &str, content: &[u8]) -> Option<Vec<u8>> {
    let size = u32::try_from(content.len()).ok()?;
    let name_size = u16::try_from(name.len()).ok()?;
    // What the header of the file and its entry in the directory have in common.
    let mut about = Bytes::default();
    // Version, flags, method, time, date.
    about.u16s(&[VERSION, 0, 0, 0, DATE]).u32s(&[crc32fast::hash(content), size, size]);
    // The sizes of the name and of extra fields.
    about.u16s(&[name_size, 0]);

    let mut file = Bytes::default();
    file.raw(FILE).raw(&about.0).raw(name.as_bytes()).raw(content);
    let mut directory = Bytes::default();
    directory.raw(DIRECTORY_ENTRY).u16s(&[VERSION]).raw(&about.0);
    // The size of a comment, the disk, attributes, and where the header of the file is.
    directory.u16s(&[0, 0, 0]).u32s(&[0, 0]).raw(name.as_bytes());

    let (begin, size) = (u32::try_from(file.0.len()).ok()?, u32::try_from(directory.0.len()).ok()?);
    file.raw(&directory.0);
    // Two disks and two numbers of entries, the directory, and the size of a comment.
    file.raw(END).u16s(&[0, 0, 1, 1]).u32s(&[size, begin]).u16s(&[0]);
    Some(file.0)
}

/// Numbers in the byte order of the format.
#[derive(Default)]
struct Bytes(Vec<u8>);

impl Bytes {
    fn raw(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.extend_from_slice(bytes);
        self
    }

    fn u16s(&mut self, numbers: &[u16]) -> &mut Self {
        self.0.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        self
    }

    fn u32s(&mut self, numbers: &[u32]) -> &mut Self {
        self.0.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        self
    }
}
