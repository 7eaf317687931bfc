DROP TRIGGER skills_add_content ON skills;
DROP TRIGGER skills_change_content ON skills;
DROP TRIGGER skills_remove_content ON skills;
DROP TRIGGER stages_add_content ON stages;
DROP TRIGGER stages_change_content ON stages;
DROP TRIGGER stages_remove_content ON stages;
DROP TRIGGER fusion_views_add_content ON fusion_views;
DROP TRIGGER fusion_views_change_content ON fusion_views;
DROP TRIGGER fusion_views_remove_content ON fusion_views;
DROP TRIGGER visual_blocks_add_content ON visual_blocks;
DROP TRIGGER visual_blocks_change_content ON visual_blocks;
DROP TRIGGER visual_blocks_remove_content ON visual_blocks;
DROP FUNCTION count_added_content();
DROP FUNCTION count_changed_content();
DROP FUNCTION count_removed_content();
DROP FUNCTION count_added_visual_blocks();
DROP FUNCTION count_changed_visual_blocks();
DROP FUNCTION count_removed_visual_blocks();
-- The sum of a bot's sizes is taken of this index alone.
CREATE INDEX skills_sizes ON skills (project_id, bot_id, size);
-- The sum of a bot's sizes is taken of this index alone.
CREATE INDEX stages_sizes ON stages (project_id, bot_id, size);
-- The sum of a bot's sizes is taken of this index alone.
CREATE INDEX fusion_views_sizes ON fusion_views (project_id, bot_id, size);
DROP TABLE bot_contents;
