-- Who did what on the command line. An entry is never changed, and refers to nothing, so that it stays when its subject
-- goes.
CREATE TABLE audit_entries (
    id BLOB NOT NULL PRIMARY KEY,
    at INTEGER NOT NULL,
    command TEXT NOT NULL,
    uid INTEGER NOT NULL,
    user_name TEXT NOT NULL,
    sudo_user TEXT,
    host TEXT NOT NULL,
    resource TEXT NOT NULL,
    subject TEXT NOT NULL
) STRICT;

CREATE INDEX audit_entries_by_time ON audit_entries (at, id);
