-- What stands for a token once, for a minute, where the token itself may not be shown. Of ticket and token there is only
-- the digest.
CREATE TABLE tickets (
    digest BLOB NOT NULL PRIMARY KEY,
    project_id BLOB NOT NULL REFERENCES projects (id),
    scheme TEXT NOT NULL,
    token BLOB NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX tickets_of_tokens ON tickets (token, expires_at);
CREATE INDEX tickets_by_end ON tickets (expires_at);
