-- Times are milliseconds since 1970, keys sort by their bytes (COLLATE "C"). Every table below the project has
-- project_id, and foreign keys carry it, so that no row can point into another project.

CREATE TABLE organisations (
    id UUID NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE TABLE projects (
    id UUID NOT NULL PRIMARY KEY,
    organisation_id UUID NOT NULL REFERENCES organisations (id),
    name TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    UNIQUE (organisation_id, id)
);

CREATE TABLE bots (
    id UUID NOT NULL PRIMARY KEY,
    project_id UUID NOT NULL REFERENCES projects (id),
    kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('regular', 'demo', 'template')),
    state TEXT COLLATE "C" NOT NULL CHECK (state IN ('active', 'archived', 'trashed')),
    config TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    UNIQUE (project_id, id)
);

CREATE INDEX bots_live ON bots (project_id, id) WHERE state = 'active' AND kind = 'regular';
CREATE INDEX bots_in_trash ON bots (updated_at, id) WHERE state = 'trashed';

CREATE TABLE tokens (
    id UUID NOT NULL PRIMARY KEY,
    organisation_id UUID NOT NULL,
    project_id UUID NOT NULL,
    owner TEXT COLLATE "C" NOT NULL CHECK (owner IN ('project', 'bot')),
    bot_id UUID,
    digest BYTEA NOT NULL UNIQUE CHECK (length(digest) = 32),
    last_four TEXT NOT NULL,
    name TEXT NOT NULL,
    scopes TEXT NOT NULL,
    read_only BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    revoked_at BIGINT,
    last_used_at BIGINT,
    CHECK ((owner = 'bot') = (bot_id IS NOT NULL)),
    FOREIGN KEY (organisation_id, project_id) REFERENCES projects (organisation_id, id),
    FOREIGN KEY (project_id, bot_id) REFERENCES bots (project_id, id)
);

CREATE INDEX tokens_of_bot ON tokens (project_id, bot_id, id);

CREATE TABLE changelog_entries (
    id UUID NOT NULL,
    project_id UUID NOT NULL,
    bot_id UUID NOT NULL,
    at BIGINT NOT NULL,
    actor_token_id UUID,
    actor_name TEXT,
    actor_scheme TEXT COLLATE "C" CHECK (actor_scheme IN ('APIKeyHeader', 'APIKeyHeaderProject')),
    action TEXT COLLATE "C" NOT NULL,
    resource TEXT COLLATE "C" NOT NULL,
    resource_id TEXT COLLATE "C" NOT NULL,
    changes TEXT NOT NULL,
    PRIMARY KEY (project_id, bot_id, id),
    -- An actor is there as a whole or not at all.
    CHECK ((actor_token_id IS NULL) = (actor_name IS NULL)),
    CHECK ((actor_token_id IS NULL) = (actor_scheme IS NULL)),
    FOREIGN KEY (project_id, bot_id) REFERENCES bots (project_id, id)
);
