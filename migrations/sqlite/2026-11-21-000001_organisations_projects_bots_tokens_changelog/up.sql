-- Identifiers are the 16 bytes of UUIDs, times are milliseconds since 1970, switches are 0 or 1.
-- Every table below the project has project_id, and foreign keys carry it, so that no row can point
-- into another project.

CREATE TABLE organisations (
    id BLOB NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE projects (
    id BLOB NOT NULL PRIMARY KEY,
    organisation_id BLOB NOT NULL REFERENCES organisations (id),
    name TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE (organisation_id, id)
) STRICT;

CREATE TABLE bots (
    id BLOB NOT NULL PRIMARY KEY,
    project_id BLOB NOT NULL REFERENCES projects (id),
    kind TEXT NOT NULL CHECK (kind IN ('regular', 'demo', 'template')),
    state TEXT NOT NULL CHECK (state IN ('active', 'archived', 'trashed')),
    config TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (project_id, id)
) STRICT;

CREATE INDEX bots_live ON bots (project_id, id) WHERE state = 'active' AND kind = 'regular';
CREATE INDEX bots_in_trash ON bots (updated_at, id) WHERE state = 'trashed';

CREATE TABLE tokens (
    id BLOB NOT NULL PRIMARY KEY,
    organisation_id BLOB NOT NULL,
    project_id BLOB NOT NULL,
    owner TEXT NOT NULL CHECK (owner IN ('project', 'bot')),
    bot_id BLOB,
    digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
    last_four TEXT NOT NULL,
    name TEXT NOT NULL,
    scopes TEXT NOT NULL,
    read_only INTEGER NOT NULL CHECK (read_only IN (0, 1)),
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER,
    last_used_at INTEGER,
    CHECK ((owner = 'bot') = (bot_id IS NOT NULL)),
    FOREIGN KEY (organisation_id, project_id) REFERENCES projects (organisation_id, id),
    FOREIGN KEY (project_id, bot_id) REFERENCES bots (project_id, id)
) STRICT;

CREATE INDEX tokens_of_bot ON tokens (project_id, bot_id, id);

CREATE TABLE changelog_entries (
    id BLOB NOT NULL,
    project_id BLOB NOT NULL,
    bot_id BLOB NOT NULL,
    at INTEGER NOT NULL,
    actor_token_id BLOB,
    actor_name TEXT,
    actor_scheme TEXT CHECK (actor_scheme IN ('APIKeyHeader', 'APIKeyHeaderProject')),
    action TEXT NOT NULL,
    resource TEXT NOT NULL,
    resource_id TEXT NOT NULL,
    changes TEXT NOT NULL,
    PRIMARY KEY (project_id, bot_id, id),
    -- An actor is there as a whole or not at all.
    CHECK ((actor_token_id IS NULL) = (actor_name IS NULL)),
    CHECK ((actor_token_id IS NULL) = (actor_scheme IS NULL)),
    FOREIGN KEY (project_id, bot_id) REFERENCES bots (project_id, id)
) STRICT;
