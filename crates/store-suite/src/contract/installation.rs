//! The installation that the database belongs to.

use std::sync::Arc;

use crate::world::{OPERATOR, World, at, together};
use domain::encryption::EncryptionKeyId;
use domain::error::{DomainError, StorageError};
use domain::id::InstallationId;
use domain::installation::Installation;
use domain::lock::Lock;
use domain::store::Store;
use domain::testing::ResolveClaim as _;

pub(crate) fn there_is_one_installation(store: Arc<dyn Store>) {
    let world = World::new(store);
    let stored = || world.read(|tx| Ok(tx.installation(OPERATOR)?));
    assert_eq!(stored(), None);
    let [first, second] = [(); 2]
        .map(|()| Installation { id: InstallationId::from_uuid(world.id()), marked_at: None });
    for begun in [first, second] {
        world.write(move |tx| Ok(tx.insert_installation_once(OPERATOR, &begun)?));
        assert_eq!(stored(), Some(first));
    }
    for changed in [Installation { marked_at: Some(at(7)), ..first }, second] {
        world.write(move |tx| Ok(tx.update_installation(OPERATOR, &changed)?));
        assert_eq!(stored(), Some(changed));
    }
}

pub(crate) fn the_installation_names_a_key_for_secrets(store: Arc<dyn Store>) {
    let world = World::new(store);
    let named = || world.read(|tx| Ok(tx.encryption_key(Lock::None)?));
    let [first, second] = [1, 2].map(|byte| EncryptionKeyId::from_bytes([byte; 8]));
    assert_eq!(named(), None);
    let refused = world.try_write(move |tx| Ok(tx.set_encryption_key(OPERATOR, first)?));
    assert!(matches!(refused, Err(DomainError::Storage(StorageError::Broken(_)))), "{refused:?}");
    let begun = Installation { id: InstallationId::from_uuid(world.id()), marked_at: None };
    world.write(move |tx| Ok(tx.insert_installation_once(OPERATOR, &begun)?));
    assert_eq!(named(), None);
    for key in [first, second] {
        world.write(move |tx| Ok(tx.set_encryption_key(OPERATOR, key)?));
        assert_eq!(named(), Some(key));
        for lock in [Lock::None, Lock::Shared, Lock::Exclusive] {
            assert_eq!(world.write(move |tx| Ok(tx.encryption_key(lock)?)), Some(key));
        }
    }
    let marked = Installation { marked_at: Some(at(7)), ..begun };
    world.write(move |tx| Ok(tx.update_installation(OPERATOR, &marked)?));
    assert_eq!(named(), Some(second));
    assert_eq!(world.read(|tx| Ok(tx.encrypted_secrets(OPERATOR, None, 1)?)), []);
}

/// The name of a key is a number here, which the units that replace it also write elsewhere.
pub(crate) fn a_key_that_is_held_is_not_replaced(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bot = world.stored_bot("bot");
    let begun = Installation { id: InstallationId::from_uuid(world.id()), marked_at: None };
    let zero = EncryptionKeyId::from_bytes([0; 8]);
    world.write(move |tx| {
        tx.insert_installation_once(OPERATOR, &begun)?;
        Ok(tx.set_encryption_key(OPERATOR, zero)?)
    });
    let number = |key: Option<EncryptionKeyId>| u64::from_be_bytes(*key.unwrap().as_bytes());
    together(24, |nth| {
        let claim = world.claim(&bot);
        world.write(move |tx| {
            if nth % 3 > 0 {
                let held = number(tx.encryption_key(Lock::Shared)?);
                let (bot, _) = claim.resolve(tx, Lock::None)?;
                let written = bot.config.active_doc_search_count.unwrap_or(0);
                assert_eq!(held, written, "the key was replaced while it was held");
                return Ok(());
            }
            let next = number(tx.encryption_key(Lock::Exclusive)?) + 1;
            let key = EncryptionKeyId::from_bytes(next.to_be_bytes());
            tx.set_encryption_key(OPERATOR, key)?;
            let (mut bot, scope) = claim.resolve(tx, Lock::Exclusive)?;
            bot.config.active_doc_search_count = Some(next);
            Ok(tx.update_bot(&scope, &bot.config.name, (&bot.config, None), bot.updated_at)?)
        });
    });
    assert_eq!(number(world.read(|tx| Ok(tx.encryption_key(Lock::None)?))), 8);
}
