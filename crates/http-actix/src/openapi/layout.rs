//! How the document is laid out as text: a line for each thing that people look for, such as a parameter, an
//! answer or a member, so that changes can be read; no lines for what is inside of that, and no blanks, because
//! programs load the whole document.

use std::io::{self, Write};

use serde::Serialize as _;
use serde_json::Serializer;
use serde_json::ser::Formatter;
use utoipa::openapi::OpenApi;

/// How many objects deep there are lines: the document, its paths, one of them, an operation, its answers; or the
/// document, its components, the schemas, one of them, its members.
const OBJECTS: usize = 5;
/// The same for lists.
const LISTS: usize = 2;

/// The document as text.
pub fn written(document: &OpenApi) -> String {
    let mut text = Vec::new();
    let mut writer = Serializer::with_formatter(&mut text, Layout::default());
    // Writing a document of strings and numbers can't fail.
    let written = document.serialize(&mut writer);
    text.push(b'\n');
    let written = written.ok().and_then(|()| String::from_utf8(text).ok());
    written.unwrap_or_default()
}

#[derive(Default)]
struct Layout {
    depth: usize,
    /// Whether the innermost container has had anything so far.
    has_content: bool,
    /// How many lists it is in that have no lines; nothing in there has some.
    flat_lists: usize,
}

impl Layout {
    fn begin<W: ?Sized + Write>(&mut self, writer: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth += 1;
        self.has_content = false;
        writer.write_all(bracket)
    }

    fn next<W: ?Sized + Write>(&self, writer: &mut W, first: bool, lines: usize) -> io::Result<()> {
        if !first {
            writer.write_all(b",")?;
        }
        if self.has_lines(lines) { writer.write_all(b"\n") } else { Ok(()) }
    }

    const fn has_lines(&self, depth: usize) -> bool {
        self.depth <= depth && self.flat_lists == 0
    }

    fn end<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        bracket: &[u8],
        lines: usize,
    ) -> io::Result<()> {
        let has_lines = self.has_lines(lines) && self.has_content;
        self.depth = self.depth.saturating_sub(1);
        self.has_content = true;
        if has_lines {
            writer.write_all(b"\n")?;
        }
        writer.write_all(bracket)
    }
}

impl Formatter for Layout {
    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.begin(writer, b"[")?;
        self.flat_lists += usize::from(self.depth > LISTS);
        Ok(())
    }

    fn begin_array_value<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.next(writer, first, LISTS)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.has_content = true;
        Ok(())
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.flat_lists = self.flat_lists.saturating_sub(usize::from(self.depth > LISTS));
        self.end(writer, b"]", LISTS)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.begin(writer, b"{")
    }

    fn begin_object_key<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.next(writer, first, OBJECTS)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b":")
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.has_content = true;
        Ok(())
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.end(writer, b"}", OBJECTS)
    }
}
