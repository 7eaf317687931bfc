-- Where it is counted how many jobs of a kind wait. A job that waits until another of its kind ends is found there too.
DROP INDEX jobs_waiting;
CREATE INDEX jobs_waiting ON jobs (kind, project_id, created_at, id) WHERE state = 'queued';
-- Where it is counted how many were given up.
CREATE INDEX jobs_failed ON jobs (kind) WHERE state = 'failed';
