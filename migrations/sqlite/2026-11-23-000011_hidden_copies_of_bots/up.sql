-- Copies that are not shown yet are stored as removed bots when they are made.
CREATE INDEX bots_hidden ON bots (project_id) WHERE removed_at = created_at;
