DROP INDEX large_configs_unused;
DROP TRIGGER bots_change_large_config;
DROP TRIGGER bots_end_with_large_config;
DELETE FROM large_configs WHERE bots = 0;

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
