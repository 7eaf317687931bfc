//! How keys are written: one a line, after a word for their kind. A line that begins with `#` is a comment.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::encryption::EncryptionKeyId;
use domain::entropy::Entropy;
use zeroize::Zeroizing;

use crate::error::{KeyFileError, LineError};
use crate::key::{KEY_BYTES, Key};

/// The word before a key.
const WORD: &str = "aes-256-gcm ";

/// What a new file begins with.
const HEAD: &str = "\
# The keys with which botyard encrypts secrets in its database. Without them those secrets are lost: keep a copy of this
# file, as long as backups of the database, and in another place. `botyard secrets rotate` replaces the keys.
";

/// The text of a new file, with one new key.
pub(crate) fn new_text(entropy: &dyn Entropy) -> Zeroizing<String> {
    with_new_key(HEAD, entropy, "")
}

/// A text with one more key, which comes before the others.
pub(crate) fn add_key(text: &str, entropy: &dyn Entropy) -> Zeroizing<String> {
    let head = text.split_inclusive('\n').take_while(|line| is_comment(line)).map(str::len).sum();
    let (head, keys) = text.split_at_checked(head).unwrap_or(("", text));
    with_new_key(head, entropy, keys)
}

/// A text without all keys but this.
pub(crate) fn only_key(text: &str, key: EncryptionKeyId) -> Zeroizing<String> {
    let mut kept = Zeroizing::new(String::with_capacity(text.len()));
    for line in text.split_inclusive('\n') {
        if is_comment(line) || read_key(line).is_ok_and(|read| read.id() == key) {
            kept.push_str(line);
        }
    }
    kept
}

fn with_new_key(head: &str, entropy: &dyn Entropy, keys: &str) -> Zeroizing<String> {
    let mut key = Zeroizing::new([0; KEY_BYTES]);
    entropy.fill(&mut *key);
    let encoded = Zeroizing::new(STANDARD.encode(*key));
    let parts = [head, WORD, &encoded, "\n", keys];
    // With room for all of it, so that no key is moved and left behind.
    let mut text = Zeroizing::new(String::with_capacity(parts.map(str::len).iter().sum()));
    parts.iter().for_each(|part| text.push_str(part));
    text
}

/// The keys of a text, in their order: at least one.
pub(crate) fn read(text: &str) -> Result<Vec<Key>, KeyFileError> {
    let mut keys: Vec<Key> = Vec::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !is_comment(line)) {
        let key = read_key(line).and_then(|key| {
            let is_new = keys.iter().all(|known| known.id() != key.id());
            if is_new { Ok(key) } else { Err(LineError::Repeated) }
        });
        keys.push(key.map_err(|error| KeyFileError::Line(index + 1, error))?);
    }
    if keys.is_empty() { Err(KeyFileError::NoKey) } else { Ok(keys) }
}

fn is_comment(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || line.starts_with('#')
}

fn read_key(line: &str) -> Result<Key, LineError> {
    let encoded = line.trim().strip_prefix(WORD).ok_or(LineError::Word)?;
    let bytes = Zeroizing::new(STANDARD.decode(encoded.trim()).map_err(|_| LineError::Key)?);
    Key::new(&bytes).ok_or(LineError::Key)
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::samples::SeededEntropy;

    fn ids(text: &str) -> Vec<EncryptionKeyId> {
        read(text).unwrap().iter().map(Key::id).collect()
    }

    #[test]
    fn a_new_key_comes_before_the_others() {
        let entropy = SeededEntropy::new(1);
        let first = new_text(&entropy);
        let both = add_key(&first, &entropy);
        let (&[old], &[new, kept]) = (&*ids(&first), &*ids(&both)) else { panic!() };
        assert_eq!(kept, old);
        assert_ne!(new, old);
        assert!(both.starts_with(HEAD) && first.starts_with(HEAD));
        assert_eq!(*only_key(&both, old), *first);
        assert_eq!(ids(&only_key(&both, new)), [new]);
    }

    #[test]
    fn comments_stay_where_they_are() {
        let entropy = SeededEntropy::new(1);
        let key = new_text(&entropy).strip_prefix(HEAD).unwrap().trim_end().to_owned();
        // Without an end of the last line, and with ends of lines of another system.
        for text in
            [format!("# a\r\n\r\n{key}\r\n# b"), format!("{key}\n# b"), format!("  # a\n  {key}  ")]
        {
            let [id] = ids(&text)[..] else { panic!() };
            let both = add_key(&text, &entropy);
            let [new, kept] = ids(&both)[..] else { panic!() };
            assert_eq!(kept, id, "{text}");
            assert_eq!(*only_key(&both, id), text);
            assert_eq!(ids(&only_key(&both, new)), [new]);
        }
    }

    #[test]
    fn what_is_no_key_is_said_with_its_line() {
        let entropy = SeededEntropy::new(1);
        let good = new_text(&entropy);
        let key = good.lines().last().unwrap();
        let encoded = key.strip_prefix(WORD).unwrap();
        let short = STANDARD.encode([1; KEY_BYTES - 1]);
        for (line, expected) in [
            (encoded.to_owned(), LineError::Word),
            (format!("aes-128-gcm {encoded}"), LineError::Word),
            (WORD.to_owned(), LineError::Word),
            (format!("{WORD}{encoded}AAAA"), LineError::Key),
            (format!("{WORD}{encoded} # of May"), LineError::Key),
            (format!("{WORD}{short}"), LineError::Key),
            (format!("{WORD}none"), LineError::Key),
            (key.to_owned(), LineError::Repeated),
        ] {
            let error = read(&format!("{key}\n\n{line}\n")).unwrap_err();
            assert!(
                matches!(error, KeyFileError::Line(3, found) if found == expected),
                "{line}: {error}"
            );
            assert!(!error.to_string().contains(encoded));
        }
        for empty in ["", "\n", HEAD] {
            assert!(matches!(read(empty), Err(KeyFileError::NoKey)), "{empty}");
        }
    }
}
