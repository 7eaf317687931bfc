//! Addresses of websites.

use url::Url;

use super::{Scalar, Shape};

/// An origin as browsers send it.
pub struct Origin;

impl Scalar for Origin {
    type Value = String;
    const SHAPE: Shape = Shape::new(
        "origin",
        "scheme and host, and the port if it is an unusual one: https://app.example.org",
        "ORIGIN",
    );

    /// Browsers compare nothing themselves: what they send is compared as text, so only the one
    /// form that they send can ever match.
    fn read(text: &str) -> Result<String, String> {
        if text.contains('*') {
            return Err("stands for more than one website; name each origin exactly".to_owned());
        }
        let exact = Url::parse(text)
            .ok()
            .and_then(|url| origin_of(&url))
            .ok_or_else(|| Self::SHAPE.mismatch())?;
        if exact != text {
            return Err(format!("is not what a browser sends; write {exact}"));
        }
        Ok(exact)
    }
}

fn origin_of(url: &Url) -> Option<String> {
    let host = url.host_str().filter(|host| !host.is_empty())?;
    let scheme = url.scheme();
    Some(match url.port() {
        Some(port) => format!("{scheme}://{host}:{port}"),
        None => format!("{scheme}://{host}"),
    })
}

/// The address of this server as clients see it.
pub struct PublicUrl;

impl Scalar for PublicUrl {
    type Value = String;
    const SHAPE: Shape = Shape::new("web address", "https://bots.example.org", "URL");

    fn read(text: &str) -> Result<String, String> {
        let url = Url::parse(text)
            .ok()
            .filter(|url| ["http", "https"].contains(&url.scheme()))
            .filter(|_| !text.contains(char::is_whitespace))
            .ok_or_else(|| Self::SHAPE.mismatch())?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err("holds a user name; clients would get to see it".to_owned());
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err("goes on after its path; leave out what begins with ? or #".to_owned());
        }
        if text.ends_with('/') {
            return Err("ends in a slash; leave that out, because paths are appended".to_owned());
        }
        Ok(url.as_str().trim_end_matches('/').to_owned())
    }
}

/// The address of an OpenTelemetry collector.
pub struct CollectorUrl;

impl Scalar for CollectorUrl {
    type Value = String;
    const SHAPE: Shape = Shape::new("web address", "http://127.0.0.1:4318", "URL");

    fn read(text: &str) -> Result<String, String> {
        let url = Url::parse(text)
            .ok()
            .filter(|url| ["http", "https"].contains(&url.scheme()))
            .ok_or_else(|| Self::SHAPE.mismatch())?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err("holds a user name; credentials go into the variable \
                        OTEL_EXPORTER_OTLP_HEADERS"
                .to_owned());
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err("goes on after its path; leave out what begins with ? or #".to_owned());
        }
        Ok(url.as_str().trim_end_matches('/').to_owned())
    }
}

/// What the crawler calls itself.
pub struct UserAgent;

impl Scalar for UserAgent {
    type Value = String;
    const SHAPE: Shape = Shape::new(
        "user agent",
        "up to 256 characters of ASCII, such as botyard/1.0 (+https://example.org/bot)",
        "TEXT",
    );

    fn read(text: &str) -> Result<String, String> {
        let is_allowed = |byte: u8| byte.is_ascii_graphic() || byte == b' ';
        let fits = (1..=256).contains(&text.len()) && text.trim() == text;
        if !fits || !text.bytes().all(is_allowed) {
            return Err(Self::SHAPE.mismatch());
        }
        if !text.to_ascii_lowercase().contains("botyard") {
            return Err("does not name botyard, which is who a robots.txt speaks to".to_owned());
        }
        Ok(text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_agent_says_who_asks() {
        for good in ["botyard", "Example Botyard/2.0 (+https://example.org/bot; ops@example.org)"] {
            assert_eq!(UserAgent::read(good).as_deref(), Ok(good));
        }
        let long = format!("botyard{}", "x".repeat(250));
        for bad in ["", " botyard", "botyard\r\nX: y", "botyard ü", &long] {
            let complaint = UserAgent::read(bad).unwrap_err();
            assert!(complaint.starts_with("is no user agent"), "{bad:?}");
        }
        let complaint = UserAgent::read("Mozilla/5.0").unwrap_err();
        assert!(complaint.starts_with("does not name botyard"), "{complaint}");
    }

    #[test]
    fn origins_are_exact() {
        for good in [
            "https://app.example.org",
            "http://localhost:3000",
            "http://[::1]:3000",
            "https://xn--bcher-kva.example",
            "capacitor://localhost",
        ] {
            assert_eq!(Origin::read(good).as_deref(), Ok(good));
        }
        for (text, exact) in [
            ("https://app.example.org/", "https://app.example.org"),
            ("https://app.example.org:443", "https://app.example.org"),
            ("https://App.example.org", "https://app.example.org"),
            ("https://a.example/x?y", "https://a.example"),
            ("https://u:p@a.example", "https://a.example"),
        ] {
            let complaint = Origin::read(text).unwrap_err();
            assert_eq!(complaint, format!("is not what a browser sends; write {exact}"));
        }
        for bad in ["", "null", "app.example.org", "app.example.org:443", "https://", "file:///x"] {
            let complaint = Origin::read(bad).unwrap_err();
            assert!(complaint.starts_with("is no origin"), "{bad}: {complaint}");
        }
        for wide in ["*", "https://*.example.org"] {
            let complaint = Origin::read(wide).unwrap_err();
            assert!(complaint.ends_with("name each origin exactly"), "{wide}");
        }
    }

    #[test]
    fn a_public_url_can_be_appended_to() {
        for good in
            ["http://localhost:8080", "https://bots.example.org", "https://example.org/bots"]
        {
            assert_eq!(PublicUrl::read(good).as_deref(), Ok(good));
        }
        for bad in [
            "",
            "bots.example.org",
            "ftp://example.org",
            "https://",
            "https://example.org/",
            "https://example.org/bots/",
            "https://example.org?x",
            "https://example.org#x",
            "https://u:p@example.org",
            " https://example.org",
        ] {
            assert!(PublicUrl::read(bad).is_err(), "{bad}");
        }
    }
}
