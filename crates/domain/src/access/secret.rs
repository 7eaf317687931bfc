//! The secret text of a token: how it is made, checked, and turned into what is stored.
//!
//! `byb_` (bot) or `byp_` (project), 43 base62 characters, then 6 base62 characters of CRC-32 over
//! all before them: the form that secret scanners know how to look for
//! (`\bby[bp]_[0-9A-Za-z]{49}\b`).

use std::fmt;

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use super::Scheme;
use crate::entropy::Entropy;

const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// 62 to the power of 43 is just over 2 to the power of 256.
const RANDOM_LENGTH: usize = 43;
const CHECKSUM_LENGTH: usize = 6;
const PREFIX_LENGTH: usize = 4;
const LENGTH: usize = PREFIX_LENGTH + RANDOM_LENGTH + CHECKSUM_LENGTH;
/// What a ticket begins with.
const TICKET_PREFIX: &str = "byt_";
/// What each token and each ticket begins with.
pub const SECRET_PREFIXES: [&str; 3] =
    [Scheme::Bot.token_prefix(), Scheme::Project.token_prefix(), TICKET_PREFIX];
/// So many characters behind a prefix are more than a word that looks alike. A part of a token that is shorter gives
/// nothing away: what is missing has 160 bits.
const PART_LENGTH: usize = 16;

