DROP TRIGGER skills_add_content;
DROP TRIGGER skills_change_content;
DROP TRIGGER skills_remove_content;
DROP TRIGGER stages_add_content;
DROP TRIGGER stages_change_content;
DROP TRIGGER stages_remove_content;
DROP TRIGGER fusion_views_add_content;
DROP TRIGGER fusion_views_change_content;
DROP TRIGGER fusion_views_remove_content;
DROP TRIGGER visual_blocks_add_content;
DROP TRIGGER visual_blocks_change_content;
DROP TRIGGER visual_blocks_remove_content;
-- The sum of a bot's sizes is taken of this index alone.
CREATE INDEX skills_sizes ON skills (project_id, bot_id, size);
-- The sum of a bot's sizes is taken of this index alone.
CREATE INDEX stages_sizes ON stages (project_id, bot_id, size);
-- The sum of a bot's sizes is taken of this index alone.
CREATE INDEX fusion_views_sizes ON fusion_views (project_id, bot_id, size);
DROP TABLE bot_contents;
