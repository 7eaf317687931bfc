DROP INDEX bots_live;
CREATE INDEX bots_live ON bots (project_id, id)
    WHERE state = 'active' AND kind = 'regular' AND removed_at IS NULL;

ALTER TABLE bots DROP COLUMN name;
