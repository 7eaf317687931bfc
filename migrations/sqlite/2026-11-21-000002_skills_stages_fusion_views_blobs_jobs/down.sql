DROP TABLE jobs;
DROP TABLE fusion_views;
DROP TABLE blobs;
DROP TABLE visual_blocks;
DROP TABLE stages;
DROP TABLE skills;

DROP INDEX bots_there;
DROP INDEX bots_in_trash;
DROP INDEX bots_live;
ALTER TABLE bots DROP COLUMN removed_at;
CREATE INDEX bots_live ON bots (project_id, id) WHERE state = 'active' AND kind = 'regular';
CREATE INDEX bots_in_trash ON bots (updated_at, id) WHERE state = 'trashed';
