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

-- A bot that was deleted for good is hidden at once by deleted_at, and its content goes bit by bit. Its state says
-- 'trashed' as well. The name stands in the configuration, too, so that lists of names need not read it.
CREATE TABLE bots (
    id UUID NOT NULL,
    project_id UUID NOT NULL REFERENCES projects (id),
    name TEXT NOT NULL,
    kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('regular', 'demo', 'template')),
    state TEXT COLLATE "C" NOT NULL CHECK (state IN ('active', 'archived', 'trashed')),
    large_config UUID,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    deleted_at BIGINT,
    config TEXT NOT NULL,
    PRIMARY KEY (project_id, id)
);

-- Operators and jobs know it by its identifier alone.
CREATE INDEX bots_ids ON bots (id);

-- With the name, so that a list of names reads the index only.
CREATE INDEX bots_live ON bots (project_id, id, name)
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
    id UUID NOT NULL DEFAULT gen_random_uuid(),
    project_id UUID NOT NULL,
    -- How many bytes all its parts have.
    bytes BIGINT NOT NULL,
    -- How many bots have it. The row goes with the last one.
    bots BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (project_id, id)
);

-- Its text, in parts: neither the database nor its driver needs a buffer for all of it, which the driver of PostgreSQL
-- would keep.
CREATE TABLE large_config_parts (
    id UUID NOT NULL,
    project_id UUID NOT NULL,
    -- From 0, without gaps.
    number BIGINT NOT NULL,
    content TEXT NOT NULL,
    PRIMARY KEY (project_id, id, number),
    FOREIGN KEY (project_id, id) REFERENCES large_configs (project_id, id) ON DELETE CASCADE
);

CREATE FUNCTION count_bots_of_large_config() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'DELETE' AND NEW.large_config IS NOT NULL THEN
        UPDATE large_configs SET bots = bots + 1 WHERE project_id = NEW.project_id AND id = NEW.large_config;
    END IF;
    IF TG_OP <> 'INSERT' AND OLD.large_config IS NOT NULL THEN
        UPDATE large_configs SET bots = bots - 1 WHERE project_id = OLD.project_id AND id = OLD.large_config;
        DELETE FROM large_configs WHERE project_id = OLD.project_id AND id = OLD.large_config AND bots = 0;
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER bots_begin_with_large_config AFTER INSERT ON bots
    FOR EACH ROW WHEN (NEW.large_config IS NOT NULL) EXECUTE FUNCTION count_bots_of_large_config();
CREATE TRIGGER bots_change_large_config AFTER UPDATE OF large_config ON bots
    FOR EACH ROW WHEN (NEW.large_config IS DISTINCT FROM OLD.large_config)
    EXECUTE FUNCTION count_bots_of_large_config();
CREATE TRIGGER bots_end_with_large_config AFTER DELETE ON bots
    FOR EACH ROW WHEN (OLD.large_config IS NOT NULL) EXECUTE FUNCTION count_bots_of_large_config();

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
    PRIMARY KEY (project_id, bot_id, id),
    FOREIGN KEY (project_id, bot_id) REFERENCES bots (project_id, id)
);

-- The sum of a bot's sizes is taken of this index alone.
CREATE INDEX stages_sizes ON stages (project_id, bot_id, size);

-- The scripts of a stage are long and seldom change. SQLite writes a row anew, with all its pages, if one column of it
-- changes, and the rename of a skill changes many stages. A stage without scripts has no row here.
CREATE TABLE stage_scripts (
    stage_id UUID NOT NULL,
    project_id UUID NOT NULL,
    bot_id UUID NOT NULL,
    enter_js TEXT,
    exit_js TEXT,
    pre_condition_js TEXT,
    PRIMARY KEY (project_id, bot_id, stage_id),
    FOREIGN KEY (project_id, bot_id, stage_id) REFERENCES stages (project_id, bot_id, id) ON DELETE CASCADE
);

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
    id UUID NOT NULL,
    project_id UUID NOT NULL REFERENCES projects (id),
    kind TEXT COLLATE "C" NOT NULL,
    sha256 TEXT COLLATE "C" NOT NULL CHECK (length(sha256) = 64),
    size BIGINT NOT NULL,
    state TEXT COLLATE "C" NOT NULL CHECK (state IN ('present', 'deleting')),
    created_at BIGINT NOT NULL,
    PRIMARY KEY (project_id, id)
);

