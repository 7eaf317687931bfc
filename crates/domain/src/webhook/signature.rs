//! Signatures of messages (Standard Webhooks 1.0, "Signature scheme").

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use super::SigningSecret;

/// The header `webhook-signature`: for each secret `v1,` and Base64 of HMAC-SHA256 over `id.timestamp.body`, with a
/// blank between two. The timestamp is in seconds since 1970 in UTC.
pub(super) fn sign(secrets: &[SigningSecret], id: &str, timestamp: i64, body: &str) -> String {
    let signatures: Vec<_> = secrets
        .iter()
        .filter_map(|secret| Hmac::<Sha256>::new_from_slice(secret.as_bytes()).ok())
        .map(|mut mac| {
            mac.update(format!("{id}.{timestamp}.").as_bytes());
            mac.update(body.as_bytes());
            format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
        })
        .collect();
    signatures.join(" ")
}

#[cfg(test)]
mod tests {
    use zeroize::Zeroizing;

    use super::*;

    /// The example of the standard's reference libraries.
    #[test]
    fn a_message_is_signed_as_the_standard_says() {
        let key = STANDARD.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let secret = SigningSecret::of(Zeroizing::new(key));
        let (id, body) = ("msg_p5jXN8AQM9LWM0D4loKWxJek", r#"{"test": 2432232314}"#);
        let expected = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
        assert_eq!(sign(std::slice::from_ref(&secret), id, 1_614_265_330, body), expected);
        let both = sign(&[secret.clone(), secret], id, 1_614_265_330, body);
        assert_eq!(both, format!("{expected} {expected}"));
    }
}
