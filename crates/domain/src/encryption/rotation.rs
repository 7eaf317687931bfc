//! Encrypting all secrets with another key.

use zeroize::Zeroizing;

use super::{CipherError, EncryptedSecretRepository, EncryptionKeyId, SecretCipher, StoredSecret};
use crate::access::Operator;
use crate::entropy::Entropy;
use crate::error::DomainError;

/// How many secrets are in memory at once.
const AT_ONCE: u32 = 500;

/// How many bytes a secret has that replaces one whose key is lost.
const REPLACED: usize = 32;

/// Encrypts every secret of the database with this key; returns how many there are. With `random`, a secret whose key
/// the cipher does not know is replaced by another one, which nobody knows.
pub(super) fn reencrypt_all<R>(
    secrets: &mut R,
    operator: Operator,
    cipher: &dyn SecretCipher,
    key: EncryptionKeyId,
    random: Option<&dyn Entropy>,
) -> Result<u64, DomainError>
where
    R: EncryptedSecretRepository + ?Sized,
{
    let (mut count, mut after) = (0, None::<String>);
    loop {
        let some = secrets.encrypted_secrets(operator, after.as_deref(), AT_ONCE)?;
        let Some(last) = some.last() else {
            return Ok(count);
        };
        after = Some(last.bound_to.clone());
        for StoredSecret { bound_to, encrypted } in some {
            count += 1;
            let secret = match (cipher.decrypt(&encrypted, &bound_to), random) {
                (Err(CipherError::UnknownKey(_)), Some(random)) => {
                    let mut replaced = Zeroizing::new(vec![0; REPLACED]);
                    random.fill(&mut replaced);
                    replaced
                }
                (decrypted, _) => decrypted?,
            };
            let encrypted = cipher.encrypt(key, &secret, &bound_to)?;
            secrets.replace_encrypted_secret(operator, &StoredSecret { bound_to, encrypted })?;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::encryption::EncryptedSecret;
    use crate::error::StorageError;
    use crate::testing::TransparentCipher;

    const OPERATOR: Operator = Operator::of_this_installation();

    #[derive(Default)]
    struct Secrets(BTreeMap<String, EncryptedSecret>);

    impl EncryptedSecretRepository for Secrets {
        fn encrypted_secrets(
            &mut self,
            _: Operator,
            after: Option<&str>,
            limit: u32,
        ) -> Result<Vec<StoredSecret>, StorageError> {
            let left =
                self.0.iter().filter(|(name, _)| after.is_none_or(|after| *name.as_str() > *after));
            let left = left.map(|(name, secret)| StoredSecret {
                bound_to: name.clone(),
                encrypted: secret.clone(),
            });
            Ok(left.take(limit as usize).collect())
        }

        fn replace_encrypted_secret(
            &mut self,
            _: Operator,
            secret: &StoredSecret,
        ) -> Result<(), StorageError> {
            let stored = self.0.get_mut(&secret.bound_to);
            let stored = stored.ok_or_else(|| StorageError::Broken("no such secret".to_owned()))?;
            *stored = secret.encrypted.clone();
            Ok(())
        }
    }

    #[test]
    fn all_secrets_get_the_new_key() {
        let [old, new, lost] = [1, 2, 3].map(|byte| EncryptionKeyId::from_bytes([byte; 8]));
        let cipher = TransparentCipher::with_keys([old, new]);
        let mut secrets = Secrets::default();
        let count = u64::from(AT_ONCE) + 1;
        for number in 0..count {
            let bound_to = format!("secret-{number}");
            let secret = cipher.encrypt(old, bound_to.as_bytes(), &bound_to).unwrap();
            secrets.0.insert(bound_to, secret);
        }
        for _ in 0..2 {
            let done = reencrypt_all(&mut secrets, OPERATOR, &cipher, new, None);
            assert_eq!(done, Ok(count));
            for (bound_to, secret) in &secrets.0 {
                assert_eq!(secret.key(), new);
                assert_eq!(*cipher.decrypt(secret, bound_to).unwrap(), bound_to.as_bytes());
            }
        }
        let failed = reencrypt_all(&mut secrets, OPERATOR, &cipher, lost, None);
        assert_eq!(failed, Err(CipherError::UnknownKey(lost).into()));
    }

    #[test]
    fn a_secret_whose_key_is_lost_is_replaced_on_request() {
        struct Same;
        impl Entropy for Same {
            fn fill(&self, buffer: &mut [u8]) {
                buffer.fill(9);
            }
        }
        let [known, new, lost] = [1, 2, 3].map(|byte| EncryptionKeyId::from_bytes([byte; 8]));
        let all = TransparentCipher::with_keys([known, new, lost]);
        let mut secrets = Secrets::default();
        for (bound_to, key) in [("a", known), ("b", lost)] {
            let secret = all.encrypt(key, b"secret", bound_to).unwrap();
            secrets.0.insert(bound_to.to_owned(), secret);
        }
        let left = TransparentCipher::with_keys([known, new]);
        let done = reencrypt_all(&mut secrets, OPERATOR, &left, new, Some(&Same));
        assert_eq!(done, Ok(2));
        assert_eq!(*left.decrypt(&secrets.0["a"], "a").unwrap(), b"secret");
        assert_eq!(*left.decrypt(&secrets.0["b"], "b").unwrap(), [9; REPLACED]);
    }
}
