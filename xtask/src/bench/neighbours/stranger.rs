//! Tokens in the right form that do not exist. Anybody can make them: the checksum of a token is no secret.

use anyhow::{Context as _, Result};

/// The digits of the checksum, and how many it has.
const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const CHECKSUM_LENGTH: usize = 6;
/// How many of the random digits are replaced.
const NUMBER_LENGTH: usize = 10;

/// The token of this number, of the kind that another is.
pub fn token(like: &str, number: u32) -> Result<String> {
    let kept = like.len().checked_sub(NUMBER_LENGTH + CHECKSUM_LENGTH);
    let kept = kept.and_then(|kept| like.get(..kept)).context("a token is longer")?;
    let body = format!("{kept}{number:0NUMBER_LENGTH$}");
    let checksum = checksum(&body);
    Ok(body + &checksum)
}

/// CRC-32 in base 62.
fn checksum(body: &str) -> String {
    let mut rest = crc32fast::hash(body.as_bytes());
    let mut digits = Vec::with_capacity(CHECKSUM_LENGTH);
    for _ in 0..CHECKSUM_LENGTH {
        let digit = DIGITS.get(rest as usize % DIGITS.len()).copied().unwrap_or_default();
        digits.push(char::from(digit));
        rest /= DIGITS.len() as u32;
    }
    digits.iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_differ_and_have_the_checksum_of_tokens() {
        // As a token is made: "123456789" has the checksum "3jZRME".
        assert_eq!(checksum("123456789"), "3jZRME");
        let like = format!("bpk_{}", "a".repeat(49));
        let made = token(&like, 7).unwrap();
        assert_eq!(made.len(), like.len());
        assert!(made.starts_with("bpk_aaa") && made.contains("0000000007"), "{made}");
        assert!(token("short", 7).is_err());
    }
}