-- Operators and jobs know it by its identifier alone.
CREATE INDEX blobs_ids ON blobs (id);

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

-- Entries of a bot, and entries of a project itself; the owner is the one or the other. The value comes
-- last, so that a look at the rest need not read through it.
CREATE TABLE keyval_entries (
    project_id UUID NOT NULL REFERENCES projects (id),
    -- The bot, or the project itself.
    owner_id UUID NOT NULL,
    user_id TEXT COLLATE "C" NOT NULL,
    type TEXT COLLATE "C" NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    id UUID NOT NULL,
    bot_id UUID GENERATED ALWAYS AS (nullif(owner_id, project_id)) STORED,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    accessed_at BIGINT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (project_id, owner_id, user_id, type, key),
    FOREIGN KEY (project_id, bot_id) REFERENCES bots (project_id, id)
);

-- By which a bot that goes is known to have no entries. It stays small, because entries of one bot share
-- one key in it.
CREATE INDEX keyval_entries_of_bot ON keyval_entries (project_id, bot_id) WHERE bot_id IS NOT NULL;

-- What has a key, or keys that begin alike, whoever it belongs to.
CREATE INDEX keyval_entries_of_key ON keyval_entries (project_id, owner_id, key, user_id, type);

CREATE TABLE max_age_rules (
    id UUID NOT NULL,
    project_id UUID NOT NULL REFERENCES projects (id),
    key_pattern TEXT NOT NULL,
    max_age_seconds DOUBLE PRECISION NOT NULL CHECK (max_age_seconds > 0),
    -- Where the clean-up stopped that goes through the entries of a project: in at most one of its rules, after the
    -- address in this JSON array, or before all entries if that is empty.
    position TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (project_id, id)
);

CREATE INDEX max_age_rules_stopped ON max_age_rules (project_id, id) WHERE position IS NOT NULL;

-- A user who was deleted is hidden at once; what belongs to the user goes bit by bit.
CREATE TABLE users (
    id UUID NOT NULL,
    project_id UUID NOT NULL,
    bot_id UUID NOT NULL,
    guest_id TEXT COLLATE "C" NOT NULL,
    messages BIGINT NOT NULL,
    tokens BIGINT NOT NULL,
    last_active_at BIGINT,
    reset_at BIGINT,
    -- Whether a supervisor may look into any of the history.
    supervised BOOLEAN NOT NULL,
    -- The latest message that a supervisor may read.
    chat_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    deleted_at BIGINT,
    fields TEXT NOT NULL,
    PRIMARY KEY (project_id, bot_id, id),
    FOREIGN KEY (project_id, bot_id) REFERENCES bots (project_id, id)
);

