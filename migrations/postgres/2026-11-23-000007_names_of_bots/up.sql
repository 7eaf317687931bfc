-- The name that stands in `config` as well, so that lists of names need not read whole configurations.
ALTER TABLE bots ADD COLUMN name TEXT NOT NULL DEFAULT '';
UPDATE bots SET name = left(config::json ->> 'name', 200);

-- With the name, so that a list of names reads the index only.
DROP INDEX bots_live;
CREATE INDEX bots_live ON bots (project_id, id, name)
    WHERE state = 'active' AND kind = 'regular' AND removed_at IS NULL;
