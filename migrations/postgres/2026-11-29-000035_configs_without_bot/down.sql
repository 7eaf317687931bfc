DROP INDEX large_configs_unused;
CREATE OR REPLACE FUNCTION count_bots_of_large_config() RETURNS trigger LANGUAGE plpgsql AS $$
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
DELETE FROM large_configs WHERE bots = 0;
