DROP INDEX jobs_turns;
ALTER TABLE jobs DROP COLUMN owner_id;
DROP INDEX jobs_due;
CREATE INDEX jobs_due ON jobs (coalesce(leased_until, run_at), id) WHERE state <> 'failed';
