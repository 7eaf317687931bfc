-- A long configuration is not in the row of its bot, but in one of its own that copies of the bot share: to copy it
-- takes no longer than to copy a short one. Its name is not used; that is in the row of the bot.
CREATE TABLE large_configs (
    id UUID NOT NULL DEFAULT gen_random_uuid(),
    project_id UUID NOT NULL,
    -- How many bots have it. The row goes with the last one.
    bots BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (project_id, id)
);

CREATE TABLE large_config_texts (
    id UUID NOT NULL,
    project_id UUID NOT NULL,
    config TEXT NOT NULL,
    PRIMARY KEY (project_id, id),
    FOREIGN KEY (project_id, id) REFERENCES large_configs (project_id, id) ON DELETE CASCADE
);

ALTER TABLE bots ADD COLUMN large_config UUID;

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
