//! Puts characters that stand somewhere on a page into lines.

use std::fmt;

use pdf_extract::{MediaBox, OutputDev, OutputError, Transform};

/// A larger step, in parts of the height of the letters, is a space.
const SPACE: f64 = 0.1;
/// A larger step up or down is another line, if it is one to the left, too.
const LINE: f64 = 0.5;
/// A larger step up or down is another paragraph.
const PARAGRAPH: f64 = 1.5;

/// The pages of a document as text.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) pages: Vec<LaidOut>,
    bytes_left: u64,
    /// Where the last character ended.
    end: f64,
    /// How far up it stood.
    height: f64,
    is_first_of_word: bool,
}

/// What a page draws.
#[derive(Debug, Default)]
pub(super) struct LaidOut {
    pub(super) text: String,
    /// How wide and high it is, in points.
    pub(super) size: (f64, f64),
}

impl Layout {
    pub(super) fn new(bytes: u64) -> Self {
        let (end, height) = (f64::INFINITY, 0.0);
        Self { pages: Vec::new(), bytes_left: bytes, end, height, is_first_of_word: false }
    }

    fn push(&mut self, text: &str) -> Result<(), OutputError> {
        let left = self.bytes_left.checked_sub(text.len() as u64);
        self.bytes_left = left.ok_or(OutputError::FormatError(fmt::Error))?;
        if let Some(page) = self.pages.last_mut() {
            page.text.push_str(text);
        }
        Ok(())
    }
}

impl OutputDev for Layout {
    fn begin_page(
        &mut self,
        _: u32,
        paper: &MediaBox,
        _: Option<(f64, f64, f64, f64)>,
    ) -> Result<(), OutputError> {
        let size = ((paper.urx - paper.llx).abs(), (paper.ury - paper.lly).abs());
        self.pages.push(LaidOut { text: String::new(), size });
        (self.end, self.height) = (f64::INFINITY, 0.0);
        Ok(())
    }

    fn end_page(&mut self) -> Result<(), OutputError> {
        Ok(())
    }

    fn output_character(
        &mut self,
        at: &Transform,
        width: f64,
        _: f64,
        font_size: f64,
        character: &str,
    ) -> Result<(), OutputError> {
        // The side of a square as large as one of the letters becomes, however it is turned.
        let size = font_size.abs() * at.determinant().abs().sqrt();
        if self.is_first_of_word {
            let step = (at.m32 - self.height).abs();
            if step > size * PARAGRAPH {
                self.push("\n")?;
            }
            if at.m31 < self.end && step > size * LINE {
                self.push("\n")?;
            } else if at.m31 > self.end + size * SPACE {
                self.push(" ")?;
            }
        }
        self.push(character)?;
        self.is_first_of_word = false;
        self.height = at.m32;
        self.end = at.m31 + width * size;
        Ok(())
    }

    fn begin_word(&mut self) -> Result<(), OutputError> {
        self.is_first_of_word = true;
        Ok(())
    }

    fn end_word(&mut self) -> Result<(), OutputError> {
        Ok(())
    }

    fn end_line(&mut self) -> Result<(), OutputError> {
        Ok(())
    }
}
