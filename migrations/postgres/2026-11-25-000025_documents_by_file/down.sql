DROP INDEX documents_of_blob;
CREATE INDEX documents_of_blob ON documents (project_id, blob_id);
DROP INDEX documents_of_name;
