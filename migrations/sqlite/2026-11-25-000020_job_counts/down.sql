DROP INDEX jobs_failed;
DROP INDEX jobs_waiting;
CREATE INDEX jobs_waiting ON jobs (project_id, kind, created_at, id) WHERE state = 'queued';
