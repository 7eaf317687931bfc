//! The file of a document.

use bytes::Bytes;
use reqwest::header::{CONTENT_TYPE, ETAG, HeaderName};
use reqwest::{Method, Response, StatusCode};
use uuid::Uuid;

use crate::{ProjectClient, Result};

/// Which part of a file is asked for, and under which condition.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DownloadQuery {
    /// One part of the file, as `bytes=0-99`.
    pub range: Option<String>,
    /// The entity tag that the file must still have; otherwise all of it is returned.
    pub if_range: Option<String>,
    /// The entity tags of what the caller has.
    pub if_none_match: Option<String>,
}

/// A file that comes in.
#[derive(Debug)]
pub struct Download(Response);

impl ProjectClient {
    /// Returns the file of the document. Needs the scope `projectdoc:read`.
    ///
    /// # Errors
    /// See [`Error`](crate::Error).
    pub async fn download_document(&self, doc_id: Uuid, query: &DownloadQuery) -> Result<Download> {
        let doc_id = doc_id.to_string();
        let path = ["api", "external", "projectapi", "doc", "files", &doc_id, "download"];
        let mut request = self.http.request(Method::GET, &path)?;
        let DownloadQuery { range, if_range, if_none_match } = query;
        for (name, value) in
            [("range", range), ("if-range", if_range), ("if-none-match", if_none_match)]
        {
            if let Some(value) = value {
                request = request.header(name, value);
            }
        }
        Ok(Download(request.send().await?))
    }
}

impl Download {
    /// Whether the caller has the file already (`if_none_match`), so that there are no bytes.
    pub fn is_not_modified(&self) -> bool {
        self.0.status() == StatusCode::NOT_MODIFIED
    }

    /// Whether these bytes are the part that was asked for, and not the whole file.
    pub fn is_part(&self) -> bool {
        self.0.status() == StatusCode::PARTIAL_CONTENT
    }

    /// The entity tag of the file.
    pub fn entity_tag(&self) -> Option<&str> {
        self.header(&ETAG)
    }

    /// The type of the file.
    pub fn media_type(&self) -> Option<&str> {
        self.header(&CONTENT_TYPE)
    }

    /// How many bytes there are.
    pub fn length(&self) -> Option<u64> {
        self.0.content_length()
    }

    /// The next bytes; `None` at the end.
    ///
    /// # Errors
    /// If the connection is lost before the end.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>> {
        Ok(self.0.chunk().await?)
    }

    /// All bytes.
    ///
    /// # Errors
    /// If the connection is lost before the end.
    pub async fn bytes(self) -> Result<Bytes> {
        Ok(self.0.bytes().await?)
    }

    fn header(&self, name: &HeaderName) -> Option<&str> {
        self.0.headers().get(name)?.to_str().ok()
    }
}
