DROP INDEX jobs_waiting;
DROP TABLE bot_documents;
DROP TABLE documents;
DROP TABLE chunks;
