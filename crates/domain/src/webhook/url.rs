//! Where a webhook is sent.

use std::fmt;

use serde::{Serialize, Serializer};
use url::Url;

use crate::http_url::{self, UrlError};

/// Where a webhook is sent: `http` or `https`, with a host, without user info and fragment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookUrl(Url);

impl WebhookUrl {
    /// Reads an absolute URL. Whether it may be reached is decided when it is connected to.
    ///
    /// # Errors
    /// The first thing that is wrong with it.
    pub fn parse(text: &str) -> Result<Self, UrlError> {
        let mut url = http_url::parse(text, true)?;
        url.set_fragment(None);
        Ok(Self(url))
    }

    /// The text: host in lower case, no default port, no dot segments, no fragment.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl fmt::Display for WebhookUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for WebhookUrl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
