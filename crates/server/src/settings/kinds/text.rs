//! Words and names.

use std::path::PathBuf;

use super::{Scalar, Shape};

impl Scalar for PathBuf {
    type Value = Self;
    const SHAPE: Shape = Shape::new("path", "the path of a folder", "PATH");

    fn read(text: &str) -> Result<Self, String> {
        if text.is_empty() || text.contains('\0') {
            return Err(Self::SHAPE.mismatch());
        }
        Ok(text.into())
    }
}

/// The name of a request header that carries a token.
pub struct HeaderName;

/// Headers that have a meaning already. Some would break HTTP; `X-Request-Id` would be worse,
/// because it is answered and logged.
const TAKEN_HEADERS: [&str; 12] = [
    "accept",
    "connection",
    "content-length",
    "content-type",
    "forwarded",
    "host",
    "if-none-match",
    "origin",
    "range",
    "transfer-encoding",
    "user-agent",
    "x-request-id",
];

impl Scalar for HeaderName {
    type Value = String;
    const SHAPE: Shape =
        Shape::new("header name", "letters, digits and dashes, such as X-Api-Key", "NAME");

    fn read(text: &str) -> Result<String, String> {
        let is_token =
            |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        if text.is_empty() || !text.bytes().all(is_token) {
            return Err(Self::SHAPE.mismatch());
        }
        if TAKEN_HEADERS.contains(&text.to_ascii_lowercase().as_str()) {
            return Err("has another meaning in HTTP; choose a name of its own".to_owned());
        }
        Ok(text.to_owned())
    }
}

/// A value that the field `modelSource` of a bot may take.
pub struct ModelSource;

impl Scalar for ModelSource {
    type Value = String;
    const SHAPE: Shape =
        Shape::new("model source", "1 to 64 characters without control characters", "WORD");

    fn read(text: &str) -> Result<String, String> {
        let fits = (1..=64).contains(&text.chars().count());
        if !fits || text.contains(char::is_control) {
            return Err(Self::SHAPE.mismatch());
        }
        Ok(text.to_owned())
    }
}

/// A value that the field `type` of a Fusion-View may take.
pub struct PackageType;

impl Scalar for PackageType {
    type Value = String;
    const SHAPE: Shape =
        Shape::new("package type", "1 to 64 of the characters a-z, 0-9 and -", "WORD");

    fn read(text: &str) -> Result<String, String> {
        let is_allowed =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if !(1..=64).contains(&text.len()) || !text.bytes().all(is_allowed) {
            return Err(Self::SHAPE.mismatch());
        }
        Ok(text.to_owned())
    }
}

const LOG_LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

/// What is logged, in the syntax of tracing's `EnvFilter`. The logger itself checks the rest.
pub struct LogFilter;

impl Scalar for LogFilter {
    type Value = String;
    const SHAPE: Shape = Shape::new(
        "log level",
        "off, error, warn, info, debug or trace, or levels for modules: info,botyard=debug",
        "LEVEL",
    );

    fn read(text: &str) -> Result<String, String> {
        // The logger takes a word alone that is no level for a module, of which it then logs everything.
        let is_known = |part: &str| part.contains(['=', '[']) || LOG_LEVELS.contains(&part);
        if !text.split(',').all(|part| is_known(part.trim().to_ascii_lowercase().as_str())) {
            return Err(Self::SHAPE.mismatch());
        }
        Ok(text.to_owned())
    }
}

/// How log lines are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// Text on a terminal, JSON elsewhere.
    Auto,
    /// For people.
    Text,
    /// One object a line, so that a logged text can't forge a line.
    Json,
}

impl Scalar for LogFormat {
    type Value = Self;
    const SHAPE: Shape = Shape::new("log format", "auto, text or json", "auto|text|json");

    fn read(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            "text" => Ok(Self::Text),
            "json" => Ok(Self::Json),
            _ => Err(Self::SHAPE.mismatch()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_tokens_that_mean_nothing_else() {
        for good in ["X-Api-Key", "authorization", "x_key", "1"] {
            assert_eq!(HeaderName::read(good).as_deref(), Ok(good));
        }
        for bad in ["", "X Key", "X-Key:", "X-Kéy", "X-Key\n", "(x)"] {
            let complaint = HeaderName::read(bad).unwrap_err();
            assert!(complaint.starts_with("is no header name"), "{bad:?}");
        }
        for taken in ["Host", "X-Request-ID", "content-length"] {
            let complaint = HeaderName::read(taken).unwrap_err();
            assert!(complaint.starts_with("has another meaning"), "{taken}");
        }
    }

    #[test]
    fn model_sources_are_short_words() {
        for good in ["a", "hosted", "Größe 1", &"ü".repeat(64)] {
            assert_eq!(ModelSource::read(good).as_deref(), Ok(good));
        }
        for bad in ["", "a\nb", "a\0", &"ü".repeat(65)] {
            assert!(ModelSource::read(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn package_types_are_what_a_fusion_view_can_be_of() {
        for good in ["h5p", "-", &"x".repeat(64)] {
            assert_eq!(PackageType::read(good).as_deref(), Ok(good));
        }
        for bad in ["", "H5P", "a b", "ä", "a_b", &"x".repeat(65)] {
            assert!(PackageType::read(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn logs_have_a_format_and_a_level() {
        assert_eq!(LogFormat::read("auto"), Ok(LogFormat::Auto));
        assert_eq!(LogFormat::read("text"), Ok(LogFormat::Text));
        assert_eq!(LogFormat::read("json"), Ok(LogFormat::Json));
        assert!(LogFormat::read("JSON").is_err());
        for good in ["info,botyard=debug", "WARN", "off", "error, actix_http=trace"] {
            assert_eq!(LogFilter::read(good).as_deref(), Ok(good));
        }
        for bad in ["", " ", "verbose", "info,botyard", "info,"] {
            assert!(LogFilter::read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_path_is_not_empty() {
        assert_eq!(<PathBuf as Scalar>::read("./data"), Ok("./data".into()));
        assert!(<PathBuf as Scalar>::read("").is_err());
        assert!(<PathBuf as Scalar>::read("a\0b").is_err());
    }
}
