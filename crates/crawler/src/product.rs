//! What the crawler is called.

/// The name that sites and pages use where they speak to this crawler (RFC 9309, section 2.2.1).
pub(crate) const PRODUCT: &str = "botyard";
