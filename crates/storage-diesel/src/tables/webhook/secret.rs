//! The secrets of webhooks, which are encrypted anew when the key is replaced.

use diesel::prelude::*;
use domain::StorageError;
use domain::access::Operator;
use domain::encryption::{EncryptedSecret, EncryptedSecretRepository, StoredSecret};
use domain::id::WebhookId;
use domain::webhook::{bound_to, previous_bound_to};

use crate::engine::db::on_db;
use crate::engine::tx::{Tx, broken, decode};
use crate::sql::columns::{IdColumn, Stored};
use crate::sql::schema::webhooks;

/// The webhook to which a secret belongs, which is the first part of what it is bound to.
fn webhook_of(bound_to: &str) -> Option<WebhookId> {
    let (id, _) = bound_to.split_once('/').unwrap_or((bound_to, ""));
    WebhookId::parse(id)
}

impl EncryptedSecretRepository for Tx<'_> {
    fn encrypted_secrets(
        &mut self,
        _: Operator,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<StoredSecret>, StorageError> {
        let first = after.and_then(webhook_of).map_or(IdColumn::FIRST, |id| id.to_column());
        let query = webhooks::table
            .filter(webhooks::id.ge(first))
            .order(webhooks::id)
            // The first row may have been read before.
            .limit(i64::from(limit) + 1)
            .select((webhooks::id, webhooks::secret, webhooks::previous_secret));
        let rows: Vec<(IdColumn, Vec<u8>, Option<Vec<u8>>)> =
            self.look_up(|db| on_db!(db, db => query.load(db)))?;
        let mut secrets = Vec::new();
        for (id, current, previous) in rows {
            let webhook = Stored::from_column(id);
            let with_names =
                [(bound_to(webhook), Some(current)), (previous_bound_to(webhook), previous)];
            for (bound_to, bytes) in with_names {
                let Some(bytes) = bytes.filter(|_| after.is_none_or(|after| *bound_to > *after))
                else {
                    continue;
                };
                let encrypted = decode("webhooks.secret", id, EncryptedSecret::from_bytes(bytes))?;
                secrets.push(StoredSecret { bound_to, encrypted });
            }
        }
        secrets.truncate(limit as usize);
        Ok(secrets)
    }

    fn replace_encrypted_secret(
        &mut self,
        _: Operator,
        secret: &StoredSecret,
    ) -> Result<(), StorageError> {
        let missing = || broken(format!("there is no encrypted secret of {}", secret.bound_to));
        let webhook = webhook_of(&secret.bound_to).ok_or_else(missing)?;
        let bytes = secret.encrypted.as_bytes();
        let row = webhooks::table.find(webhook.to_column());
        // The webhook may have been deleted since its secret was read.
        if secret.bound_to == bound_to(webhook) {
            let update = diesel::update(row).set(webhooks::secret.eq(bytes));
            self.query(|db| on_db!(db, db => update.execute(db)))?;
        } else {
            let row = row.filter(webhooks::previous_secret.is_not_null());
            let update = diesel::update(row).set(webhooks::previous_secret.eq(bytes));
            self.query(|db| on_db!(db, db => update.execute(db)))?;
        }
        Ok(())
    }
}
