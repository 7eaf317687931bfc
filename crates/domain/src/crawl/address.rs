//! Addresses that a crawl fetches, and which of them are the same page.

use std::fmt;

use serde::{Serialize, Serializer};
use url::{Host, Url};

use crate::http_url::{self, URL_MAX, UrlError, has_bad_character, is_http};

/// The address of a page: `http` or `https`, with a host, without user info and fragment. Parsed once;
/// what was parsed is what is fetched.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CrawlUrl(Url);

impl Serialize for CrawlUrl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl CrawlUrl {
    /// Reads an absolute address. With `any_port`, a port outside of [`PORTS`] is accepted as well,
    /// and the crawler decides whether it fetches from there.
    ///
    /// # Errors
    /// The first thing that is wrong with it.
    pub fn parse(text: &str, any_port: bool) -> Result<Self, UrlError> {
        Self::of(http_url::parse(text, any_port)?)
    }

    /// Reads back what [`Self::as_str`] said when it was stored, to the letter; `None` if it can't be that.
    #[must_use]
    pub fn stored(text: &str) -> Option<Self> {
        let url = Url::parse(text).ok()?;
        (url.as_str() == text && is_http(&url)).then_some(Self(url))
    }

    /// Where a link on this page leads; `None` if it leads to nothing that could be fetched. Its port
    /// is not checked: the crawler decides whether it fetches from there.
    #[must_use]
    pub fn join(&self, link: &str) -> Option<Self> {
        let link = link.trim_matches(|char: char| char.is_ascii_whitespace());
        // Pages have blanks in their links, and all readers of URLs take them for the same: `%20`.
        if link.len() > URL_MAX || link.split(' ').any(has_bad_character) {
            return None;
        }
        Self::of(http_url::check(self.0.join(link).ok()?).ok()?).ok()
    }

    fn of(mut url: Url) -> Result<Self, UrlError> {
        url.set_fragment(None);
        // Escapes that need not be are undone, so that one page has one text.
        let path = plainly_escaped(url.path());
        url.set_path(&path);
        if let Some(query) = url.query().map(plainly_escaped) {
            url.set_query(Some(&query));
        }
        // What a browser would escape counts as it is sent.
        if url.as_str().len() > URL_MAX {
            return Err(UrlError::TooLong);
        }
        Ok(Self(url))
    }

    /// The text, normalised: host in lower case, no default port, no dot segments, no needless escapes,
    /// no fragment.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The parsed address.
    #[must_use]
    pub const fn url(&self) -> &Url {
        &self.0
    }

    /// The host, as a URL shows it.
    #[must_use]
    pub fn host(&self) -> &str {
        self.0.host_str().unwrap_or_default()
    }

    /// The port, also where the scheme implies it.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.0.port_or_known_default().unwrap_or_default()
    }

    /// Whether both belong to one site: the same host, with or without `www.`, on the same port or
    /// both on the one that their scheme implies.
    #[must_use]
    pub fn is_on_site_of(&self, other: &Self) -> bool {
        self.site() == other.site()
    }

    /// The name of the site: the host without `www.`.
    #[must_use]
    pub fn site_name(&self) -> &str {
        self.site().0
    }

    /// What makes two addresses the same page: everything but the scheme and `www.`.
    #[must_use]
    pub fn key(&self) -> String {
        let (host, port) = self.site();
        let port = port.map(|port| format!(":{port}")).unwrap_or_default();
        let query = self.0.query().map(|query| format!("?{query}")).unwrap_or_default();
        format!("{host}{port}{}{query}", self.0.path())
    }

    fn site(&self) -> (&str, Option<u16>) {
        let host = self.host();
        let is_name = matches!(self.0.host(), Some(Host::Domain(_)));
        let bare = host.strip_prefix("www.").filter(|rest| is_name && rest.contains('.'));
        (bare.unwrap_or(host), self.0.port())
    }
}

