-- How many bytes the skills, stages, Fusion-Views and visual blocks of a bot have, so that neither a quota of a bot nor
-- one of a project sums up their rows. The store adds a row for each new bot; triggers count what it has.
CREATE TABLE bot_contents (
    project_id BLOB NOT NULL,
    bot_id BLOB NOT NULL,
    bytes INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (project_id, bot_id),
    FOREIGN KEY (project_id, bot_id) REFERENCES bots (project_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

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

CREATE TRIGGER skills_add_content AFTER INSERT ON skills
BEGIN
    UPDATE bot_contents SET bytes = bytes + NEW.size
        WHERE project_id = NEW.project_id AND bot_id = NEW.bot_id;
END;

CREATE TRIGGER skills_change_content AFTER UPDATE OF size ON skills
    WHEN NEW.size <> OLD.size
BEGIN
    UPDATE bot_contents SET bytes = bytes + NEW.size - OLD.size
        WHERE project_id = NEW.project_id AND bot_id = NEW.bot_id;
END;

CREATE TRIGGER skills_remove_content AFTER DELETE ON skills
BEGIN
    UPDATE bot_contents SET bytes = bytes - OLD.size
        WHERE project_id = OLD.project_id AND bot_id = OLD.bot_id;
END;

CREATE TRIGGER stages_add_content AFTER INSERT ON stages
BEGIN
    UPDATE bot_contents SET bytes = bytes + NEW.size
        WHERE project_id = NEW.project_id AND bot_id = NEW.bot_id;
END;

CREATE TRIGGER stages_change_content AFTER UPDATE OF size ON stages
    WHEN NEW.size <> OLD.size
BEGIN
    UPDATE bot_contents SET bytes = bytes + NEW.size - OLD.size
        WHERE project_id = NEW.project_id AND bot_id = NEW.bot_id;
END;

CREATE TRIGGER stages_remove_content AFTER DELETE ON stages
BEGIN
    UPDATE bot_contents SET bytes = bytes - OLD.size
        WHERE project_id = OLD.project_id AND bot_id = OLD.bot_id;
END;

CREATE TRIGGER fusion_views_add_content AFTER INSERT ON fusion_views
BEGIN
    UPDATE bot_contents SET bytes = bytes + NEW.size
        WHERE project_id = NEW.project_id AND bot_id = NEW.bot_id;
END;

CREATE TRIGGER fusion_views_change_content AFTER UPDATE OF size ON fusion_views
    WHEN NEW.size <> OLD.size
BEGIN
    UPDATE bot_contents SET bytes = bytes + NEW.size - OLD.size
        WHERE project_id = NEW.project_id AND bot_id = NEW.bot_id;
END;

CREATE TRIGGER fusion_views_remove_content AFTER DELETE ON fusion_views
BEGIN
    UPDATE bot_contents SET bytes = bytes - OLD.size
        WHERE project_id = OLD.project_id AND bot_id = OLD.bot_id;
END;

CREATE TRIGGER visual_blocks_add_content AFTER INSERT ON visual_blocks
BEGIN
    UPDATE bot_contents SET bytes = bytes + octet_length(NEW.content) + 2048
        WHERE project_id = NEW.project_id AND bot_id = NEW.bot_id;
END;

CREATE TRIGGER visual_blocks_change_content AFTER UPDATE OF content ON visual_blocks
    WHEN octet_length(NEW.content) <> octet_length(OLD.content)
BEGIN
    UPDATE bot_contents SET bytes = bytes + octet_length(NEW.content) - octet_length(OLD.content)
        WHERE project_id = NEW.project_id AND bot_id = NEW.bot_id;
END;

CREATE TRIGGER visual_blocks_remove_content AFTER DELETE ON visual_blocks
BEGIN
    UPDATE bot_contents SET bytes = bytes - (octet_length(OLD.content) + 2048)
        WHERE project_id = OLD.project_id AND bot_id = OLD.bot_id;
END;
