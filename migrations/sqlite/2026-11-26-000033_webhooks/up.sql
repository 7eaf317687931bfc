-- What is sent to other servers when something happens in a project. `types` and `bot_ids` are lists as JSON. Secrets are
-- encrypted with a key that is not in the database. `cursor` is the number up to which events were looked at, `blocked_by` the
-- delivery for which the events behind it wait.
CREATE TABLE webhooks (
    id BLOB NOT NULL PRIMARY KEY,
    project_id BLOB NOT NULL REFERENCES projects (id),
    url TEXT NOT NULL,
    types TEXT NOT NULL,
    bot_ids TEXT,
    description TEXT,
    enabled INTEGER NOT NULL,
    disabled_reason TEXT,
    failing_since INTEGER,
    secret BLOB NOT NULL,
    previous_secret BLOB,
    previous_until INTEGER,
    cursor INTEGER NOT NULL,
    blocked_by BLOB,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    CHECK ((previous_secret IS NULL) = (previous_until IS NULL)),
    CHECK (enabled IN (0, 1))
) STRICT, WITHOUT ROWID;

CREATE INDEX webhooks_of_projects ON webhooks (project_id, id);

-- Events that were sent to webhooks at least once. They go with their event, and after their webhook.
CREATE TABLE webhook_deliveries (
    webhook_id BLOB NOT NULL,
    id BLOB NOT NULL,
    project_id BLOB NOT NULL REFERENCES projects (id),
    event_number INTEGER NOT NULL,
    event_id BLOB NOT NULL,
    event_type TEXT NOT NULL,
    status TEXT NOT NULL,
    attempts TEXT NOT NULL,
    failures INTEGER NOT NULL,
    next_attempt_at INTEGER,
    PRIMARY KEY (webhook_id, id),
    CHECK ((status = 'waiting') = (next_attempt_at IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, next_attempt_at) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX webhook_deliveries_of_events ON webhook_deliveries (project_id, event_number);
