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

-- A bot that was deleted for good is hidden at once by deleted_at, and its content goes bit by bit. Its state says
-- 'trashed' as well. The name stands in the configuration, too, so that lists of names need not read it.
CREATE TABLE bots (
    id BLOB NOT NULL,
    project_id BLOB NOT NULL REFERENCES projects (id),
    name TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('regular', 'demo', 'template')),
    state TEXT NOT NULL CHECK (state IN ('active', 'archived', 'trashed')),
    large_config BLOB,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    deleted_at INTEGER,
    config TEXT NOT NULL,
    PRIMARY KEY (project_id, id)
) STRICT;

-- Operators and jobs know it by its identifier alone.
CREATE INDEX bots_ids ON bots (id);

-- With the name, so that a list of names reads the index only. SQLite also reads the columns of the condition.
CREATE INDEX bots_live ON bots (project_id, id, name, state, kind, deleted_at)
    WHERE state = 'active' AND kind = 'regular' AND deleted_at IS NULL;
CREATE INDEX bots_in_trash ON bots (updated_at, id)
    WHERE state = 'trashed' AND deleted_at IS NULL;
-- What counts against the quota is counted in this index alone.
CREATE INDEX bots_there ON bots (project_id, deleted_at);
-- Copies that are not shown yet are stored as deleted bots when they are made.
CREATE INDEX bots_unpublished ON bots (project_id) WHERE deleted_at = created_at;

-- A large configuration is not in the row of its bot, but in rows of its own that copies of the bot share: to copy it
-- takes no longer than to copy a short one. Its name is not used; that is in the row of the bot.
CREATE TABLE large_configs (
    id BLOB NOT NULL DEFAULT (randomblob(16)),
    project_id BLOB NOT NULL,
    -- How many bytes all its parts have.
    bytes INTEGER NOT NULL,
    -- How many bots have it. The row goes with the last one.
    bots INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (project_id, id)
) STRICT;

-- Its text, in parts: neither the database nor its driver needs a buffer for all of it. Apart from the count, because
-- SQLite writes a row anew, with all its pages, if one column of it changes.
CREATE TABLE large_config_parts (
    id BLOB NOT NULL,
    project_id BLOB NOT NULL,
    -- From 0, without gaps.
    number INTEGER NOT NULL,
    content TEXT NOT NULL,
    PRIMARY KEY (project_id, id, number),
    FOREIGN KEY (project_id, id) REFERENCES large_configs (project_id, id) ON DELETE CASCADE
) STRICT;

CREATE TRIGGER bots_begin_with_large_config AFTER INSERT ON bots WHEN NEW.large_config IS NOT NULL
BEGIN
    UPDATE large_configs SET bots = bots + 1 WHERE project_id = NEW.project_id AND id = NEW.large_config;
END;

CREATE TRIGGER bots_change_large_config AFTER UPDATE OF large_config ON bots
    WHEN NEW.large_config IS NOT OLD.large_config
BEGIN
    UPDATE large_configs SET bots = bots + 1 WHERE project_id = NEW.project_id AND id = NEW.large_config;
    UPDATE large_configs SET bots = bots - 1 WHERE project_id = OLD.project_id AND id = OLD.large_config;
    DELETE FROM large_configs WHERE project_id = OLD.project_id AND id = OLD.large_config AND bots = 0;
END;

CREATE TRIGGER bots_end_with_large_config AFTER DELETE ON bots WHEN OLD.large_config IS NOT NULL
BEGIN
    UPDATE large_configs SET bots = bots - 1 WHERE project_id = OLD.project_id AND id = OLD.large_config;
    DELETE FROM large_configs WHERE project_id = OLD.project_id AND id = OLD.large_config AND bots = 0;
END;

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
    PRIMARY KEY (project_id, bot_id, id),
    FOREIGN KEY (project_id, bot_id) REFERENCES bots (project_id, id)
) STRICT;

