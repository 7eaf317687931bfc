//! URLs of other servers that clients name: what is crawled, and where webhooks go.

use std::fmt;

use url::{ParseError, Url};

/// How many bytes a URL has at most.
pub const URL_MAX: usize = 2_048;
/// The ports on which others are reached; other ports only inside networks that the installation opens.
pub const PORTS: [u16; 4] = [80, 443, 8080, 8443];
/// How many bytes a name in the DNS has at most (RFC 1035, section 2.3.4), its last dot left out.
const HOST_MAX: usize = 253;

/// Why a text is no URL that could be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UrlError {
    /// It has more than [`URL_MAX`] bytes.
    TooLong,
    /// It has no host, or one that can't be (WHATWG URL Standard).
    Host,
    /// It has control characters, white space or backslashes in it, which readers of URLs take for
    /// different things.
    BadCharacter,
    /// Neither `http` nor `https`, or no scheme at all.
    Scheme,
    /// It names a user.
    UserInfo,
    /// It names a port that is not among [`PORTS`].
    Port,
    /// What it names as its port is none.
    BadPort,
}

impl UrlError {
    /// Why a text could not be parsed. All but the scheme and the port is of the host.
    fn of(error: ParseError) -> Self {
        if error == ParseError::RelativeUrlWithoutBase {
            Self::Scheme
        } else if error == ParseError::InvalidPort {
            Self::BadPort
        } else {
            Self::Host
        }
    }
}

impl fmt::Display for UrlError {
    /// What is wrong, as the end of a sentence that begins with the name of the field.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooLong => "must have at most 2048 bytes",
            Self::Host => "must name a valid host",
            Self::BadCharacter => "must not contain control characters, blanks or backslashes",
            Self::Scheme => "must begin with http:// or https://",
            Self::UserInfo => "must not name a user",
            Self::Port => "must not name a port other than 80, 443, 8080 and 8443",
            Self::BadPort => "must name its port by a number of at most 65535",
        })
    }
}

/// Reads an absolute URL: `http` or `https`, with a host, without user info. With `any_port`, a port outside of
/// [`PORTS`] is accepted as well, and the code that connects decides whether it may be reached.
///
/// # Errors
/// The first thing that is wrong with it.
pub(crate) fn parse(text: &str, any_port: bool) -> Result<Url, UrlError> {
    if text.len() > URL_MAX {
        return Err(UrlError::TooLong);
    }
    if has_bad_character(text) {
        return Err(UrlError::BadCharacter);
    }
    let url = check(Url::parse(text).map_err(UrlError::of)?)?;
    if !(any_port || PORTS.contains(&url.port_or_known_default().unwrap_or_default())) {
        return Err(UrlError::Port);
    }
    // What a browser would escape counts as it is sent.
    if url.as_str().len() > URL_MAX {
        return Err(UrlError::TooLong);
    }
    Ok(url)
}

/// Checks scheme, user info and host.
pub(crate) fn check(url: Url) -> Result<Url, UrlError> {
    if !is_http(&url) {
        return Err(UrlError::Scheme);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(UrlError::UserInfo);
    }
    if !url.host_str().is_some_and(can_be_host) {
        return Err(UrlError::Host);
    }
    Ok(url)
}

/// Whether there is something in the text that readers of URLs take for different things.
pub(crate) fn has_bad_character(text: &str) -> bool {
    text.contains(|char: char| char.is_control() || char.is_whitespace() || char == '\\')
}

/// Whether something could have this name.
fn can_be_host(host: &str) -> bool {
    !host.is_empty() && host.strip_suffix('.').unwrap_or(host).len() <= HOST_MAX
}

/// Whether it is a URL of the web.
pub(crate) fn is_http(url: &Url) -> bool {
    ["http", "https"].contains(&url.scheme())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_checked_by_their_text() {
        for (text, violation) in [
            ("ftp://a.example/", UrlError::Scheme),
            ("javascript:alert(1)", UrlError::Scheme),
            ("http://ada@a.example/", UrlError::UserInfo),
            ("http://:pw@a.example/", UrlError::UserInfo),
            ("http://a.example:22/", UrlError::Port),
            ("http://a.example:0/", UrlError::Port),
            ("http://a.example/a b", UrlError::BadCharacter),
            ("http://a.example/\t", UrlError::BadCharacter),
            ("http:\\\\a.example", UrlError::BadCharacter),
            ("http://a.example/\u{7f}", UrlError::BadCharacter),
            ("/relative", UrlError::Scheme),
            ("a.example", UrlError::Scheme),
            ("a.example:80/x", UrlError::Scheme),
            ("", UrlError::Scheme),
            ("http://", UrlError::Host),
            ("http://[::1/", UrlError::Host),
            ("http://1.2.3.256/", UrlError::Host),
            (&format!("http://{}a/", "a.".repeat(127)), UrlError::Host),
            ("http://a.example:99999/", UrlError::BadPort),
            ("http://a.example:x/", UrlError::BadPort),
        ] {
            assert_eq!(parse(text, false), Err(violation), "{text:?}");
        }
        let long = format!("http://a.example/{}", "x".repeat(URL_MAX));
        assert_eq!(parse(&long, false), Err(UrlError::TooLong));
        assert!(parse("http://a.example:22/", true).is_ok());
    }
}
