-- A large configuration that no bot has any more is removed bit by bit, by a job: to remove all of it at once would keep
-- a session for as long as to store it.
CREATE OR REPLACE FUNCTION count_bots_of_large_config() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'DELETE' AND NEW.large_config IS NOT NULL THEN
        UPDATE large_configs SET bots = bots + 1 WHERE project_id = NEW.project_id AND id = NEW.large_config;
    END IF;
    IF TG_OP <> 'INSERT' AND OLD.large_config IS NOT NULL THEN
        UPDATE large_configs SET bots = bots - 1 WHERE project_id = OLD.project_id AND id = OLD.large_config;
    END IF;
    RETURN NULL;
END $$;

-- How many of a project no bot has.
CREATE INDEX large_configs_unused ON large_configs (project_id) WHERE bots = 0;
