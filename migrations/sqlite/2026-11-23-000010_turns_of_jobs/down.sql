DROP INDEX jobs_turns;
DROP INDEX jobs_due;
CREATE INDEX jobs_due ON jobs (coalesce(leased_until, run_at), id) WHERE state <> 'failed';