-- The sum of a bot's sizes is taken of this index alone.
CREATE INDEX stages_sizes ON stages (project_id, bot_id, size);

-- The scripts of a stage are long and seldom change. SQLite writes a row anew, with all its pages, if one column of it
-- changes, and the rename of a skill changes many stages. A stage without scripts has no row here.
CREATE TABLE stage_scripts (
    stage_id BLOB NOT NULL,
    project_id BLOB NOT NULL,
    bot_id BLOB NOT NULL,
    enter_js TEXT,
    exit_js TEXT,
    pre_condition_js TEXT,
    PRIMARY KEY (project_id, bot_id, stage_id),
    FOREIGN KEY (project_id, bot_id, stage_id) REFERENCES stages (project_id, bot_id, id) ON DELETE CASCADE
) STRICT;

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
    id BLOB NOT NULL,
    project_id BLOB NOT NULL REFERENCES projects (id),
    kind TEXT NOT NULL,
    sha256 TEXT NOT NULL CHECK (length(sha256) = 64),
    size INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('present', 'deleting')),
    created_at INTEGER NOT NULL,
    PRIMARY KEY (project_id, id)
) STRICT;

-- Operators and jobs know it by its identifier alone.
CREATE INDEX blobs_ids ON blobs (id);

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

-- Entries of a bot, and entries of a project itself; the owner is the one or the other. The value comes
-- last, so that a look at the rest need not read through it. Keys decide about order and pages, so the
-- table is kept in their order.
CREATE TABLE keyval_entries (
    project_id BLOB NOT NULL REFERENCES projects (id),
    -- The bot, or the project itself.
    owner_id BLOB NOT NULL,
    user_id TEXT NOT NULL,
    type TEXT NOT NULL,
    key TEXT NOT NULL,
    id BLOB NOT NULL,
    bot_id BLOB GENERATED ALWAYS AS (nullif(owner_id, project_id)) VIRTUAL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    accessed_at INTEGER NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (project_id, owner_id, user_id, type, key)
) STRICT, WITHOUT ROWID;

-- An entry points to its bot, and a bot with entries stays. A foreign key would need an index that begins
-- with project and bot, as large as the addresses of all entries, or walk through all of them whenever a
-- bot goes; project and owner, with which the table begins, say the same.
CREATE TRIGGER keyval_entries_have_their_bot BEFORE INSERT ON keyval_entries
    WHEN NEW.owner_id <> NEW.project_id
        AND NOT EXISTS (SELECT 1 FROM bots WHERE project_id = NEW.project_id AND id = NEW.owner_id)
BEGIN
    SELECT RAISE(ABORT, 'FOREIGN KEY constraint failed');
END;
CREATE TRIGGER bots_outlive_their_keyval_entries BEFORE DELETE ON bots
    WHEN EXISTS (SELECT 1 FROM keyval_entries WHERE project_id = OLD.project_id AND owner_id = OLD.id)
BEGIN
    SELECT RAISE(ABORT, 'FOREIGN KEY constraint failed');
END;

-- What has a key, or keys that begin alike, whoever it belongs to.
CREATE INDEX keyval_entries_of_key ON keyval_entries (project_id, owner_id, key, user_id, type);

CREATE TABLE max_age_rules (
    id BLOB NOT NULL,
    project_id BLOB NOT NULL REFERENCES projects (id),
    key_pattern TEXT NOT NULL,
    max_age_seconds REAL NOT NULL CHECK (max_age_seconds > 0),
    -- Where the clean-up stopped that goes through the entries of a project: in at most one of its rules, after the
    -- address in this JSON array, or before all entries if that is empty.
    position TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (project_id, id)
) STRICT;

CREATE INDEX max_age_rules_stopped ON max_age_rules (project_id, id) WHERE position IS NOT NULL;

