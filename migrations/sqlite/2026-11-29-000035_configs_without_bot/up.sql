-- A large configuration that no bot has any more is removed bit by bit, by a job: to remove all of it at once would keep
-- the writer for as long as to store it.
DROP TRIGGER bots_change_large_config;
DROP TRIGGER bots_end_with_large_config;

CREATE TRIGGER bots_change_large_config AFTER UPDATE OF large_config ON bots
    WHEN NEW.large_config IS NOT OLD.large_config
BEGIN
    UPDATE large_configs SET bots = bots + 1 WHERE project_id = NEW.project_id AND id = NEW.large_config;
    UPDATE large_configs SET bots = bots - 1 WHERE project_id = OLD.project_id AND id = OLD.large_config;
END;

CREATE TRIGGER bots_end_with_large_config AFTER DELETE ON bots WHEN OLD.large_config IS NOT NULL
BEGIN
    UPDATE large_configs SET bots = bots - 1 WHERE project_id = OLD.project_id AND id = OLD.large_config;
END;

-- How many of a project no bot has.
CREATE INDEX large_configs_unused ON large_configs (project_id) WHERE bots = 0;
