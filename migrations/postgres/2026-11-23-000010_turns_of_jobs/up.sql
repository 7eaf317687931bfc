-- What is due of a kind is found without visiting the jobs of others.
DROP INDEX jobs_due;
CREATE INDEX jobs_due ON jobs (kind, coalesce(leased_until, run_at), id) WHERE state <> 'failed';

-- Whose turn it is. Jobs of no project come after those of all projects.
ALTER TABLE jobs ADD COLUMN owner_id UUID
    GENERATED ALWAYS AS (coalesce(project_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff')) STORED;

-- Where the next project is found that has a job of a kind, and what has been due for longest of it.
CREATE INDEX jobs_turns ON jobs (kind, owner_id, coalesce(leased_until, run_at), id)
    WHERE state <> 'failed';
