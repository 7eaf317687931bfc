DROP INDEX users_by_update;
DROP INDEX documents_by_type;
DROP INDEX documents_by_status;
CREATE INDEX documents_at_once ON documents (project_id, extraction_status)
    WHERE extraction_status IN ('queued', 'running');
DROP INDEX documents_by_update;
DROP INDEX documents_by_size;
DROP INDEX website_crawls_by_status;
DROP INDEX website_crawls_by_update;
DROP INDEX website_crawls_by_name;
DROP INDEX fusion_views_by_update;
DROP INDEX fusion_views_by_title;
DROP INDEX stages_by_update;
DROP INDEX stages_by_name;
DROP INDEX skills_by_update;
DROP INDEX bots_by_update;
DROP INDEX bots_by_name;
