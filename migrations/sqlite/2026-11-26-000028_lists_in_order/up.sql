-- Lists in other orders than that of identifiers, and those of one status or type.
CREATE INDEX bots_by_name ON bots (project_id, name, id, state, kind, deleted_at)
    WHERE state = 'active' AND kind = 'regular' AND deleted_at IS NULL;
CREATE INDEX bots_by_update ON bots (project_id, updated_at, id, state, kind, deleted_at)
    WHERE state = 'active' AND kind = 'regular' AND deleted_at IS NULL;
CREATE INDEX skills_by_update ON skills (project_id, bot_id, updated_at, id);
CREATE INDEX stages_by_name ON stages (project_id, bot_id, name, id);
CREATE INDEX stages_by_update ON stages (project_id, bot_id, updated_at, id);
CREATE INDEX fusion_views_by_title ON fusion_views (project_id, bot_id, title, id);
CREATE INDEX fusion_views_by_update ON fusion_views (project_id, bot_id, updated_at, id);
CREATE INDEX website_crawls_by_name ON website_crawls (project_id, bot_id, name, id);
CREATE INDEX website_crawls_by_update ON website_crawls (project_id, bot_id, updated_at, id);
CREATE INDEX website_crawls_by_status ON website_crawls (project_id, bot_id, status, id);
CREATE INDEX documents_by_size ON documents (project_id, size, id);
CREATE INDEX documents_by_update ON documents (project_id, updated_at, id);
-- How much a project extracts at once is counted in the index of each status.
DROP INDEX documents_at_once;
CREATE INDEX documents_by_status ON documents (project_id, extraction_status, id);
CREATE INDEX documents_by_type ON documents (project_id, mime_type, id);
CREATE INDEX users_by_update ON users (project_id, bot_id, updated_at, id) WHERE deleted_at IS NULL;
