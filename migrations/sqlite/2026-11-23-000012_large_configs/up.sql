-- A long configuration is not in the row of its bot, but in one of its own that copies of the bot share: to copy it
-- takes no longer than to copy a short one. Its name is not used; that is in the row of the bot.
CREATE TABLE large_configs (
    id BLOB NOT NULL DEFAULT (randomblob(16)),
    project_id BLOB NOT NULL,
    -- How many bots have it. The row goes with the last one.
    bots INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (project_id, id)
) STRICT;

-- Apart from the count: SQLite writes a row anew, with all its pages, if one column of it changes.
CREATE TABLE large_config_texts (
    id BLOB NOT NULL,
    project_id BLOB NOT NULL,
    config TEXT NOT NULL,
    PRIMARY KEY (project_id, id),
    FOREIGN KEY (project_id, id) REFERENCES large_configs (project_id, id) ON DELETE CASCADE
) STRICT;

ALTER TABLE bots ADD COLUMN large_config BLOB;

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
