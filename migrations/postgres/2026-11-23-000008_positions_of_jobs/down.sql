DROP INDEX max_age_rules_stopped;
ALTER TABLE max_age_rules DROP COLUMN position;
ALTER TABLE jobs DROP COLUMN position;
