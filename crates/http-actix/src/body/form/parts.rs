//! The parts of a form, one after the other, out of chunks that are cut anywhere.
//!
//! What is held is one head or one chunk, never a part. A part ends at the boundary and nowhere else:
//! a `Content-Length` in its head counts for nothing (RFC 7578, section 4.8), because bytes behind
//! the end that it states would go missing unnoticed.

use bytes::{Buf, Bytes, BytesMut};
use domain::blob::Sha256;
use memchr::memmem::{self, Finder};

use super::errors::{bad_form, check_size};
use super::hash::FormHash;
use super::head::PartHead;
use crate::body::stream::BodyStream;
use crate::options::HttpLimits;
use crate::problem::Problem;

/// A form on its way in.
pub struct Parts {
    stream: BodyStream,
    /// How many bytes the file may have, and how many came so far in all.
    file_max: u64,
    seen: u64,
    /// What came and was not handed out yet.
    buffer: BytesMut,
    /// What stands between two parts: a line break, two hyphens, the boundary.
    delimiter: Finder<'static>,
    /// Whether the delimiter behind the current part is still to come.
    is_within: bool,
    parts_left: usize,
    head_max: usize,
    hash: Option<FormHash>,
}

impl Parts {
    /// The form in this body, whose file has at most `file_max` bytes.
    pub fn of(stream: BodyStream, boundary: &str, limits: &HttpLimits, file_max: u64) -> Self {
        Self {
            stream,
            file_max,
            seen: 0,
            // The first boundary needs no line break before it.
            buffer: BytesMut::from("\r\n"),
            delimiter: Finder::new(&format!("\r\n--{boundary}")).into_owned(),
            // Something may stand before the first part, and is passed over like a part.
            is_within: true,
            parts_left: limits.form_parts,
            head_max: limits.form_part_head,
            hash: None,
        }
    }

    /// Keeps a hash of the parts from now on.
    pub fn keep_hash(&mut self) {
        self.hash = Some(FormHash::default());
    }

    /// The hash of all parts.
    pub fn hash(&mut self) -> Sha256 {
        self.hash.take().unwrap_or_default().finish()
    }

    /// Passes over the rest of the current part. Gives the head of the next one, or `None` behind
    /// the last, when the whole body was read.
    ///
    /// # Errors
    /// 422 if the form is malformed, 413 if it is too large, 400 if it breaks off.
    pub async fn next(&mut self) -> Result<Option<PartHead>, Problem> {
        while self.chunk().await?.is_some() {}
        while self.buffer.len() < 2 {
            self.fill().await?;
        }
        if self.buffer.starts_with(b"--") {
            while let Some(chunk) = self.stream.next().await? {
                self.count(&chunk)?;
            }
            return Ok(None);
        }
        let Some(parts_left) = self.parts_left.checked_sub(1) else {
            return Err(bad_form("The form has more parts than it may have."));
        };
        self.parts_left = parts_left;
        let head = self.head().await?;
        self.is_within = true;
        let head = PartHead::parse(&head)?;
        if let Some(hash) = &mut self.hash {
            hash.begin(&head);
        }
        Ok(Some(head))
    }

    /// The next bytes of the current part; `None` at its end.
    ///
    /// # Errors
    /// As for [`next`](Self::next).
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, Problem> {
        while self.is_within {
            let length = self.delimiter.needle().len();
            let sure = match self.delimiter.find(&self.buffer) {
                Some(0) => {
                    self.buffer.advance(length);
                    self.is_within = false;
                    break;
                }
                Some(at) => at,
                // The rest may be the beginning of a delimiter.
                None => (self.buffer.len() + 1).saturating_sub(length),
            };
            if sure > 0 {
                let bytes = self.buffer.split_to(sure).freeze();
                if let Some(hash) = &mut self.hash {
                    hash.update(&bytes);
                }
                return Ok(Some(bytes));
            }
            self.fill().await?;
        }
        Ok(None)
    }

    /// The lines between a boundary and the content, with the empty line behind them.
    async fn head(&mut self) -> Result<Bytes, Problem> {
        const END: &[u8] = b"\r\n\r\n";
        let mut searched = 0;
        let length = loop {
            let unsearched = self.buffer.get(searched..).unwrap_or_default();
            let found = memmem::find(unsearched, END).map(|at| searched + at + END.len());
            if found.unwrap_or(self.buffer.len()) > self.head_max {
                let most = self.head_max;
                return Err(bad_form(format!("The head of a part has more than {most} bytes.")));
            }
            if let Some(length) = found {
                break length;
            }
            searched = self.buffer.len().saturating_sub(END.len() - 1);
            self.fill().await?;
        };
        let mut head = self.buffer.split_to(length).freeze();
        // Blanks may stand behind a boundary, and nothing else.
        let blanks = head.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        head.advance(blanks);
        if !head.starts_with(b"\r\n") {
            return Err(bad_form("Something other than a line break follows a boundary."));
        }
        head.advance(2);
        Ok(head)
    }

    async fn fill(&mut self) -> Result<(), Problem> {
        let chunk = self.stream.next().await?;
        let chunk = chunk.ok_or_else(|| bad_form("The form ends before its last boundary."))?;
        self.count(&chunk)?;
        self.buffer.extend_from_slice(&chunk);
        Ok(())
    }

    fn count(&mut self, chunk: &Bytes) -> Result<(), Problem> {
        self.seen = self.seen.saturating_add(chunk.len() as u64);
        check_size(self.seen, self.file_max)
    }
}
