-- Entries of a bot, and entries of a project itself; the owner is the one or the other. The value comes
-- last, so that a look at the rest need not read through it.
CREATE TABLE keyval_entries (
    owner_id UUID NOT NULL,
    user_id TEXT COLLATE "C" NOT NULL,
    type TEXT COLLATE "C" NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    id UUID NOT NULL,
    project_id UUID NOT NULL REFERENCES projects (id),
    bot_id UUID,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    accessed_at BIGINT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (owner_id, user_id, type, key),
    CHECK (owner_id = coalesce(bot_id, project_id)),
    FOREIGN KEY (project_id, bot_id) REFERENCES bots (project_id, id)
);

-- By which a bot that goes is known to have no entries. It stays small, because entries of one bot share
-- one key in it.
CREATE INDEX keyval_entries_of_bot ON keyval_entries (project_id, bot_id) WHERE bot_id IS NOT NULL;

-- What has a key, or keys that begin alike, whoever it belongs to.
CREATE INDEX keyval_entries_of_key ON keyval_entries (owner_id, key, user_id, type);

CREATE TABLE max_age_rules (
    id UUID NOT NULL,
    project_id UUID NOT NULL REFERENCES projects (id),
    key_pattern TEXT NOT NULL,
    max_age_seconds DOUBLE PRECISION NOT NULL CHECK (max_age_seconds > 0),
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (project_id, id)
);

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
    removed_at BIGINT,
    fields TEXT NOT NULL,
    PRIMARY KEY (project_id, bot_id, id),
    FOREIGN KEY (project_id, bot_id) REFERENCES bots (project_id, id)
);

CREATE UNIQUE INDEX users_guests ON users (project_id, bot_id, guest_id) WHERE removed_at IS NULL;
CREATE INDEX users_in_order ON users (project_id, bot_id, created_at, id) WHERE removed_at IS NULL;
CREATE INDEX users_supervised ON users (project_id, bot_id, created_at, id)
    WHERE removed_at IS NULL AND supervised;
CREATE INDEX users_in_chat ON users (project_id, bot_id, chat_at, id)
    WHERE removed_at IS NULL AND chat_at IS NOT NULL;
CREATE INDEX users_removed ON users (project_id, bot_id, id) WHERE removed_at IS NOT NULL;

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
