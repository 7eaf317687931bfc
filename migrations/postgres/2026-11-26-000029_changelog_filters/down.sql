DROP INDEX changelog_entries_of_users;
DROP INDEX changelog_entries_of_others;
CREATE INDEX changelog_entries_of_users ON changelog_entries (project_id, bot_id, id) WHERE resource = 'user';
CREATE INDEX changelog_entries_of_others ON changelog_entries (project_id, bot_id, id, resource)
    WHERE resource <> 'user';
