-- Entries of one resource or action, or of some time, are found in the indices in which they are counted.
DROP INDEX changelog_entries_of_users;
DROP INDEX changelog_entries_of_others;
CREATE INDEX changelog_entries_of_users ON changelog_entries (project_id, bot_id, id, resource, action, at)
    WHERE resource = 'user';
CREATE INDEX changelog_entries_of_others ON changelog_entries (project_id, bot_id, id, resource, action, at)
    WHERE resource <> 'user';
