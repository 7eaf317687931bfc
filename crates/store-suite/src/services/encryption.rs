//! The key with which secrets are encrypted.

use std::sync::Arc;

use domain::audit::AuditActor;
use domain::encryption::{EncryptionKeyId, Rotated};
use domain::store::Store;
use domain::testing::TransparentCipher;

use crate::services::installation::Installation;
use crate::world::{OPERATOR, at, together, wait};

fn key(byte: u8) -> EncryptionKeyId {
    EncryptionKeyId::from_bytes([byte; 8])
}

pub(crate) fn nodes_that_begin_at_once_have_one_key(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let botyard = &installation.botyard;
    assert_eq!(wait(botyard.encryption.key(OPERATOR)), Ok(None));
    wait(botyard.installation.get_or_create(OPERATOR)).unwrap();
    let begun = together(8, |number| {
        let key = key(u8::try_from(number).unwrap());
        wait(botyard.encryption.get_or_set_key(OPERATOR, key)).unwrap()
    });
    let named = wait(botyard.encryption.key(OPERATOR)).unwrap().unwrap();
    assert_eq!(begun, [named; 8]);
    // A copy of the database has the same secrets.
    wait(botyard.installation.recreate(OPERATOR)).unwrap();
    assert_eq!(wait(botyard.encryption.get_or_set_key(OPERATOR, key(9))), Ok(named));
}

pub(crate) fn a_rotation_replaces_the_key(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let actor = AuditActor {
        command: "secrets rotate".to_owned(),
        uid: 0,
        user_name: "ada".to_owned(),
        sudo_user: None,
        host: "host".to_owned(),
    };
    let botyard = installation
        .builder()
        .cipher(Arc::new(TransparentCipher::with_keys([key(1), key(2)])))
        .audit(OPERATOR, actor)
        .build();
    wait(botyard.installation.get_or_create(OPERATOR)).unwrap();
    let rotated = |from, to| Ok(Rotated { from, to, secrets: 0 });
    let mut before = None;
    for next in [key(1), key(2)] {
        assert_eq!(wait(botyard.encryption.rotate(OPERATOR, next, false)), rotated(before, next));
        assert_eq!(wait(botyard.encryption.key(OPERATOR)), Ok(Some(next)));
        before = Some(next);
    }
    let recorded = wait(botyard.audit.page(OPERATOR, at(0), None, 10)).unwrap();
    let recorded: Vec<_> =
        recorded.into_iter().map(|entry| (entry.resource, entry.subject)).collect();
    assert_eq!(recorded, [key(1), key(2)].map(|key| ("key".to_owned(), key.to_string())));
}
