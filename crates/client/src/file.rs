//! Files that are uploaded.

use std::path::Path;

use bytes::Bytes;
use reqwest::multipart::Part;

/// A file that is uploaded. One that lies on a disk is read while it is sent.
#[derive(Debug)]
pub struct File(Part);

impl File {
    /// Opens a file, which gets the name that it has there.
    ///
    /// # Errors
    /// If it can't be opened.
    pub async fn open(path: impl AsRef<Path>) -> std::io::Result<Self> {
        Part::file(path).await.map(Self)
    }

    /// Makes a file of bytes.
    pub fn new(name: impl Into<String>, bytes: impl Into<Bytes>) -> Self {
        let bytes = bytes.into();
        let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        Self(Part::stream_with_length(bytes, length).file_name(name.into()))
    }

    /// Says what its type is, where the server shall not find that out by itself.
    ///
    /// # Errors
    /// If it is no media type (RFC 9110, section 8.3.1).
    pub fn media_type(self, media_type: &str) -> crate::Result<Self> {
        Ok(Self(self.0.mime_str(media_type)?))
    }

    pub(crate) fn into_part(self) -> Part {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;

    #[test]
    fn what_is_no_media_type_is_refused() {
        assert!(File::new("a.txt", "a").media_type("text/plain").is_ok());
        let refused = File::new("a.txt", "a").media_type("nonsense");
        assert!(matches!(refused, Err(Error::Request(_))), "{refused:?}");
    }
}
