//! The secret with which messages are signed (Standard Webhooks 1.0, "Signature scheme").

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use zeroize::Zeroizing;

use crate::entropy::Entropy;
use crate::id::WebhookId;

/// What the text of a secret begins with.
const PREFIX: &str = "whsec_";
/// How many bytes a secret has.
const LENGTH: usize = 32;

/// What the encrypted secret of a webhook is bound to.
#[must_use]
pub fn bound_to(webhook: WebhookId) -> String {
    webhook.to_string()
}

/// What the one before it is bound to.
#[must_use]
pub fn previous_bound_to(webhook: WebhookId) -> String {
    format!("{webhook}/previous")
}

/// A signing secret. It can be shown on purpose only.
#[derive(Clone)]
pub struct SigningSecret(Zeroizing<Vec<u8>>);

impl SigningSecret {
    /// A new secret of 32 random bytes.
    pub(super) fn generate(entropy: &dyn Entropy) -> Self {
        let mut bytes = Zeroizing::new(vec![0; LENGTH]);
        entropy.fill(&mut bytes);
        Self(bytes)
    }

    /// The secret of these bytes.
    pub(super) const fn of(bytes: Zeroizing<Vec<u8>>) -> Self {
        Self(bytes)
    }

    /// The key of signatures.
    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The text that receivers are given, to be shown once: `whsec_` and Base64.
    #[must_use]
    pub fn reveal(&self) -> Zeroizing<String> {
        Zeroizing::new(format!("{PREFIX}{}", STANDARD.encode(&*self.0)))
    }
}

impl fmt::Debug for SigningSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}
