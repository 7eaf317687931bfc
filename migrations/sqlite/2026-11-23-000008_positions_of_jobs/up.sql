-- How far a job is that goes through much in many steps, so that the node which goes on with it need not begin again.
ALTER TABLE jobs ADD COLUMN position TEXT;

-- Where the clean-up stopped that goes through the entries of a project: in at most one of its rules, after the
-- address in this JSON array, or before all entries if that is empty.
ALTER TABLE max_age_rules ADD COLUMN position TEXT;
CREATE INDEX max_age_rules_stopped ON max_age_rules (project_id, id) WHERE position IS NOT NULL;
