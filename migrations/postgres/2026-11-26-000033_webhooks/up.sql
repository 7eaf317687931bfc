-- What is sent to other servers when something happens in a project. `types` and `bot_ids` are lists as JSON. Secrets are
-- encrypted with a key that is not in the database. `cursor` is the number up to which events were looked at, `blocked_by` the
-- delivery for which the events behind it wait.
CREATE TABLE webhooks (
    id UUID NOT NULL PRIMARY KEY,
    project_id UUID NOT NULL REFERENCES projects (id),
    url TEXT NOT NULL,
    types TEXT NOT NULL,
    bot_ids TEXT,
    description TEXT,
    enabled BOOLEAN NOT NULL,
    disabled_reason TEXT,
    failing_since BIGINT,
    secret BYTEA NOT NULL,
    previous_secret BYTEA,
    previous_until BIGINT,
    cursor BIGINT NOT NULL,
    blocked_by UUID,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    CHECK ((previous_secret IS NULL) = (previous_until IS NULL))
);

CREATE INDEX webhooks_of_projects ON webhooks (project_id, id);

-- Events that were sent to webhooks at least once. They go with their event, and after their webhook.
CREATE TABLE webhook_deliveries (
    webhook_id UUID NOT NULL,
    id UUID NOT NULL,
    project_id UUID NOT NULL REFERENCES projects (id),
    event_number BIGINT NOT NULL,
    event_id UUID NOT NULL,
    event_type TEXT NOT NULL,
    status TEXT NOT NULL,
    attempts TEXT NOT NULL,
    failures BIGINT NOT NULL,
    next_attempt_at BIGINT,
    PRIMARY KEY (webhook_id, id),
    CHECK ((status = 'waiting') = (next_attempt_at IS NOT NULL))
);

CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, next_attempt_at) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX webhook_deliveries_of_events ON webhook_deliveries (project_id, event_number);
