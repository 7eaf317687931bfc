DROP TABLE changelog_entries;
DROP TABLE tokens;
DROP TABLE bots;
DROP TABLE projects;
DROP TABLE organisations;
