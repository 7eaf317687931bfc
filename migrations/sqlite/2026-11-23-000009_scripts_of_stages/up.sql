-- The scripts of a stage are long and seldom change. SQLite writes a row anew, with all its pages, if one column of it
-- changes, and the rename of a skill changes many stages. A stage without scripts has no row here.
CREATE TABLE stage_scripts (
    stage_id BLOB NOT NULL,
    project_id BLOB NOT NULL,
    bot_id BLOB NOT NULL,
    enter_js TEXT,
    exit_js TEXT,
    pre_condition_js TEXT,
    PRIMARY KEY (project_id, bot_id, stage_id),
    FOREIGN KEY (project_id, bot_id, stage_id) REFERENCES stages (project_id, bot_id, id) ON DELETE CASCADE
) STRICT;

INSERT INTO stage_scripts (stage_id, project_id, bot_id, enter_js, exit_js, pre_condition_js)
    SELECT id, project_id, bot_id, enter_js, exit_js, pre_condition_js FROM stages
    WHERE coalesce(enter_js, exit_js, pre_condition_js) IS NOT NULL;

ALTER TABLE stages DROP COLUMN enter_js;
ALTER TABLE stages DROP COLUMN exit_js;
ALTER TABLE stages DROP COLUMN pre_condition_js;
