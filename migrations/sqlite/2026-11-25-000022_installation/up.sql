-- Which installation the database belongs to; its place of files has the same identifier as a mark. There is one row
-- from the first start of a server on.
CREATE TABLE installation (
    number INTEGER NOT NULL PRIMARY KEY CHECK (number = 1),
    id BLOB NOT NULL,
    marked_at INTEGER
) STRICT;