-- A user who was deleted is hidden at once; what belongs to the user goes bit by bit.
CREATE TABLE users (
    id BLOB NOT NULL,
    project_id BLOB NOT NULL,
    bot_id BLOB NOT NULL,
    guest_id TEXT NOT NULL,
    messages INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    last_active_at INTEGER,
    reset_at INTEGER,
    -- Whether a supervisor may look into any of the history.
    supervised INTEGER NOT NULL CHECK (supervised IN (0, 1)),
    -- The latest message that a supervisor may read.
    chat_at INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    deleted_at INTEGER,
    fields TEXT NOT NULL,
    PRIMARY KEY (project_id, bot_id, id),
    FOREIGN KEY (project_id, bot_id) REFERENCES bots (project_id, id)
) STRICT;

CREATE UNIQUE INDEX users_guests ON users (project_id, bot_id, guest_id) WHERE deleted_at IS NULL;
CREATE INDEX users_in_order ON users (project_id, bot_id, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX users_supervised ON users (project_id, bot_id, created_at, id)
    WHERE deleted_at IS NULL AND supervised;
CREATE INDEX users_in_chat ON users (project_id, bot_id, chat_at, id)
    WHERE deleted_at IS NULL AND chat_at IS NOT NULL;
CREATE INDEX users_deleted ON users (project_id, bot_id, id) WHERE deleted_at IS NOT NULL;

CREATE TABLE history_items (
    id BLOB NOT NULL,
    project_id BLOB NOT NULL,
    bot_id BLOB NOT NULL,
    user_id BLOB NOT NULL,
    role TEXT NOT NULL,
    kind TEXT NOT NULL,
    supervisor_enabled INTEGER NOT NULL CHECK (supervisor_enabled IN (0, 1)),
    created_at INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (project_id, bot_id, id),
    FOREIGN KEY (project_id, bot_id, user_id) REFERENCES users (project_id, bot_id, id)
) STRICT;

CREATE INDEX history_items_of_user ON history_items (project_id, bot_id, user_id, id);
CREATE INDEX history_items_in_chat ON history_items (project_id, bot_id, user_id, created_at, id)
    WHERE kind = 'message' AND supervisor_enabled;

CREATE TABLE usage_statistics (
    id BLOB NOT NULL,
    project_id BLOB NOT NULL,
    bot_id BLOB NOT NULL,
    day TEXT NOT NULL,
    kind TEXT NOT NULL,
    model TEXT NOT NULL,
    requests INTEGER NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    characters INTEGER NOT NULL,
    seconds REAL NOT NULL,
    cost REAL NOT NULL,
    PRIMARY KEY (project_id, bot_id, id),
    UNIQUE (project_id, bot_id, day, kind, model),
    FOREIGN KEY (project_id, bot_id) REFERENCES bots (project_id, id)
) STRICT;

-- What users said stays when they go, so there is no reference to them.
CREATE TABLE feedback_entries (
    id BLOB NOT NULL,
    project_id BLOB NOT NULL,
    bot_id BLOB NOT NULL,
    message_id TEXT NOT NULL,
    user_id TEXT,
    guest_id TEXT,
    rating TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    comment TEXT,
    question TEXT,
    answer TEXT,
    PRIMARY KEY (project_id, bot_id, id),
    FOREIGN KEY (project_id, bot_id) REFERENCES bots (project_id, id)
) STRICT;

CREATE INDEX feedback_entries_in_order ON feedback_entries (project_id, bot_id, created_at, id);

-- What one crawl found. When it has ended the set never changes again, and every crawl may refer to it.
CREATE TABLE page_sets (
    id BLOB NOT NULL,
    project_id BLOB NOT NULL REFERENCES projects (id),
    created_at INTEGER NOT NULL,
    sealed_at INTEGER,
    PRIMARY KEY (project_id, id)
) STRICT;

-- Operators and jobs know it by its identifier alone.
CREATE INDEX page_sets_ids ON page_sets (id);

-- An address that a crawl found is pending until it was fetched; then it is a page, or another address of one.
-- The content comes last, so that a look at the rest need not read through it.
CREATE TABLE pages (
    id BLOB,
    project_id BLOB NOT NULL,
    page_set_id BLOB NOT NULL,
    number INTEGER NOT NULL,
    url TEXT NOT NULL,
    depth INTEGER NOT NULL CHECK (depth BETWEEN 0 AND 10),
    state TEXT NOT NULL CHECK (state IN ('pending', 'done', 'alias')),
    status_code INTEGER,
    size INTEGER NOT NULL,
    content_hash TEXT CHECK (length(content_hash) = 64),
    scraped_at INTEGER,
    error TEXT,
    title TEXT,
    content TEXT,
    PRIMARY KEY (project_id, page_set_id, number),
    FOREIGN KEY (project_id, page_set_id) REFERENCES page_sets (project_id, id),
    CHECK ((state = 'done') = (id IS NOT NULL)),
    CHECK ((state = 'done') = (scraped_at IS NOT NULL)),
    CHECK ((content IS NULL) = (content_hash IS NULL)),
    CHECK ((state = 'done') = ((content IS NULL) <> (error IS NULL)))
) STRICT;

-- A page stands in a set once.
CREATE UNIQUE INDEX pages_urls ON pages (project_id, page_set_id, url);

CREATE TABLE website_crawls (
    id BLOB NOT NULL,
    project_id BLOB NOT NULL,
    bot_id BLOB NOT NULL,
    page_set_id BLOB NOT NULL,
    url TEXT NOT NULL,
    depth INTEGER NOT NULL CHECK (depth BETWEEN 0 AND 10),
    skill_id TEXT,
    description TEXT,
    name TEXT NOT NULL,
    active INTEGER NOT NULL CHECK (active IN (0, 1)),
    status TEXT NOT NULL CHECK (status IN ('queued', 'running', 'finished', 'failed', 'cancelled')),
    error TEXT,
    pages_scraped INTEGER NOT NULL,
    pages_failed INTEGER NOT NULL,
    -- Whether the pages that the site's sitemaps name are among those of the page set.
    sitemaps_read INTEGER NOT NULL DEFAULT 0 CHECK (sitemaps_read IN (0, 1)),
    bytes INTEGER NOT NULL,
    started_at INTEGER,
    finished_at INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (project_id, bot_id, id),
    CHECK ((status IN ('finished', 'failed', 'cancelled')) = (finished_at IS NOT NULL)),
    FOREIGN KEY (project_id, bot_id) REFERENCES bots (project_id, id),
    FOREIGN KEY (project_id, page_set_id) REFERENCES page_sets (project_id, id)
) STRICT;

-- A job knows a crawl by its identifier alone.
CREATE INDEX website_crawls_ids ON website_crawls (id);
-- While a crawl is queued or running, the same bot does not crawl the same address a second time.
CREATE UNIQUE INDEX website_crawls_going ON website_crawls (project_id, bot_id, url)
    WHERE status IN ('queued', 'running');
-- How much a project crawls at once is counted in this index alone.
CREATE INDEX website_crawls_at_once ON website_crawls (project_id, status, bot_id)
    WHERE status IN ('queued', 'running');
CREATE INDEX website_crawls_of_page_set ON website_crawls (project_id, page_set_id, bot_id);
CREATE INDEX website_crawls_for_skill ON website_crawls (project_id, bot_id, skill_id, id)
    WHERE skill_id IS NOT NULL;

-- Chunks of one extraction never change; they belong to whatever document says that its chunks are these.
CREATE TABLE chunks (
    id BLOB NOT NULL,
    project_id BLOB NOT NULL REFERENCES projects (id),
    extraction_id BLOB NOT NULL,
    number INTEGER NOT NULL,
    char_start INTEGER NOT NULL,
    char_end INTEGER NOT NULL,
    page INTEGER,
    -- How many bytes the headings and the text have.
    size INTEGER NOT NULL,
    heading TEXT,
    text TEXT NOT NULL,
    PRIMARY KEY (project_id, extraction_id, number)
) STRICT;

CREATE TABLE documents (
    id BLOB NOT NULL,
    project_id BLOB NOT NULL REFERENCES projects (id),
    blob_id BLOB NOT NULL,
    file_name TEXT NOT NULL,
    mime_type TEXT NOT NULL,
    size INTEGER NOT NULL,
    sha256 TEXT NOT NULL CHECK (length(sha256) = 64),
    skill_id TEXT,
    function_name TEXT,
    extraction_id BLOB,
    extraction_status TEXT NOT NULL
        CHECK (extraction_status IN ('none', 'queued', 'running', 'finished', 'failed')),
    extraction_error TEXT,
    extraction_finished_at INTEGER,
    -- The extraction of which the document's chunks are.
    chunks_of BLOB,
    chunk_count INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    settings TEXT NOT NULL,
    PRIMARY KEY (project_id, id),
    CHECK ((extraction_status = 'none') = (extraction_id IS NULL)),
    CHECK ((extraction_status = 'failed') = (extraction_error IS NOT NULL)),
    FOREIGN KEY (project_id, blob_id) REFERENCES blobs (project_id, id)
) STRICT;

-- A job knows an extraction by its identifier alone.
CREATE UNIQUE INDEX documents_of_extraction ON documents (extraction_id, project_id)
    WHERE extraction_id IS NOT NULL;
CREATE UNIQUE INDEX documents_of_chunks ON documents (project_id, chunks_of) WHERE chunks_of IS NOT NULL;
-- How much a project extracts at once is counted in this index alone.
CREATE INDEX documents_at_once ON documents (project_id, extraction_status)
    WHERE extraction_status IN ('queued', 'running');
CREATE INDEX documents_of_blob ON documents (project_id, blob_id);

-- A bot's copy of a document adds what is its own; all else is the document's.
CREATE TABLE bot_documents (
    id BLOB NOT NULL,
    project_id BLOB NOT NULL,
    bot_id BLOB NOT NULL,
    document_id BLOB NOT NULL,
    skill_id TEXT,
    function_name TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (project_id, bot_id, id),
    UNIQUE (project_id, bot_id, document_id),
    FOREIGN KEY (project_id, bot_id) REFERENCES bots (project_id, id),
    FOREIGN KEY (project_id, document_id) REFERENCES documents (project_id, id)
) STRICT;

CREATE INDEX bot_documents_of_document ON bot_documents (project_id, document_id, bot_id);
CREATE INDEX bot_documents_for_skill ON bot_documents (project_id, bot_id, skill_id, id)
    WHERE skill_id IS NOT NULL;

-- No list of kinds: newer code may note jobs of kinds that older code leaves alone.
CREATE TABLE jobs (
    id BLOB NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    project_id BLOB REFERENCES projects (id),
    -- Whose turn it is. Jobs of no project come after those of all projects.
    owner_id BLOB GENERATED ALWAYS AS (coalesce(project_id, x'ffffffffffffffffffffffffffffffff')) VIRTUAL,
    state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'failed')),
    attempt INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    run_at INTEGER NOT NULL,
    leased_until INTEGER,
    -- How far a job is that goes through much in many steps, so that the node which goes on with it need not begin again.
    position TEXT,
    last_error TEXT,
    created_at INTEGER NOT NULL,
    CHECK ((state = 'running') = (leased_until IS NOT NULL))
) STRICT;

-- A queued job is due when its time has come, a running one when its lease has run out. What is due of a kind is found
-- without visiting the jobs of others.
CREATE INDEX jobs_due ON jobs (kind, coalesce(leased_until, run_at), id) WHERE state <> 'failed';
-- Where the next project is found that has a job of a kind, and what has been due for longest of it.
CREATE INDEX jobs_turns ON jobs (kind, owner_id, coalesce(leased_until, run_at), id)
    WHERE state <> 'failed';
-- Where a job waits until another of its kind ends.
CREATE INDEX jobs_waiting ON jobs (project_id, kind, created_at, id) WHERE state = 'queued';
