//! Encrypting all secrets with another key.

use super::{EncryptedSecretRepository, EncryptionKeyId, SecretCipher, StoredSecret};
use crate::access::Operator;
use crate::error::DomainError;

/// How many secrets are in memory at once.
const AT_ONCE: u32 = 500;

/// Encrypts every secret of the database with this key; returns how many there are.
pub(super) fn encrypt_all_anew<R>(
    secrets: &mut R,
    operator: Operator,
    cipher: &dyn SecretCipher,
    key: EncryptionKeyId,
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
            let secret = cipher.decrypt(&encrypted, &bound_to)?;
            let encrypted = cipher.encrypt(key, &secret, &bound_to)?;
            secrets.replace_encrypted_secret(operator, &StoredSecret { bound_to, encrypted })?;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::encryption::{CipherError, EncryptedSecret};
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
            let done = encrypt_all_anew(&mut secrets, OPERATOR, &cipher, new);
            assert_eq!(done, Ok(count));
            for (bound_to, secret) in &secrets.0 {
                assert_eq!(secret.key(), new);
                assert_eq!(*cipher.decrypt(secret, bound_to).unwrap(), bound_to.as_bytes());
            }
        }
        let failed = encrypt_all_anew(&mut secrets, OPERATOR, &cipher, lost);
        assert_eq!(failed, Err(CipherError::UnknownKey(lost).into()));
    }
}
