-- An upload looks for the newest document with the same name, or with the same content, which equal files share.
CREATE INDEX documents_of_name ON documents (project_id, file_name, id);
DROP INDEX documents_of_blob;
CREATE INDEX documents_of_blob ON documents (project_id, blob_id, id);