CREATE UNIQUE INDEX users_guests ON users (project_id, bot_id, guest_id) WHERE deleted_at IS NULL;
CREATE INDEX users_in_order ON users (project_id, bot_id, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX users_supervised ON users (project_id, bot_id, created_at, id)
    WHERE deleted_at IS NULL AND supervised;
CREATE INDEX users_in_chat ON users (project_id, bot_id, chat_at, id)
    WHERE deleted_at IS NULL AND chat_at IS NOT NULL;
CREATE INDEX users_deleted ON users (project_id, bot_id, id) WHERE deleted_at IS NOT NULL;

CREATE TABLE history_items (
    id UUID NOT NULL,
    project_id UUID NOT NULL,
    bot_id UUID NOT NULL,
    user_id UUID NOT NULL,
    role TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    supervisor_enabled BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (project_id, bot_id, id),
    FOREIGN KEY (project_id, bot_id, user_id) REFERENCES users (project_id, bot_id, id)
);

CREATE INDEX history_items_of_user ON history_items (project_id, bot_id, user_id, id);
CREATE INDEX history_items_in_chat ON history_items (project_id, bot_id, user_id, created_at, id)
    WHERE kind = 'message' AND supervisor_enabled;

CREATE TABLE usage_statistics (
    id UUID NOT NULL,
    project_id UUID NOT NULL,
    bot_id UUID NOT NULL,
    day TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    model TEXT COLLATE "C" NOT NULL,
    requests BIGINT NOT NULL,
    input_tokens BIGINT NOT NULL,
    output_tokens BIGINT NOT NULL,
    characters BIGINT NOT NULL,
    seconds DOUBLE PRECISION NOT NULL,
    cost DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (project_id, bot_id, id),
    UNIQUE (project_id, bot_id, day, kind, model),
    FOREIGN KEY (project_id, bot_id) REFERENCES bots (project_id, id)
);

-- What users said stays when they go, so there is no reference to them.
CREATE TABLE feedback_entries (
    id UUID NOT NULL,
    project_id UUID NOT NULL,
    bot_id UUID NOT NULL,
    message_id TEXT COLLATE "C" NOT NULL,
    user_id TEXT COLLATE "C",
    guest_id TEXT COLLATE "C",
    rating TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    comment TEXT,
    question TEXT,
    answer TEXT,
    PRIMARY KEY (project_id, bot_id, id),
    FOREIGN KEY (project_id, bot_id) REFERENCES bots (project_id, id)
);

CREATE INDEX feedback_entries_in_order ON feedback_entries (project_id, bot_id, created_at, id);

-- What one crawl found. When it has ended the set never changes again, and every crawl may refer to it.
CREATE TABLE page_sets (
    id UUID NOT NULL,
    project_id UUID NOT NULL REFERENCES projects (id),
    created_at BIGINT NOT NULL,
    sealed_at BIGINT,
    PRIMARY KEY (project_id, id)
);

-- Operators and jobs know it by its identifier alone.
CREATE INDEX page_sets_ids ON page_sets (id);

-- An address that a crawl found is pending until it was fetched; then it is a page, or another address of one.
-- The content comes last, so that a look at the rest need not read through it.
CREATE TABLE pages (
    id UUID,
    project_id UUID NOT NULL,
    page_set_id UUID NOT NULL,
    number BIGINT NOT NULL,
    url TEXT COLLATE "C" NOT NULL,
    depth BIGINT NOT NULL CHECK (depth BETWEEN 0 AND 10),
    state TEXT COLLATE "C" NOT NULL CHECK (state IN ('pending', 'done', 'alias')),
    status_code BIGINT,
    size BIGINT NOT NULL,
    content_hash TEXT COLLATE "C" CHECK (length(content_hash) = 64),
    scraped_at BIGINT,
    error TEXT COLLATE "C",
    title TEXT,
    content TEXT,
    PRIMARY KEY (project_id, page_set_id, number),
    FOREIGN KEY (project_id, page_set_id) REFERENCES page_sets (project_id, id),
    CHECK ((state = 'done') = (id IS NOT NULL)),
    CHECK ((state = 'done') = (scraped_at IS NOT NULL)),
    CHECK ((content IS NULL) = (content_hash IS NULL)),
    CHECK ((state = 'done') = ((content IS NULL) <> (error IS NULL)))
);

-- A page stands in a set once.
CREATE UNIQUE INDEX pages_urls ON pages (project_id, page_set_id, url);

CREATE TABLE website_crawls (
    id UUID NOT NULL,
    project_id UUID NOT NULL,
    bot_id UUID NOT NULL,
    page_set_id UUID NOT NULL,
    url TEXT COLLATE "C" NOT NULL,
    depth BIGINT NOT NULL CHECK (depth BETWEEN 0 AND 10),
    skill_id TEXT COLLATE "C",
    description TEXT,
    name TEXT NOT NULL,
    active BOOLEAN NOT NULL,
    status TEXT COLLATE "C" NOT NULL CHECK (status IN ('queued', 'running', 'finished', 'failed', 'cancelled')),
    error TEXT COLLATE "C",
    pages_scraped BIGINT NOT NULL,
    pages_failed BIGINT NOT NULL,
    -- Whether the pages that the site's sitemaps name are among those of the page set.
    sitemaps_read BOOLEAN NOT NULL DEFAULT FALSE,
    bytes BIGINT NOT NULL,
    started_at BIGINT,
    finished_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (project_id, bot_id, id),
    CHECK ((status IN ('finished', 'failed', 'cancelled')) = (finished_at IS NOT NULL)),
    FOREIGN KEY (project_id, bot_id) REFERENCES bots (project_id, id),
    FOREIGN KEY (project_id, page_set_id) REFERENCES page_sets (project_id, id)
);

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
    id UUID NOT NULL,
    project_id UUID NOT NULL REFERENCES projects (id),
    extraction_id UUID NOT NULL,
    number BIGINT NOT NULL,
    char_start BIGINT NOT NULL,
    char_end BIGINT NOT NULL,
    page BIGINT,
    -- How many bytes the headings and the text have.
    size BIGINT NOT NULL,
    heading TEXT,
    text TEXT NOT NULL,
    PRIMARY KEY (project_id, extraction_id, number)
);

