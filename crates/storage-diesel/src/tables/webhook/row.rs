//! The row of a webhook.

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable, Text};
use domain::StorageError;
use domain::clock::Timestamp;
use domain::encryption::EncryptedSecret;
use domain::id::{BotId, OrganisationId};
use domain::webhook::{
    DeliveryState, DisabledReason, StoredWebhook, WaitingWebhook, Webhook, WebhookFields,
    WebhookFilter, WebhookSecrets, WebhookUrl,
};

use crate::engine::tx::{broken, decode, number};
use crate::sql::columns::{IdColumn, Stored};
use crate::sql::id::Id;
use crate::sql::schema::webhooks;

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = webhooks, treat_none_as_null = true, treat_none_as_default_value = false)]
pub(super) struct WebhookRow {
    id: IdColumn,
    pub(super) project_id: IdColumn,
    url: String,
    types: String,
    bot_ids: Option<String>,
    description: Option<String>,
    enabled: bool,
    disabled_reason: Option<String>,
    failing_since: Option<i64>,
    secret: Vec<u8>,
    previous_secret: Option<Vec<u8>>,
    previous_until: Option<i64>,
    cursor: i64,
    blocked_by: Option<IdColumn>,
    created_at: i64,
    updated_at: i64,
}

/// What deliveries change of a webhook.
#[derive(AsChangeset)]
#[diesel(table_name = webhooks, treat_none_as_null = true)]
pub(super) struct StateColumns {
    enabled: bool,
    disabled_reason: Option<String>,
    failing_since: Option<i64>,
    cursor: i64,
    blocked_by: Option<IdColumn>,
    updated_at: i64,
}

impl StateColumns {
    pub(super) fn of(stored: &StoredWebhook) -> Result<Self, StorageError> {
        let StoredWebhook { webhook, state, .. } = stored;
        Ok(Self {
            enabled: webhook.fields.enabled,
            disabled_reason: webhook.disabled_reason.map(|reason| reason.as_str().to_owned()),
            failing_since: webhook.failing_since.map(Timestamp::millis),
            cursor: number(state.cursor)?,
            blocked_by: state.blocked_by.map(|delivery| delivery.to_column()),
            updated_at: webhook.updated_at.millis(),
        })
    }
}

/// The types of the columns of a [`BehindRow`].
pub(super) type BehindColumns = (Id, Id, Id, Text, Nullable<Text>, BigInt);

/// A webhook that is behind, as far as it must be known to find out what it is sent.
#[derive(Queryable)]
pub(super) struct BehindRow {
    id: IdColumn,
    organisation_id: IdColumn,
    project_id: IdColumn,
    types: String,
    bot_ids: Option<String>,
    cursor: i64,
}

impl TryFrom<BehindRow> for WaitingWebhook {
    type Error = StorageError;

    fn try_from(row: BehindRow) -> Result<Self, StorageError> {
        let id = Stored::from_column(row.id);
        let types = types(row.id, &row.types)?;
        let bots = row.bot_ids.map(|text| bots(row.id, &text)).transpose()?;
        Ok(Self {
            id,
            organisation_id: Stored::from_column(row.organisation_id),
            project_id: Stored::from_column(row.project_id),
            filter: WebhookFilter::new(id, &types, bots),
            cursor: cursor(row.id, row.cursor)?,
        })
    }
}

fn types(id: IdColumn, text: &str) -> Result<Vec<String>, StorageError> {
    decode("webhooks.types", id, serde_json::from_str(text).ok())
}

fn bots(id: IdColumn, text: &str) -> Result<Vec<BotId>, StorageError> {
    let texts: Option<Vec<String>> = serde_json::from_str(text).ok();
    let bots = texts.and_then(|texts| texts.iter().map(|text| BotId::parse(text)).collect());
    decode("webhooks.bot_ids", id, bots)
}

fn cursor(id: IdColumn, number: i64) -> Result<u64, StorageError> {
    decode("webhooks.cursor", id, u64::try_from(number).ok())
}

impl WebhookRow {
    pub(super) fn of(stored: &StoredWebhook) -> Result<Self, StorageError> {
        let StoredWebhook { webhook, secrets, state, .. } = stored;
        let fields = &webhook.fields;
        let bot_ids = fields.bot_ids.as_ref().map(|bots| list(bots)).transpose()?;
        let (previous_secret, previous_until) = match &secrets.previous {
            Some((secret, until)) => (Some(secret.as_bytes().to_vec()), Some(until.millis())),
            None => (None, None),
        };
        Ok(Self {
            id: webhook.id.to_column(),
            project_id: webhook.project_id.to_column(),
            url: fields.url.as_str().to_owned(),
            types: list(&fields.types)?,
            bot_ids,
            description: fields.description.clone(),
            enabled: fields.enabled,
            disabled_reason: webhook.disabled_reason.map(|reason| reason.as_str().to_owned()),
            failing_since: webhook.failing_since.map(Timestamp::millis),
            secret: secrets.current.as_bytes().to_vec(),
            previous_secret,
            previous_until,
            cursor: number(state.cursor)?,
            blocked_by: state.blocked_by.map(|delivery| delivery.to_column()),
            created_at: webhook.created_at.millis(),
            updated_at: webhook.updated_at.millis(),
        })
    }

    /// The webhook in the row, of a project of this organisation.
    pub(super) fn stored(
        self,
        organisation_id: OrganisationId,
    ) -> Result<StoredWebhook, StorageError> {
        let id = self.id;
        let reason =
            |word: String| decode("webhooks.disabled_reason", id, DisabledReason::parse(&word));
        let secret = |bytes| decode("webhooks.secret", id, EncryptedSecret::from_bytes(bytes));
        let previous = self.previous_secret.map(secret).transpose()?;
        let until = self.previous_until.map(Timestamp::from_millis);
        let webhook = Webhook {
            id: Stored::from_column(id),
            project_id: Stored::from_column(self.project_id),
            fields: WebhookFields {
                url: decode("webhooks.url", id, WebhookUrl::parse(&self.url).ok())?,
                types: types(id, &self.types)?,
                bot_ids: self.bot_ids.map(|text| bots(id, &text)).transpose()?,
                description: self.description,
                enabled: self.enabled,
            },
            disabled_reason: self.disabled_reason.map(reason).transpose()?,
            failing_since: self.failing_since.map(Timestamp::from_millis),
            created_at: Timestamp::from_millis(self.created_at),
            updated_at: Timestamp::from_millis(self.updated_at),
        };
        let blocked_by = self.blocked_by.map(Stored::from_column);
        Ok(StoredWebhook {
            organisation_id,
            webhook,
            secrets: WebhookSecrets {
                current: secret(self.secret)?,
                previous: previous.zip(until),
            },
            state: DeliveryState { cursor: cursor(id, self.cursor)?, blocked_by },
        })
    }
}

fn list(items: &[impl serde::Serialize]) -> Result<String, StorageError> {
    serde_json::to_string(items).map_err(|error| broken(error.to_string()))
}
