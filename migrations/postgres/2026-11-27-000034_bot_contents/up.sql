-- What other nodes write is counted here or by the triggers, and nothing by neither.
LOCK TABLE bots, skills, stages, fusion_views, visual_blocks IN SHARE ROW EXCLUSIVE MODE;

-- How many bytes the skills, stages, Fusion-Views and visual blocks of a bot have, so that neither a quota of a bot nor
-- one of a project sums up their rows. The store adds a row for each new bot; triggers count what it has.
CREATE TABLE bot_contents (
    project_id UUID NOT NULL,
    bot_id UUID NOT NULL,
    bytes BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (project_id, bot_id),
    FOREIGN KEY (project_id, bot_id) REFERENCES bots (project_id, id) ON DELETE CASCADE
);

INSERT INTO bot_contents (project_id, bot_id, bytes)
    SELECT project_id, id,
        coalesce((SELECT sum(size) FROM skills AS it WHERE it.project_id = bots.project_id AND it.bot_id = bots.id), 0)
        + coalesce((SELECT sum(size) FROM stages AS it WHERE it.project_id = bots.project_id AND it.bot_id = bots.id), 0)
        + coalesce((SELECT sum(size) FROM fusion_views AS it
            WHERE it.project_id = bots.project_id AND it.bot_id = bots.id), 0)
        + coalesce((SELECT sum(octet_length(content) + 2048) FROM visual_blocks AS it
            WHERE it.project_id = bots.project_id AND it.bot_id = bots.id), 0)
    FROM bots;

-- What the sums were taken of.
DROP INDEX skills_sizes;
DROP INDEX stages_sizes;
DROP INDEX fusion_views_sizes;

-- Many rows are added and removed by one statement; each is one change of the count.
CREATE FUNCTION count_added_content() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE bot_contents AS it SET bytes = it.bytes + of_bot.bytes
        FROM (SELECT project_id, bot_id, sum(size) AS bytes FROM added GROUP BY project_id, bot_id) AS of_bot
        WHERE it.project_id = of_bot.project_id AND it.bot_id = of_bot.bot_id;
    RETURN NULL;
END $$;

CREATE FUNCTION count_removed_content() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE bot_contents AS it SET bytes = it.bytes - of_bot.bytes
        FROM (SELECT project_id, bot_id, sum(size) AS bytes FROM removed GROUP BY project_id, bot_id) AS of_bot
        WHERE it.project_id = of_bot.project_id AND it.bot_id = of_bot.bot_id;
    RETURN NULL;
END $$;

CREATE FUNCTION count_changed_content() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE bot_contents SET bytes = bytes + NEW.size - OLD.size
        WHERE project_id = NEW.project_id AND bot_id = NEW.bot_id;
    RETURN NULL;
END $$;

CREATE FUNCTION count_added_visual_blocks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE bot_contents AS it SET bytes = it.bytes + of_bot.bytes
        FROM (SELECT project_id, bot_id, sum(octet_length(content) + 2048) AS bytes FROM added GROUP BY project_id, bot_id) AS of_bot
        WHERE it.project_id = of_bot.project_id AND it.bot_id = of_bot.bot_id;
    RETURN NULL;
END $$;

CREATE FUNCTION count_removed_visual_blocks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE bot_contents AS it SET bytes = it.bytes - of_bot.bytes
        FROM (SELECT project_id, bot_id, sum(octet_length(content) + 2048) AS bytes FROM removed GROUP BY project_id, bot_id) AS of_bot
        WHERE it.project_id = of_bot.project_id AND it.bot_id = of_bot.bot_id;
    RETURN NULL;
END $$;

CREATE FUNCTION count_changed_visual_blocks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE bot_contents SET bytes = bytes + octet_length(NEW.content) - octet_length(OLD.content)
        WHERE project_id = NEW.project_id AND bot_id = NEW.bot_id;
    RETURN NULL;
END $$;

CREATE TRIGGER skills_add_content AFTER INSERT ON skills
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_added_content();
CREATE TRIGGER skills_change_content AFTER UPDATE OF size ON skills
    FOR EACH ROW WHEN (NEW.size <> OLD.size) EXECUTE FUNCTION count_changed_content();
CREATE TRIGGER skills_remove_content AFTER DELETE ON skills
    REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_removed_content();

CREATE TRIGGER stages_add_content AFTER INSERT ON stages
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_added_content();
CREATE TRIGGER stages_change_content AFTER UPDATE OF size ON stages
    FOR EACH ROW WHEN (NEW.size <> OLD.size) EXECUTE FUNCTION count_changed_content();
CREATE TRIGGER stages_remove_content AFTER DELETE ON stages
    REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_removed_content();

CREATE TRIGGER fusion_views_add_content AFTER INSERT ON fusion_views
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_added_content();
CREATE TRIGGER fusion_views_change_content AFTER UPDATE OF size ON fusion_views
    FOR EACH ROW WHEN (NEW.size <> OLD.size) EXECUTE FUNCTION count_changed_content();
CREATE TRIGGER fusion_views_remove_content AFTER DELETE ON fusion_views
    REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_removed_content();

CREATE TRIGGER visual_blocks_add_content AFTER INSERT ON visual_blocks
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_added_visual_blocks();
CREATE TRIGGER visual_blocks_change_content AFTER UPDATE OF content ON visual_blocks
    FOR EACH ROW WHEN (octet_length(NEW.content) <> octet_length(OLD.content)) EXECUTE FUNCTION count_changed_visual_blocks();
CREATE TRIGGER visual_blocks_remove_content AFTER DELETE ON visual_blocks
    REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_removed_visual_blocks();
