//! The same for webhooks and their deliveries.

use diesel::connection::SimpleConnection;
use domain::id::{DeliveryId, ProjectId, WebhookId};
use domain::webhook::WebhookRepository as _;
use uuid::Uuid;

use super::{ID, OPERATOR, Watched, postgres, sqlite};
use crate::engine::db::OwnDb;

/// Many webhooks of many projects, and many deliveries of each of some.
const MANY: &str = "CREATE FUNCTION one_of (n INT) RETURNS UUID LANGUAGE SQL AS \
     $$ SELECT CAST(lpad(to_hex(n), 8, '0') || '-0000-7000-8000-000000000000' AS UUID) $$; \
     INSERT INTO projects (id, organisation_id, name, created_at) \
     SELECT one_of(n), organisation_id, 'p' || n, 0 FROM projects, generate_series(1, 500) AS n; \
     INSERT INTO webhooks (id, project_id, url, types, enabled, secret, cursor, created_at, updated_at) \
     SELECT one_of(n), one_of(1 + n % 500), 'http://r.example/', '[]', TRUE, '', 0, 0, 0 FROM generate_series(1, 20000) AS n; \
     INSERT INTO webhook_deliveries (webhook_id, id, project_id, event_number, event_id, event_type, status, attempts, failures) \
     SELECT one_of(1 + n % 50), one_of(n), one_of(1), n, one_of(n), 'bot.updated', 'delivered', '[]', 0 \
     FROM generate_series(1, 5000) AS n; \
     ANALYZE projects; ANALYZE webhooks; ANALYZE webhook_deliveries";

fn every_look_up_has_its_index(db: OwnDb) {
    let mut watched = Watched::new(db);
    if let OwnDb::Pg(db) = &mut watched.db {
        db.batch_execute(MANY).unwrap();
    }
    let (project, webhook) = (watched.project(), WebhookId::from_uuid(ID));
    let delivery = DeliveryId::from_uuid(ID);
    watched.check(
        |tx, _| tx.webhooks(&project, Some(webhook), 9),
        "webhooks_of_projects (project_id=? AND id>?)",
        ["Scan using webhooks_of_projects", "id > "],
    );
    watched.check(
        |tx, _| tx.deliveries(&project, webhook, Some(delivery), 9),
        "PRIMARY KEY (webhook_id=? AND id<?)",
        ["Scan Backward using webhook_deliveries_pkey", "id < "],
    );
    // Those that are due in the same millisecond are sorted.
    let plan = watched.plan(|tx, _| tx.first_due_delivery(&project, webhook));
    assert!(plan.contains("webhook_deliveries_due"), "{plan}");
    watched.check(
        |tx, _| tx.remove_deliveries_of_webhook(OPERATOR, webhook, 9),
        "PRIMARY KEY (webhook_id=?",
        ["using webhook_deliveries_pkey", "webhook_id = "],
    );
    watched.check(
        |tx, _| tx.remove_deliveries(OPERATOR, project.project_id(), 9, 9),
        "webhook_deliveries_of_events (project_id=? AND event_number<?)",
        ["using webhook_deliveries_of_events", "event_number <= "],
    );
    watched.check(
        |tx, _| tx.webhooks_behind(OPERATOR, None, Some(webhook), 9),
        "(id>?)",
        ["using webhooks_pkey", "id > "],
    );
    // Those of some projects are few, and are sorted.
    if let OwnDb::Pg(db) = &mut watched.db {
        db.batch_execute("SET LOCAL enable_sort = on; SET LOCAL enable_bitmapscan = on").unwrap();
    }
    let projects: Vec<_> = (1..=5).map(|n| ProjectId::from_uuid(Uuid::from_u128(n))).collect();
    let plan = watched.plan(|tx, _| tx.webhooks_behind(OPERATOR, Some(&projects), None, 500));
    let is_found = match watched.db {
        OwnDb::Sqlite(_) => plan.contains("webhooks_of_projects (project_id=? AND id>?)"),
        OwnDb::Pg(_) => plan.contains("webhooks_of_projects"),
    };
    assert!(is_found, "{plan}");
}

#[test]
fn every_look_up_has_its_index_on_sqlite() {
    every_look_up_has_its_index(sqlite());
}

#[test]
fn every_look_up_has_its_index_on_postgres() {
    every_look_up_has_its_index(postgres());
}