impl fmt::Display for CrawlUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The text with unreserved characters (RFC 3986, section 2.3) as they are and the digits of other
/// escapes in upper case. A `%` that begins no escape is escaped itself: what follows it could make it
/// begin one, and the text would change again when it is read again.
fn plainly_escaped(text: &str) -> String {
    let mut parts = text.split('%');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.get(..2).filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        let rest = if byte.is_some() { part.get(2..).unwrap_or_default() } else { part };
        match byte {
            Some(b) if b.is_ascii_alphanumeric() || b"-._~".contains(&b) => plain.push(b.into()),
            Some(b) => plain.push_str(&format!("%{b:02X}")),
            None => plain.push_str("%25"),
        }
        plain.push_str(rest);
    }
    plain
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn url(text: &str) -> CrawlUrl {
        CrawlUrl::parse(text, false).unwrap()
    }

    #[test]
    fn an_odd_spelling_of_an_address_is_that_address() {
        assert_eq!(url(&format!("http://{}b./", "a.".repeat(126))).host().len(), 254);
        assert_eq!(url("HTTP://A.Example:80/x/../y#z").as_str(), "http://a.example/y");
        // Odd spellings of numbers are the address that they stand for.
        assert_eq!(url("http://0x7f.1/").host(), "127.0.0.1");
        assert_eq!(url("http://2130706433/").host(), "127.0.0.1");
        assert_eq!(CrawlUrl::parse("ftp://a.example/", true), Err(UrlError::Scheme));
    }

    #[test]
    fn some_addresses_are_the_same_page() {
        let same = |one: &str, other: &str| url(one).key() == url(other).key();
        for (one, other) in [
            ("http://a.example", "https://www.a.example/"),
            ("http://a.example/%7Eada", "http://a.example/~ada"),
            ("http://a.example/%c3%a4", "http://a.example/ä"),
            ("http://a.example/x#1", "http://a.example/x#2"),
            ("http://a.example/100%?%z", "http://a.example/100%25?%25z"),
            ("http://a.example/%%34%31", "http://a.example/%2541"),
        ] {
            assert!(same(one, other), "{one} {other}");
        }
        for (one, other) in [
            ("http://a.example/x", "http://a.example/x/"),
            ("http://a.example/x", "http://a.example/X"),
            ("http://a.example/x", "http://a.example/x?"),
            ("http://a.example/a%2Fb", "http://a.example/a/b"),
            ("http://a.example/%%34%31", "http://a.example/A"),
            ("http://a.example/a%%32e%%32e/", "http://a.example/"),
            ("http://a.example/", "http://a.example:8080/"),
            ("http://a.example/", "http://b.a.example/"),
            ("http://www.com/", "http://com/"),
        ] {
            assert!(!same(one, other), "{one} {other}");
        }
    }

    #[test]
    fn links_lead_somewhere_or_nowhere() {
        let page = url("https://a.example/x/y?z");
        for (link, expected) in [
            ("q", Some("https://a.example/x/q")),
            (" /q\n", Some("https://a.example/q")),
            ("a b?c d", Some("https://a.example/x/a%20b?c%20d")),
            ("a\tb", None),
            ("//b.example/#top", Some("https://b.example/")),
            ("#top", Some("https://a.example/x/y?z")),
            ("mailto:ada@a.example", None),
            ("http://ada@a.example/", None),
            ("data:text/html,x", None),
            ("a\\b", None),
        ] {
            assert_eq!(page.join(link).as_ref().map(CrawlUrl::as_str), expected, "{link:?}");
        }
        assert!(url("http://www.a.example/").is_on_site_of(&page));
        assert!(!url("http://a.example:8080/").is_on_site_of(&page));
        assert_eq!(url("http://www.a.example:8080/").site_name(), "a.example");
    }

    /// Texts of all that normalising changes, and of what comes close to it.
    fn texts() -> impl Strategy<Value = String> {
        let parts = prop::sample::select(vec![
            "%", "%", "%2", "%34", "%31", "%41", "%65", "%2e", "%2F", "%25", "%7e", "%C3%a4", "0",
            "2", "5", "4", "e", "A", "f", "x", ".", "..", "/", "?", "#", "&", "=", ":", "@", "'",
            "|", "~", "+", "ä", "ß", "．", "１", " ",
        ]);
        prop::collection::vec(parts, 0..10).prop_map(|parts| parts.concat())
    }

    /// Whole addresses of such texts.
    fn addresses() -> impl Strategy<Value = String> {
        let starts = ["http://a.example/", "HTTPS://a.example:443/?", "http://a.example:0080/../"];
        let tame = (prop::sample::select(starts.to_vec()), texts());
        let wild = (Just("http://"), texts());
        prop_oneof![tame, wild].prop_map(|(start, rest)| format!("{start}{rest}"))
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: 4_096,
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        #[test]
        fn normalising_again_changes_nothing(text in addresses(), link in texts()) {
            let page = CrawlUrl::parse(&text, true).unwrap_or_else(|_| url("http://a.example/x/"));
            for url in [Some(page.clone()), page.join(&link)].into_iter().flatten() {
                prop_assert_eq!(CrawlUrl::parse(url.as_str(), true), Ok(url.clone()));
                prop_assert_eq!(CrawlUrl::stored(url.as_str()), Some(url.clone()));
                prop_assert_eq!(url.join(url.as_str()), Some(url.clone()));
            }
        }

        #[test]
        fn no_text_makes_it_panic(text in "(http://)?\\PC{0,40}") {
            if let Ok(url) = CrawlUrl::parse(&text, true) {
                prop_assert_eq!(CrawlUrl::parse(url.as_str(), true), Ok(url.clone()));
                let _ = url.join(&text);
            }
        }
    }
}
