-- Entries of a bot, and entries of a project itself; the owner is the one or the other. The value comes
-- last, so that a look at the rest need not read through it. Keys decide about order and pages, so the
-- table is kept in their order.
CREATE TABLE keyval_entries (
    owner_id BLOB NOT NULL,
    user_id TEXT NOT NULL,
    type TEXT NOT NULL,
    key TEXT NOT NULL,
    id BLOB NOT NULL,
    project_id BLOB NOT NULL REFERENCES projects (id),
    bot_id BLOB,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    accessed_at INTEGER NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (owner_id, user_id, type, key),
    CHECK (owner_id = coalesce(bot_id, project_id))
) STRICT, WITHOUT ROWID;

-- An entry points to its bot, and a bot with entries stays. A foreign key would need an index that begins
-- with project and bot, as large as the addresses of all entries, or walk through all of them whenever a
-- bot goes; the owner, with which the table begins, says the same.
CREATE TRIGGER keyval_entries_have_their_bot BEFORE INSERT ON keyval_entries
    WHEN NEW.bot_id IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM bots WHERE project_id = NEW.project_id AND id = NEW.bot_id)
BEGIN
    SELECT RAISE(ABORT, 'FOREIGN KEY constraint failed');
END;
CREATE TRIGGER bots_outlive_their_keyval_entries BEFORE DELETE ON bots
    WHEN EXISTS (SELECT 1 FROM keyval_entries WHERE owner_id = OLD.id)
BEGIN
    SELECT RAISE(ABORT, 'FOREIGN KEY constraint failed');
END;

-- What has a key, or keys that begin alike, whoever it belongs to.
CREATE INDEX keyval_entries_of_key ON keyval_entries (owner_id, key, user_id, type);

CREATE TABLE max_age_rules (
    id BLOB NOT NULL,
    project_id BLOB NOT NULL REFERENCES projects (id),
    key_pattern TEXT NOT NULL,
    max_age_seconds REAL NOT NULL CHECK (max_age_seconds > 0),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (project_id, id)
) STRICT;

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
    removed_at INTEGER,
    fields TEXT NOT NULL,
    PRIMARY KEY (project_id, bot_id, id),
    FOREIGN KEY (project_id, bot_id) REFERENCES bots (project_id, id)
) STRICT;

CREATE UNIQUE INDEX users_guests ON users (project_id, bot_id, guest_id) WHERE removed_at IS NULL;
CREATE INDEX users_in_order ON users (project_id, bot_id, created_at, id) WHERE removed_at IS NULL;
CREATE INDEX users_supervised ON users (project_id, bot_id, created_at, id)
    WHERE removed_at IS NULL AND supervised;
CREATE INDEX users_in_chat ON users (project_id, bot_id, chat_at, id)
    WHERE removed_at IS NULL AND chat_at IS NOT NULL;
CREATE INDEX users_removed ON users (project_id, bot_id, id) WHERE removed_at IS NOT NULL;

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
