-- The entries of a bot that are about users, and all others, are counted apart. The second index has the resource because
-- SQLite would look into the table for it.
CREATE INDEX changelog_entries_of_users ON changelog_entries (project_id, bot_id, id) WHERE resource = 'user';
CREATE INDEX changelog_entries_of_others ON changelog_entries (project_id, bot_id, id, resource)
    WHERE resource <> 'user';
