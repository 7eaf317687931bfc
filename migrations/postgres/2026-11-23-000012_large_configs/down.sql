DROP TRIGGER bots_begin_with_large_config ON bots;
DROP TRIGGER bots_change_large_config ON bots;
DROP TRIGGER bots_end_with_large_config ON bots;
DROP FUNCTION count_bots_of_large_config;

UPDATE bots SET config = jsonb_set(large.config::jsonb, '{name}', to_jsonb(bots.name))::text
    FROM large_config_texts AS large
    WHERE large.project_id = bots.project_id AND large.id = bots.large_config;

ALTER TABLE bots DROP COLUMN large_config;
DROP TABLE large_config_texts;
DROP TABLE large_configs;
