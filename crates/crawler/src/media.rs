//! What the head of an answer says of its body: what kind of text it is, and what crawlers may do
//! with it.

use domain::crawl::CrawlError;
use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};

use crate::documents::PDF;
use crate::page::PageKind;
use crate::product::PRODUCT;

const ROBOTS_TAG: HeaderName = HeaderName::from_static("x-robots-tag");
/// Directives that have a value, so that their names are no names of crawlers.
const WITH_VALUES: [&str; 4] =
    ["unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"];

/// What a body is, as far as its head says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Media {
    Pdf,
    Text(Text),
}

/// What kind of text a body is, and in which charset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Text {
    /// `None` if the head does not say.
    kind: Option<PageKind>,
    pub(crate) charset: Option<String>,
}

impl Media {
    /// # Errors
    /// [`UnsupportedType`](CrawlError::UnsupportedType): nothing that could be a page.
    pub(crate) fn of(headers: &HeaderMap) -> Result<Self, CrawlError> {
        let Some(value) = headers.get(CONTENT_TYPE) else {
            return Ok(Self::Text(Text { kind: None, charset: None }));
        };
        let text = String::from_utf8_lossy(value.as_bytes());
        let mut parts = text.split(';');
        let kind = match parts.next().unwrap_or_default().trim().to_ascii_lowercase().as_str() {
            "text/html" => Some(PageKind::Html),
            "application/xhtml+xml" => Some(PageKind::Xhtml),
            "text/markdown" | "text/x-markdown" => Some(PageKind::Markdown),
            "text/plain" => Some(PageKind::Text),
            "" => None,
            PDF => return Ok(Self::Pdf),
            _ => return Err(CrawlError::UnsupportedType),
        };
        let charset = parts.find_map(|part| {
            let (name, value) = part.split_once('=')?;
            let value = value.trim().trim_matches(['"', '\'']);
            name.trim().eq_ignore_ascii_case("charset").then(|| value.to_owned())
        });
        Ok(Self::Text(Text { kind, charset }))
    }
}

impl Text {
    /// What kind of text this is. Where the head does not say, the content does.
    ///
    /// # Errors
    /// [`UnsupportedType`](CrawlError::UnsupportedType): it looks like no text.
    pub(crate) fn kind(&self, content: &[u8]) -> Result<PageKind, CrawlError> {
        if let Some(kind) = self.kind {
            return Ok(kind);
        }
        let start = content.strip_prefix("\u{feff}".as_bytes()).unwrap_or(content);
        if start.trim_ascii_start().starts_with(b"<?xml") {
            Ok(PageKind::Xhtml)
        } else if start.trim_ascii_start().starts_with(b"<") {
            Ok(PageKind::Html)
        } else if start.iter().take(1_024).any(|byte| *byte < b'\t') {
            Err(CrawlError::UnsupportedType)
        } else {
            Ok(PageKind::Text)
        }
    }
}

/// What `X-Robots-Tag` asks for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct RobotsTag {
    pub(crate) is_noindex: bool,
    pub(crate) is_nofollow: bool,
}

impl RobotsTag {
    /// What is asked of everybody and of this crawler. A name of a crawler counts until the next one.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let mut tag = Self::default();
        for value in headers.get_all(ROBOTS_TAG).iter().filter_map(text) {
            let mut is_meant = true;
            for part in value.split(',') {
                let (name, directive) = part.split_once(':').unwrap_or(("", part));
                let name = name.trim();
                if WITH_VALUES.contains(&name) {
                    continue;
                }
                if !name.is_empty() {
                    is_meant = name == PRODUCT;
                }
                let directive = directive.trim();
                tag.is_noindex |= is_meant && ["noindex", "none"].contains(&directive);
                tag.is_nofollow |= is_meant && ["nofollow", "none"].contains(&directive);
            }
        }
        tag
    }
}

fn text(value: &HeaderValue) -> Option<String> {
    value.to_str().ok().map(str::to_ascii_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn media(value: &'static str) -> Result<Media, CrawlError> {
        Media::of(&[(CONTENT_TYPE, HeaderValue::from_static(value))].into_iter().collect())
    }

    #[test]
    fn few_types_are_pages() {
        for (value, kind, charset) in [
            ("text/html", Some(PageKind::Html), None),
            ("Text/HTML ; Charset=\"ISO-8859-1\"", Some(PageKind::Html), Some("ISO-8859-1")),
            ("application/xhtml+xml;a=b;charset=x", Some(PageKind::Xhtml), Some("x")),
            ("text/markdown; charset=utf-8", Some(PageKind::Markdown), Some("utf-8")),
            ("text/plain;charset", Some(PageKind::Text), None),
            ("", None, None),
        ] {
            let charset = charset.map(str::to_owned);
            assert_eq!(media(value), Ok(Media::Text(Text { kind, charset })), "{value}");
        }
        assert_eq!(media("Application/PDF; x=y"), Ok(Media::Pdf));
        for value in ["application/zip", "text/html-x", "text/css", "image/svg+xml", "text", "*/*"]
        {
            assert_eq!(media(value), Err(CrawlError::UnsupportedType), "{value}");
        }
    }

    #[test]
    fn content_without_a_type_is_looked_at() {
        let untyped = Text { kind: None, charset: None };
        let kind = |content: &[u8]| untyped.kind(content);
        assert_eq!(kind(b"\xef\xbb\xbf\n <!doctype html>"), Ok(PageKind::Html));
        assert_eq!(kind(b"<?xml version='1.0'?><html>"), Ok(PageKind::Xhtml));
        assert_eq!(kind(b"a < b"), Ok(PageKind::Text));
        assert_eq!(kind(b""), Ok(PageKind::Text));
        assert_eq!(kind(b"%PDF-1.7\0"), Err(CrawlError::UnsupportedType));
        let plain = Text { kind: Some(PageKind::Text), charset: None };
        assert_eq!(plain.kind(b"<p>"), Ok(PageKind::Text));
    }

    #[test]
    fn what_crawlers_may_do_is_asked_of_all_or_of_one() {
        let tag = |values: &[&'static str]| {
            let named = |value| (ROBOTS_TAG, HeaderValue::from_static(value));
            let tag = RobotsTag::of(&values.iter().map(|value| named(value)).collect());
            (tag.is_noindex, tag.is_nofollow)
        };
        for (values, expected) in [
            (&[][..], (false, false)),
            (&["noindex"], (true, false)),
            (&["NoArchive, NoFollow"], (false, true)),
            (&["none"], (true, true)),
            (&["botyard: noindex, nofollow"], (true, true)),
            (&["otherbot: noindex, nofollow"], (false, false)),
            (&["otherbot: noindex, botyard: nofollow"], (false, true)),
            (&["otherbot: none", "noindex"], (true, false)),
            (&["unavailable_after: 25 Jun 2050 15:00:00 PST, noindex"], (true, false)),
        ] {
            assert_eq!(tag(values), expected, "{values:?}");
        }
    }
}
