//! Forms (RFC 7578) as clients send them, and as none should.

/// A form that is being put together, part by part.
#[derive(Debug, Clone)]
pub struct Form {
    boundary: String,
    parts: Vec<u8>,
}

impl Default for Form {
    fn default() -> Self {
        Self::with_boundary("----of-the-tests")
    }
}

impl Form {
    /// A form without a part.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A form without a part that has this boundary.
    #[must_use]
    pub fn with_boundary(boundary: &str) -> Self {
        Self { boundary: boundary.to_owned(), parts: Vec::new() }
    }

    /// A form with nothing but a ZIP archive, as a browser sends it.
    #[must_use]
    pub fn archive(content: &[u8]) -> Self {
        Self::new().file("package.zip", "application/zip", content)
    }

    /// One more part: the file.
    #[must_use]
    pub fn file(self, file_name: &str, media_type: &str, content: &[u8]) -> Self {
        let disposition = "Content-Disposition: form-data; name=\"file\"";
        let name = format!("{disposition}; filename=\"{file_name}\"");
        self.part(&[&name, &format!("Content-Type: {media_type}")], content)
    }

    /// One more part: a text.
    #[must_use]
    pub fn text(self, field: &str, value: &str) -> Self {
        let head = format!("Content-Disposition: form-data; name=\"{field}\"");
        self.part(&[&head], value.as_bytes())
    }

    /// One more part with these lines in front of its content.
    #[must_use]
    pub fn part(mut self, head: &[&str], content: &[u8]) -> Self {
        self.parts.extend_from_slice(format!("--{}\r\n", self.boundary).as_bytes());
        for line in head {
            self.parts.extend_from_slice(line.as_bytes());
            self.parts.extend_from_slice(b"\r\n");
        }
        self.parts.extend_from_slice(b"\r\n");
        self.parts.extend_from_slice(content);
        self.parts.extend_from_slice(b"\r\n");
        self
    }

    /// What the header `Content-Type` says.
    #[must_use]
    pub fn content_type(&self) -> String {
        format!("multipart/form-data; boundary=\"{}\"", self.boundary)
    }

    /// The form as it is sent.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        [self.unfinished(), format!("--{}--\r\n", self.boundary).as_bytes()].concat()
    }

    /// The same without its last boundary.
    #[must_use]
    pub fn unfinished(&self) -> &[u8] {
        &self.parts
    }
}
