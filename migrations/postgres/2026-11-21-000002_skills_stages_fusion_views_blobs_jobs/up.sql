-- A bot that was deleted for good is hidden at once, and its content goes bit by bit. Its state says
-- 'trashed', so that code which does not know removed_at does not find it either.
ALTER TABLE bots ADD COLUMN removed_at BIGINT;

DROP INDEX bots_live;
DROP INDEX bots_in_trash;
CREATE INDEX bots_live ON bots (project_id, id)
    WHERE state = 'active' AND kind = 'regular' AND removed_at IS NULL;
CREATE INDEX bots_in_trash ON bots (updated_at, id)
    WHERE state = 'trashed' AND removed_at IS NULL;
-- What counts against the quota is counted in this index alone.
CREATE INDEX bots_there ON bots (project_id, removed_at);

CREATE TABLE skills (
    id UUID NOT NULL,
    project_id UUID NOT NULL,
    bot_id UUID NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    skill_id TEXT COLLATE "C" NOT NULL,
    description TEXT,
    enabled BOOLEAN NOT NULL,
    content TEXT,
    params TEXT,
    tool_call_answer TEXT,
    answer_mode TEXT COLLATE "C" NOT NULL,
    size BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (project_id, bot_id, id),
    UNIQUE (project_id, bot_id, skill_id),
    UNIQUE (project_id, bot_id, name),
    FOREIGN KEY (project_id, bot_id) REFERENCES bots (project_id, id)
);

-- The sum of a bot's sizes is taken of this index alone.
CREATE INDEX skills_sizes ON skills (project_id, bot_id, size);

-- The scripts come last, so that a look at the skills need not read through them.
CREATE TABLE stages (
    id UUID NOT NULL,
    project_id UUID NOT NULL,
    bot_id UUID NOT NULL,
    title TEXT NOT NULL,
    name TEXT NOT NULL,
    hidden BOOLEAN,
    footer BOOLEAN,
    force_skills BOOLEAN,
    size BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    skills TEXT,
    enter_js TEXT,
    exit_js TEXT,
    pre_condition_js TEXT,
    PRIMARY KEY (project_id, bot_id, id),
    FOREIGN KEY (project_id, bot_id) REFERENCES bots (project_id, id)
);

-- The sum of a bot's sizes is taken of this index alone.
CREATE INDEX stages_sizes ON stages (project_id, bot_id, size);

CREATE TABLE visual_blocks (
    id UUID NOT NULL,
    project_id UUID NOT NULL,
    bot_id UUID NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    content TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (project_id, bot_id, id),
    UNIQUE (project_id, bot_id, name),
    FOREIGN KEY (project_id, bot_id) REFERENCES bots (project_id, id)
);

CREATE TABLE blobs (
    id UUID NOT NULL PRIMARY KEY,
    project_id UUID NOT NULL REFERENCES projects (id),
    kind TEXT COLLATE "C" NOT NULL,
    sha256 TEXT COLLATE "C" NOT NULL CHECK (length(sha256) = 64),
    size BIGINT NOT NULL,
    state TEXT COLLATE "C" NOT NULL CHECK (state IN ('present', 'deleting')),
    created_at BIGINT NOT NULL,
    UNIQUE (project_id, id)
);

CREATE UNIQUE INDEX blobs_present ON blobs (project_id, kind, sha256) WHERE state = 'present';
-- The sum of a project's sizes is taken of this index alone.
CREATE INDEX blobs_sizes ON blobs (project_id, size);

CREATE TABLE fusion_views (
    id UUID NOT NULL,
    project_id UUID NOT NULL,
    bot_id UUID NOT NULL,
    type TEXT COLLATE "C" NOT NULL,
    title TEXT NOT NULL,
    blob_id UUID,
    file_name TEXT,
    file_mime_type TEXT,
    file_size BIGINT,
    file_sha256 TEXT COLLATE "C",
    file_entries BIGINT,
    file_uploaded_at BIGINT,
    size BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
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
);

-- The sum of a bot's sizes is taken of this index alone.
CREATE INDEX fusion_views_sizes ON fusion_views (project_id, bot_id, size);

CREATE INDEX fusion_views_of_blob ON fusion_views (project_id, blob_id) WHERE blob_id IS NOT NULL;

-- No list of kinds: newer code may note jobs of kinds that older code leaves alone.
CREATE TABLE jobs (
    id UUID NOT NULL PRIMARY KEY,
    kind TEXT COLLATE "C" NOT NULL,
    subject TEXT NOT NULL,
    project_id UUID REFERENCES projects (id),
    state TEXT COLLATE "C" NOT NULL CHECK (state IN ('queued', 'running', 'failed')),
    attempt BIGINT NOT NULL,
    failures BIGINT NOT NULL,
    run_at BIGINT NOT NULL,
    leased_until BIGINT,
    last_error TEXT,
    created_at BIGINT NOT NULL,
    CHECK ((state = 'running') = (leased_until IS NOT NULL))
);

-- A queued job is due when its time has come, a running one when its lease has run out.
CREATE INDEX jobs_due ON jobs (coalesce(leased_until, run_at), id) WHERE state <> 'failed';
