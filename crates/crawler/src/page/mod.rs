//! From the bytes of a page to what is kept of it: title, main content as Markdown, links.
//!
//! A page of HTML goes through three steps, none of which recurses, and each of which takes linear
//! time: `html/` reads tags and text and keeps what is content ([`content::Content`]), `html/main_part.rs`
//! picks the main part of it, and `markdown/` writes that.

mod charset;
mod content;
mod html;
mod markdown;
mod parsed;
mod text;

use domain::crawl::{CrawlError, CrawlUrl};

use html::Syntax;
pub(crate) use parsed::{PageKind, Read};

/// Reads a page. Takes time, and memory, in proportion to its length, and waits for nothing.
///
/// # Errors
/// It is no text ([`CrawlError::BadContent`]).
pub(crate) fn read(
    bytes: &[u8],
    kind: PageKind,
    charset_of_header: Option<&str>,
    url: &CrawlUrl,
) -> Result<Read, CrawlError> {
    let is_html = matches!(kind, PageKind::Html | PageKind::Xhtml);
    let text = charset::decode(bytes, charset_of_header, is_html);
    if !looks_like_text(&text) {
        return Err(CrawlError::BadContent);
    }
    Ok(match kind {
        PageKind::Html => html::read(&text, Syntax::Html, url),
        PageKind::Xhtml => html::read(&text, Syntax::Xml, url),
        PageKind::Markdown => text::markdown(&text),
        PageKind::Text => text::plain(&text),
    })
}

/// Makes Markdown of all that a file of HTML shows, in whatever charset it is; `None` if it is no text.
/// Unlike a page of a site it keeps what is not its main content, and loses only what is not shown and
/// what leads elsewhere.
///
/// Takes time, and memory, in proportion to the length, and no more stack for deep nesting.
#[must_use]
pub fn html_to_markdown(bytes: &[u8]) -> Option<String> {
    let text = charset::decode(bytes, None, true);
    looks_like_text(&text).then(|| html::read_file(&text))
}

/// Whether most of the first characters are some that texts have.
fn looks_like_text(text: &str) -> bool {
    let first = || text.chars().take(1_024);
    let is_odd = |char: &char| match char {
        '\t' | '\n' | '\x0c' | '\r' | '\x1b' => false,
        '\0'..='\x1f' | '\u{fffd}' => true,
        _ => false,
    };
    first().filter(is_odd).count() * 10 <= first().count()
}

#[cfg(test)]
mod tests;
