//! Webhooks and their deliveries in the database.

mod delivery;
mod row;
mod secret;

use std::iter::repeat;

use diesel::prelude::*;
use domain::StorageError;
use domain::access::{Operator, ProjectScope};
use domain::id::{DeliveryId, OrganisationId, ProjectId, WebhookId};
use domain::lock::Lock;
use domain::webhook::{Delivery, StoredWebhook, WaitingWebhook, Webhook, WebhookRepository};

use self::delivery::DeliveryRow;
use self::row::{BehindColumns, BehindRow, StateColumns, WebhookRow};
use crate::engine::db::on_db;
use crate::engine::tx::{Tx, broken, find_locked, number};
use crate::sql::cached_update::cached_update;
use crate::sql::columns::{IdColumn, Stored};
use crate::sql::schema::{projects, webhook_deliveries as deliveries, webhooks};
use crate::sql::statement::Statement;
use crate::tables::bot_rows::after;

/// A webhook of the project.
macro_rules! one {
    ($scope:expr, $id:expr) => {
        webhooks::table
            .filter(webhooks::project_id.eq($scope.project_id().to_column()))
            .filter(webhooks::id.eq($id.to_column()))
    };
}

/// The deliveries of a webhook of the project.
macro_rules! of_webhook {
    ($scope:expr, $webhook:expr) => {
        deliveries::table
            .filter(deliveries::webhook_id.eq($webhook.to_column()))
            .filter(deliveries::project_id.eq($scope.project_id().to_column()))
    };
}

fn check(scope: &ProjectScope, project: ProjectId) -> Result<(), StorageError> {
    if project != scope.project_id() {
        return Err(broken("a webhook of another project was to be stored"));
    }
    Ok(())
}

fn deliveries_of(rows: Vec<DeliveryRow>) -> Result<Vec<Delivery>, StorageError> {
    rows.into_iter().map(Delivery::try_from).collect()
}

impl Tx<'_> {
    /// Removes the deliveries whose keys are selected behind these words.
    fn remove_deliveries_of(&mut self, keys: Statement<()>) -> Result<u32, StorageError> {
        let removed = self.query(|db| on_db!(db, db => keys.execute(db)))?;
        u32::try_from(removed).map_err(|_| broken("more deliveries removed than asked for"))
    }
}

/// The beginning of a statement that removes deliveries.
const REMOVE: &str = "DELETE FROM webhook_deliveries WHERE (webhook_id, id) IN \
    (SELECT webhook_id, id FROM webhook_deliveries WHERE ";

