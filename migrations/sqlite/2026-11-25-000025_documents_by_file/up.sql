-- An upload looks for the newest document with the same name, or with the same content.
CREATE INDEX documents_of_name ON documents (project_id, file_name, id);
CREATE INDEX documents_of_content ON documents (project_id, sha256, id);
