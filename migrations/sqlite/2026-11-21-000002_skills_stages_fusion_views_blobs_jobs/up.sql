-- A bot that was deleted for good is hidden at once, and its content goes bit by bit. Its state says
-- 'trashed', so that code which does not know removed_at does not find it either.
ALTER TABLE bots ADD COLUMN removed_at INTEGER;

DROP INDEX bots_live;
DROP INDEX bots_in_trash;
CREATE INDEX bots_live ON bots (project_id, id)
    WHERE state = 'active' AND kind = 'regular' AND removed_at IS NULL;
CREATE INDEX bots_in_trash ON bots (updated_at, id)
    WHERE state = 'trashed' AND removed_at IS NULL;
-- What counts against the quota is counted in this index alone.
CREATE INDEX bots_there ON bots (project_id, removed_at);

CREATE TABLE skills (
    id BLOB NOT NULL,
    project_id BLOB NOT NULL,
    bot_id BLOB NOT NULL,
    name TEXT NOT NULL,
    skill_id TEXT NOT NULL,
    description TEXT,
    enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
    content TEXT,
    params TEXT,
    tool_call_answer TEXT,
    answer_mode TEXT NOT NULL,
    size INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (project_id, bot_id, id),
    UNIQUE (project_id, bot_id, skill_id),
    UNIQUE (project_id, bot_id, name),
    FOREIGN KEY (project_id, bot_id) REFERENCES bots (project_id, id)
) STRICT;

-- The sum of a bot's sizes is taken of this index alone.
CREATE INDEX skills_sizes ON skills (project_id, bot_id, size);

-- The scripts come last, so that a look at the skills need not read through them.
CREATE TABLE stages (
    id BLOB NOT NULL,
    project_id BLOB NOT NULL,
    bot_id BLOB NOT NULL,
    title TEXT NOT NULL,
    name TEXT NOT NULL,
    hidden INTEGER CHECK (hidden IN (0, 1)),
    footer INTEGER CHECK (footer IN (0, 1)),
    force_skills INTEGER CHECK (force_skills IN (0, 1)),
    size INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    skills TEXT,
    enter_js TEXT,
    exit_js TEXT,
    pre_condition_js TEXT,
    PRIMARY KEY (project_id, bot_id, id),
    FOREIGN KEY (project_id, bot_id) REFERENCES bots (project_id, id)
) STRICT;

-- The sum of a bot's sizes is taken of this index alone.
CREATE INDEX stages_sizes ON stages (project_id, bot_id, size);

CREATE TABLE visual_blocks (
    id BLOB NOT NULL,
    project_id BLOB NOT NULL,
    bot_id BLOB NOT NULL,
    name TEXT NOT NULL,
    content TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (project_id, bot_id, id),
    UNIQUE (project_id, bot_id, name),
    FOREIGN KEY (project_id, bot_id) REFERENCES bots (project_id, id)
) STRICT;

CREATE TABLE blobs (
    id BLOB NOT NULL PRIMARY KEY,
    project_id BLOB NOT NULL REFERENCES projects (id),
    kind TEXT NOT NULL,
    sha256 TEXT NOT NULL CHECK (length(sha256) = 64),
    size INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('present', 'deleting')),
    created_at INTEGER NOT NULL,
    UNIQUE (project_id, id)
) STRICT;

CREATE UNIQUE INDEX blobs_present ON blobs (project_id, kind, sha256) WHERE state = 'present';
-- The sum of a project's sizes is taken of this index alone.
CREATE INDEX blobs_sizes ON blobs (project_id, size);

CREATE TABLE fusion_views (
    id BLOB NOT NULL,
    project_id BLOB NOT NULL,
    bot_id BLOB NOT NULL,
    type TEXT NOT NULL,
    title TEXT NOT NULL,
    blob_id BLOB,
    file_name TEXT,
    file_mime_type TEXT,
    file_size INTEGER,
    file_sha256 TEXT,
    file_entries INTEGER,
    file_uploaded_at INTEGER,
    size INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    metadata TEXT NOT NULL,
    PRIMARY KEY (project_id, bot_id, id),
    -- A file is there as a whole or not at all.
    CHECK ((blob_id IS NULL) = (file_name IS NULL)),
    CHECK ((blob_id IS NULL) = (file_mime_type IS NULL)),
    CHECK ((blob_id IS NULL) = (file_size IS NULL)),
    CHECK ((blob_id IS NULL) = (file_sha256 IS NULL)),
    CHECK ((blob_id IS NULL) = (file_entries IS NULL)),
    CHECK ((blob_id IS NULL) = (file_uploaded_at IS NULL)),
    FOREIGN KEY (project_id, bot_id) REFERENCES bots (project_id, id),
    FOREIGN KEY (project_id, blob_id) REFERENCES blobs (project_id, id)
) STRICT;

-- The sum of a bot's sizes is taken of this index alone.
CREATE INDEX fusion_views_sizes ON fusion_views (project_id, bot_id, size);

CREATE INDEX fusion_views_of_blob ON fusion_views (project_id, blob_id) WHERE blob_id IS NOT NULL;

-- No list of kinds: newer code may note jobs of kinds that older code leaves alone.
CREATE TABLE jobs (
    id BLOB NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    project_id BLOB REFERENCES projects (id),
    state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'failed')),
    attempt INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    run_at INTEGER NOT NULL,
    leased_until INTEGER,
    last_error TEXT,
    created_at INTEGER NOT NULL,
    CHECK ((state = 'running') = (leased_until IS NOT NULL))
) STRICT;

-- A queued job is due when its time has come, a running one when its lease has run out.
CREATE INDEX jobs_due ON jobs (coalesce(leased_until, run_at), id) WHERE state <> 'failed';
