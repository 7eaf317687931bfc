ALTER TABLE stages ADD COLUMN enter_js TEXT;
ALTER TABLE stages ADD COLUMN exit_js TEXT;
ALTER TABLE stages ADD COLUMN pre_condition_js TEXT;

UPDATE stages SET enter_js = scripts.enter_js, exit_js = scripts.exit_js, pre_condition_js = scripts.pre_condition_js
    FROM stage_scripts AS scripts
    WHERE scripts.project_id = stages.project_id AND scripts.bot_id = stages.bot_id AND scripts.stage_id = stages.id;

DROP TABLE stage_scripts;