CREATE TABLE documents (
    id UUID NOT NULL,
    project_id UUID NOT NULL REFERENCES projects (id),
    blob_id UUID NOT NULL,
    file_name TEXT NOT NULL,
    mime_type TEXT NOT NULL,
    size BIGINT NOT NULL,
    sha256 TEXT COLLATE "C" NOT NULL CHECK (length(sha256) = 64),
    skill_id TEXT COLLATE "C",
    function_name TEXT,
    extraction_id UUID,
    extraction_status TEXT COLLATE "C" NOT NULL
        CHECK (extraction_status IN ('none', 'queued', 'running', 'finished', 'failed')),
    extraction_error TEXT COLLATE "C",
    extraction_finished_at BIGINT,
    -- The extraction of which the document's chunks are.
    chunks_of UUID,
    chunk_count BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    settings TEXT NOT NULL,
    PRIMARY KEY (project_id, id),
    CHECK ((extraction_status = 'none') = (extraction_id IS NULL)),
    CHECK ((extraction_status = 'failed') = (extraction_error IS NOT NULL)),
    FOREIGN KEY (project_id, blob_id) REFERENCES blobs (project_id, id)
);

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
    id UUID NOT NULL,
    project_id UUID NOT NULL,
    bot_id UUID NOT NULL,
    document_id UUID NOT NULL,
    skill_id TEXT COLLATE "C",
    function_name TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (project_id, bot_id, id),
    UNIQUE (project_id, bot_id, document_id),
    FOREIGN KEY (project_id, bot_id) REFERENCES bots (project_id, id),
    FOREIGN KEY (project_id, document_id) REFERENCES documents (project_id, id)
);

CREATE INDEX bot_documents_of_document ON bot_documents (project_id, document_id, bot_id);
CREATE INDEX bot_documents_for_skill ON bot_documents (project_id, bot_id, skill_id, id)
    WHERE skill_id IS NOT NULL;

-- No list of kinds: newer code may note jobs of kinds that older code leaves alone.
CREATE TABLE jobs (
    id UUID NOT NULL PRIMARY KEY,
    kind TEXT COLLATE "C" NOT NULL,
    subject TEXT NOT NULL,
    project_id UUID REFERENCES projects (id),
    -- Whose turn it is. Jobs of no project come after those of all projects.
    owner_id UUID GENERATED ALWAYS AS (coalesce(project_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff')) STORED,
    state TEXT COLLATE "C" NOT NULL CHECK (state IN ('queued', 'running', 'failed')),
    attempt BIGINT NOT NULL,
    failures BIGINT NOT NULL,
    run_at BIGINT NOT NULL,
    leased_until BIGINT,
    -- How far a job is that goes through much in many steps, so that the node which goes on with it need not begin again.
    position TEXT,
    last_error TEXT,
    created_at BIGINT NOT NULL,
    CHECK ((state = 'running') = (leased_until IS NOT NULL))
);

-- A queued job is due when its time has come, a running one when its lease has run out. What is due of a kind is found
-- without visiting the jobs of others.
CREATE INDEX jobs_due ON jobs (kind, coalesce(leased_until, run_at), id) WHERE state <> 'failed';
-- Where the next project is found that has a job of a kind, and what has been due for longest of it.
CREATE INDEX jobs_turns ON jobs (kind, owner_id, coalesce(leased_until, run_at), id)
    WHERE state <> 'failed';
-- Where a job waits until another of its kind ends.
CREATE INDEX jobs_waiting ON jobs (project_id, kind, created_at, id) WHERE state = 'queued';
