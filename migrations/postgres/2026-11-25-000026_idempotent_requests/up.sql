-- Requests with an Idempotency-Key, with their answers. A row without an answer stands for a request that is carried out
-- until its lease ends. Rows sort by their identifiers, which begin with the time. The hashes are SHA-256.
CREATE TABLE idempotent_requests (
    project_id UUID NOT NULL REFERENCES projects (id),
    token_id UUID NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    id UUID NOT NULL,
    -- Of method, path and query.
    target TEXT NOT NULL,
    lease_until BIGINT NOT NULL,
    -- Of which content is in the answer.
    bot_id UUID,
    -- Of the body of the request.
    body TEXT,
    entity_tag TEXT,
    answer TEXT,
    -- What the row counts for.
    bytes BIGINT NOT NULL,
    PRIMARY KEY (project_id, token_id, key),
    CHECK ((answer IS NULL) = (body IS NULL)),
    FOREIGN KEY (project_id, bot_id) REFERENCES bots (project_id, id)
);

CREATE INDEX idempotent_requests_of_project ON idempotent_requests (project_id, id, bytes);
CREATE INDEX idempotent_requests_of_bot ON idempotent_requests (project_id, bot_id, id) WHERE bot_id IS NOT NULL;
CREATE INDEX idempotent_requests_by_time ON idempotent_requests (id);
