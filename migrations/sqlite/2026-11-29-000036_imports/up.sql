-- Files for bots of which a part is stored, or that must not be stored twice: the hash of the file and of the bot, how many
-- of its records are stored, whether that is all, and when the last of them were. A complete one is known for a month, and
-- goes with the next import of the project after that; all go with their bot.
CREATE TABLE imports (
    project_id BLOB NOT NULL REFERENCES projects (id),
    sha256 TEXT NOT NULL,
    bot_id BLOB NOT NULL,
    records INTEGER NOT NULL,
    is_complete INTEGER NOT NULL CHECK (is_complete IN (0, 1)),
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (project_id, sha256),
    FOREIGN KEY (project_id, bot_id) REFERENCES bots (project_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX imports_of_bots ON imports (project_id, bot_id);
