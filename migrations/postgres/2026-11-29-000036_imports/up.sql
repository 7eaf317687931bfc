-- Files for bots of which a part is stored, or that must not be stored twice: the hash of the file and of the bot, how many
-- of its records are stored, whether that is all, and when the last of them were. A complete one is known for a month, and
-- goes with the next import of the project after that; all go with their bot.
CREATE TABLE imports (
    project_id UUID NOT NULL REFERENCES projects (id),
    sha256 TEXT COLLATE "C" NOT NULL,
    bot_id UUID NOT NULL,
    records BIGINT NOT NULL,
    is_complete BOOLEAN NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (project_id, sha256),
    FOREIGN KEY (project_id, bot_id) REFERENCES bots (project_id, id) ON DELETE CASCADE
);

CREATE INDEX imports_of_bots ON imports (project_id, bot_id);