impl WebhookRepository for Tx<'_> {
    fn webhook(
        &mut self,
        scope: &ProjectScope,
        id: WebhookId,
        lock: Lock,
    ) -> Result<Option<StoredWebhook>, StorageError> {
        let row = find_locked!(self, lock, one!(scope, id), WebhookRow)?;
        row.map(|row| row.stored(scope.organisation_id())).transpose()
    }

    fn webhooks(
        &mut self,
        scope: &ProjectScope,
        after_id: Option<WebhookId>,
        limit: u32,
    ) -> Result<Vec<Webhook>, StorageError> {
        let query = webhooks::table
            .filter(webhooks::project_id.eq(scope.project_id().to_column()))
            .filter(webhooks::id.gt(after(after_id)))
            .order(webhooks::id)
            .limit(i64::from(limit));
        let rows: Vec<WebhookRow> =
            self.look_up(|db| on_db!(db, db => query.select(WebhookRow::as_select()).load(db)))?;
        let stored = rows.into_iter().map(|row| row.stored(scope.organisation_id()));
        stored.map(|stored| Ok(stored?.webhook)).collect()
    }

    fn insert_webhook(
        &mut self,
        scope: &ProjectScope,
        stored: &StoredWebhook,
    ) -> Result<(), StorageError> {
        check(scope, stored.webhook.project_id)?;
        let row = WebhookRow::of(stored)?;
        self.change_one(
            "inserting a webhook",
            |db| on_db!(db, db => diesel::insert_into(webhooks::table).values(&row).execute(db)),
        )
    }

    fn update_webhook(
        &mut self,
        scope: &ProjectScope,
        stored: &StoredWebhook,
    ) -> Result<(), StorageError> {
        check(scope, stored.webhook.project_id)?;
        let row = WebhookRow::of(stored)?;
        self.change_one(
            "updating a webhook",
            |db| on_db!(db, db => cached_update(one!(scope, stored.webhook.id), &row).execute(db)),
        )
    }

    fn update_delivery_state(
        &mut self,
        scope: &ProjectScope,
        stored: &StoredWebhook,
    ) -> Result<(), StorageError> {
        check(scope, stored.webhook.project_id)?;
        let columns = StateColumns::of(stored)?;
        self.change_one("updating how far a webhook is", |db| {
            on_db!(db, db => cached_update(one!(scope, stored.webhook.id), &columns).execute(db))
        })
    }

    fn delete_webhook(
        &mut self,
        scope: &ProjectScope,
        id: WebhookId,
    ) -> Result<bool, StorageError> {
        let one = one!(scope, id);
        Ok(self.query(|db| on_db!(db, db => diesel::delete(one).execute(db)))? > 0)
    }

    fn webhook_to_deliver(
        &mut self,
        _: Operator,
        id: WebhookId,
        lock: Lock,
    ) -> Result<Option<StoredWebhook>, StorageError> {
        let query = webhooks::table.filter(webhooks::id.eq(id.to_column()));
        let Some(row) = find_locked!(self, lock, query, WebhookRow)? else {
            return Ok(None);
        };
        let organisation = projects::table.find(row.project_id).select(projects::organisation_id);
        let organisation: IdColumn =
            self.look_up(|db| on_db!(db, db => organisation.get_result(db)))?;
        row.stored(OrganisationId::from_column(organisation)).map(Some)
    }

    fn webhooks_behind(
        &mut self,
        _: Operator,
        projects: Option<&[ProjectId]>,
        after_id: Option<WebhookId>,
        limit: u32,
    ) -> Result<Vec<WaitingWebhook>, StorageError> {
        // The latest number is looked up for each: a join would read all events of the projects.
        let mut query: Statement<BehindColumns> = Statement::new(
            "SELECT webhooks.id, projects.organisation_id, webhooks.project_id, types, bot_ids, cursor \
             FROM webhooks JOIN projects ON projects.id = webhooks.project_id WHERE enabled AND webhooks.id > ",
        )
        .bind(after(after_id))
        .sql(
            " AND cursor < (SELECT number FROM events WHERE events.project_id = webhooks.project_id \
             AND number > 0 ORDER BY number DESC LIMIT 1) \
             AND (blocked_by IS NULL OR NOT EXISTS (SELECT 1 FROM webhook_deliveries AS blocking \
             WHERE blocking.webhook_id = webhooks.id AND blocking.id = blocked_by AND blocking.status = 'waiting'))",
        );
        if let Some(projects) = projects {
            let Some(last) = projects.last() else { return Ok(Vec::new()) };
            // The last one stands there several times, so that there are few texts: each stays prepared.
            let count = projects.len().next_power_of_two();
            let projects = projects.iter().chain(repeat(last)).take(count).map(Stored::to_column);
            query = query.sql(" AND webhooks.project_id IN (").bind_all(projects).sql(")");
        }
        let query = query.sql(" ORDER BY webhooks.id LIMIT ").bind(i64::from(limit));
        let rows: Vec<BehindRow> = self.look_up(|db| on_db!(db, db => query.load(db)))?;
        rows.into_iter().map(WaitingWebhook::try_from).collect()
    }

    fn delivery(
        &mut self,
        scope: &ProjectScope,
        (webhook, id): (WebhookId, DeliveryId),
    ) -> Result<Option<Delivery>, StorageError> {
        let query = of_webhook!(scope, webhook).filter(deliveries::id.eq(id.to_column()));
        let row: Option<DeliveryRow> = self.look_up(
            |db| on_db!(db, db => query.select(DeliveryRow::as_select()).get_result(db).optional()),
        )?;
        row.map(Delivery::try_from).transpose()
    }

    fn deliveries(
        &mut self,
        scope: &ProjectScope,
        webhook: WebhookId,
        before: Option<DeliveryId>,
        limit: u32,
    ) -> Result<Vec<Delivery>, StorageError> {
        let before = before.map_or(IdColumn::LAST, |id| id.to_column());
        let query = of_webhook!(scope, webhook)
            .filter(deliveries::id.lt(before))
            .order(deliveries::id.desc())
            .limit(i64::from(limit));
        let rows =
            self.query(|db| on_db!(db, db => query.select(DeliveryRow::as_select()).load(db)))?;
        deliveries_of(rows)
    }

    fn first_due_delivery(
        &mut self,
        scope: &ProjectScope,
        webhook: WebhookId,
    ) -> Result<Option<Delivery>, StorageError> {
        let query = of_webhook!(scope, webhook)
            .filter(deliveries::next_attempt_at.is_not_null())
            .order((deliveries::next_attempt_at, deliveries::id))
            .limit(1);
        let row: Option<DeliveryRow> = self.look_up(
            |db| on_db!(db, db => query.select(DeliveryRow::as_select()).get_result(db).optional()),
        )?;
        row.map(Delivery::try_from).transpose()
    }

    fn insert_delivery(
        &mut self,
        scope: &ProjectScope,
        delivery: &Delivery,
    ) -> Result<(), StorageError> {
        check(scope, delivery.project_id)?;
        let row = DeliveryRow::of(delivery)?;
        self.change_one(
            "inserting a delivery",
            |db| on_db!(db, db => diesel::insert_into(deliveries::table).values(&row).execute(db)),
        )
    }

    fn update_delivery(
        &mut self,
        scope: &ProjectScope,
        delivery: &Delivery,
    ) -> Result<(), StorageError> {
        let row = DeliveryRow::of(delivery)?;
        let columns = (
            deliveries::status.eq(row.status),
            deliveries::attempts.eq(row.attempts),
            deliveries::failures.eq(row.failures),
            deliveries::next_attempt_at.eq(row.next_attempt_at),
        );
        let one = of_webhook!(scope, delivery.webhook_id)
            .filter(deliveries::id.eq(delivery.id.to_column()));
        self.query(|db| on_db!(db, db => cached_update(one, columns).execute(db)))?;
        Ok(())
    }

    fn fail_waiting_deliveries(
        &mut self,
        scope: &ProjectScope,
        webhook: WebhookId,
        limit: u32,
    ) -> Result<u32, StorageError> {
        let fail: Statement<()> = Statement::new(
            "UPDATE webhook_deliveries SET status = 'failed', next_attempt_at = NULL \
             WHERE (webhook_id, id) IN (SELECT webhook_id, id FROM webhook_deliveries \
             WHERE next_attempt_at IS NOT NULL AND project_id = ",
        );
        let fail = fail
            .bind(scope.project_id().to_column())
            .sql(" AND webhook_id = ")
            .bind(webhook.to_column())
            .sql(" ORDER BY next_attempt_at, id LIMIT ")
            .bind(i64::from(limit))
            .sql(")");
        let failed = self.query(|db| on_db!(db, db => fail.execute(db)))?;
        u32::try_from(failed).map_err(|_| broken("more deliveries ended than asked for"))
    }

    fn remove_deliveries_of_webhook(
        &mut self,
        _: Operator,
        webhook: WebhookId,
        limit: u32,
    ) -> Result<u32, StorageError> {
        let keys = Statement::new(REMOVE).sql("webhook_id = ").bind(webhook.to_column());
        self.remove_deliveries_of(keys.sql(" ORDER BY id LIMIT ").bind(i64::from(limit)).sql(")"))
    }

    fn remove_deliveries(
        &mut self,
        _: Operator,
        project: ProjectId,
        through: u64,
        limit: u32,
    ) -> Result<u32, StorageError> {
        let keys = Statement::new(REMOVE)
            .sql("project_id = ")
            .bind(project.to_column())
            .sql(" AND event_number <= ")
            .bind(number(through)?)
            .sql(" ORDER BY event_number LIMIT ");
        self.remove_deliveries_of(keys.bind(i64::from(limit)).sql(")"))
    }
}