/// The plain text of a token. It can be shown on purpose only, and leaves no trace in memory.
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// A new token text from 256 random bits.
    #[must_use]
    pub fn generate(scheme: Scheme, entropy: &dyn Entropy) -> Self {
        Self::beginning(scheme.token_prefix(), entropy)
    }

    /// The same of a ticket, which stands for a token once.
    pub(super) fn ticket(entropy: &dyn Entropy) -> Self {
        Self::beginning(TICKET_PREFIX, entropy)
    }

    fn beginning(prefix: &str, entropy: &dyn Entropy) -> Self {
        let mut text = Zeroizing::new(String::with_capacity(LENGTH));
        text.push_str(prefix);
        let mut random = Zeroizing::new([0_u8; 64]);
        while text.len() < PREFIX_LENGTH + RANDOM_LENGTH {
            entropy.fill(random.as_mut_slice());
            let missing = PREFIX_LENGTH + RANDOM_LENGTH - text.len();
            // Bytes from 248 on are thrown away: a remainder over all 256 would favour some letters.
            let letters = random.iter().filter(|byte| **byte < 248);
            text.extend(letters.take(missing).map(|byte| base62(u32::from(*byte))));
        }
        let checksum = checksum(text.as_bytes());
        text.extend(checksum.map(char::from));
        Self(text)
    }

    /// The text itself, to be printed once.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// What is stored of it.
    #[must_use]
    pub fn digest(&self) -> TokenDigest {
        TokenDigest::of(self.0.as_bytes())
    }

    /// The last four characters, by which a person recognises a token.
    #[must_use]
    pub fn last_four(&self) -> String {
        self.0.chars().skip(LENGTH - 4).collect()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// SHA-256 of a whole token. No salt and no slow hash: 256 random bits can't be guessed, and every
/// request pays for it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TokenDigest([u8; 32]);

impl TokenDigest {
    /// The digest of a presented text; `None` if it can't be a token of this scheme, so that junk
    /// costs no look-up.
    #[must_use]
    pub fn of_presented(scheme: Scheme, text: &[u8]) -> Option<Self> {
        Self::of_text(scheme.token_prefix(), text)
    }

    /// The same of a ticket.
    pub(super) fn of_ticket(text: &[u8]) -> Option<Self> {
        Self::of_text(TICKET_PREFIX, text)
    }

    fn of_text(prefix: &str, text: &[u8]) -> Option<Self> {
        let (body, given) = text.split_last_chunk::<CHECKSUM_LENGTH>()?;
        let well_formed = text.len() == LENGTH
            && body.starts_with(prefix.as_bytes())
            && body.iter().skip(PREFIX_LENGTH).all(u8::is_ascii_alphanumeric)
            && checksum(body) == *given;
        well_formed.then(|| Self::of(text))
    }

    fn of(text: &[u8]) -> Self {
        Self(Sha256::digest(text).into())
    }

    /// A digest as it was stored.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The digest as it is stored.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Equality that takes the same time whatever the bytes are.
    #[must_use]
    pub fn matches(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl fmt::Debug for TokenDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenDigest(***)")
    }
}

/// Whether a text holds a token or a ticket, or so much of one that it must not be repeated, as after a slip in copying
/// it.
#[must_use]
pub fn contains_token(text: &[u8]) -> bool {
    let begins_with_token = |part: &[u8]| {
        SECRET_PREFIXES.iter().any(|prefix| {
            let rest = part.strip_prefix(prefix.as_bytes());
            rest.is_some_and(|rest| rest.iter().all(u8::is_ascii_alphanumeric))
        })
    };
    text.windows(PREFIX_LENGTH + PART_LENGTH).any(begins_with_token)
}

/// CRC-32 (ISO-HDLC) in base62, most significant digit first.
fn checksum(body: &[u8]) -> [u8; CHECKSUM_LENGTH] {
    let mut rest = crc32fast::hash(body);
    let mut digits = [b'0'; CHECKSUM_LENGTH];
    for digit in digits.iter_mut().rev() {
        *digit = base62(rest) as u8;
        rest /= 62;
    }
    digits
}

fn base62(value: u32) -> char {
    ALPHABET.get(value as usize % ALPHABET.len()).map_or('0', |letter| char::from(*letter))
}

#[cfg(test)]
#[expect(clippy::string_slice, reason = "tokens are ASCII")]
mod tests {
    use super::*;
    use crate::testing::SeededEntropy;

    #[test]
    fn a_token_has_the_published_form() {
        let entropy = SeededEntropy::new(1);
        for scheme in [Scheme::Bot, Scheme::Project] {
            let secret = Secret::generate(scheme, &entropy);
            let text = secret.reveal();
            assert_eq!(text.len(), 53);
            assert!(text.starts_with(scheme.token_prefix()));
            assert!(text[4..].bytes().all(|byte| byte.is_ascii_alphanumeric()));
            assert!(text.ends_with(&secret.last_four()));
            assert_eq!(TokenDigest::of_presented(scheme, text.as_bytes()), Some(secret.digest()));
        }
    }

    #[test]
    fn a_checksum_is_that_of_the_published_algorithm() {
        // CRC-32 of "123456789" is 0xCBF43926 (the check value of its catalogue entry).
        assert_eq!(crc32fast::hash(b"123456789"), 0xcbf4_3926);
        assert_eq!(&checksum(b"123456789"), b"3jZRME".as_slice().first_chunk().unwrap());
    }

    #[test]
    fn junk_is_no_token() {
        let secret = Secret::generate(Scheme::Bot, &SeededEntropy::new(2));
        let good = secret.reveal();
        let last = if good.ends_with('a') { "b" } else { "a" };
        let wrong_checksum = format!("{}{last}", &good[..52]);
        let other_scheme = good.replacen("byb_", "byp_", 1);
        let long = format!("{good}a");
        for junk in
            ["", "byb_", &good[..52], &long, &wrong_checksum, &other_scheme, &"é".repeat(27)]
        {
            assert_eq!(TokenDigest::of_presented(Scheme::Bot, junk.as_bytes()), None, "{junk}");
        }
        assert_eq!(TokenDigest::of_presented(Scheme::Project, good.as_bytes()), None);
    }

    #[test]
    fn a_token_is_found_in_a_text_also_in_part() {
        let secret = Secret::generate(Scheme::Project, &SeededEntropy::new(5));
        let token = secret.reveal();
        let header = format!("X-Project-Api-Key: {token}");
        for text in [token, &header, &token[..20], &format!("{token}a"), &format!("byb_{token}")] {
            assert!(contains_token(text.as_bytes()), "{text}");
        }
        for text in ["", &token[..19], &token[4..], "byp_of-the-customer-relations", "byp_"] {
            assert!(!contains_token(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn every_letter_is_as_likely_as_any_other() {
        let entropy = SeededEntropy::new(3);
        let mut seen = std::collections::BTreeMap::<char, u32>::new();
        for _ in 0..2_000 {
            let secret = Secret::generate(Scheme::Bot, &entropy);
            for letter in secret.reveal()[4..47].chars() {
                *seen.entry(letter).or_default() += 1;
            }
        }
        // 86 000 letters: 1 387 of each on average, with a standard deviation of 37.
        assert_eq!(seen.len(), 62);
        assert!(seen.values().all(|count| (1_200..1_575).contains(count)), "{seen:?}");
    }

    #[test]
    fn a_secret_does_not_show_itself() {
        let secret = Secret::generate(Scheme::Bot, &SeededEntropy::new(4));
        assert_eq!(format!("{secret:?}"), "***");
        assert!(!format!("{:?}", secret.digest()).contains(char::is_numeric));
    }
}
