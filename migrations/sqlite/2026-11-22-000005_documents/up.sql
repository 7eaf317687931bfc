-- Chunks of one extraction never change; they belong to whatever document says that its chunks are these.
CREATE TABLE chunks (
    id BLOB NOT NULL,
    project_id BLOB NOT NULL REFERENCES projects (id),
    extraction_id BLOB NOT NULL,
    number INTEGER NOT NULL,
    char_start INTEGER NOT NULL,
    char_end INTEGER NOT NULL,
    page INTEGER,
    -- How many bytes the headings and the text have.
    size INTEGER NOT NULL,
    heading TEXT,
    text TEXT NOT NULL,
    PRIMARY KEY (extraction_id, number)
) STRICT;

CREATE TABLE documents (
    id BLOB NOT NULL,
    project_id BLOB NOT NULL REFERENCES projects (id),
    blob_id BLOB NOT NULL,
    file_name TEXT NOT NULL,
    mime_type TEXT NOT NULL,
    size INTEGER NOT NULL,
    sha256 TEXT NOT NULL CHECK (length(sha256) = 64),
    skill_id TEXT,
    function_name TEXT,
    extraction_id BLOB,
    extraction_status TEXT NOT NULL
        CHECK (extraction_status IN ('none', 'queued', 'running', 'finished', 'failed')),
    extraction_error TEXT,
    extraction_finished_at INTEGER,
    -- The extraction of which the document's chunks are.
    chunks_of BLOB,
    chunk_count INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    settings TEXT NOT NULL,
    PRIMARY KEY (project_id, id),
    CHECK ((extraction_status = 'none') = (extraction_id IS NULL)),
    CHECK ((extraction_status = 'failed') = (extraction_error IS NOT NULL)),
    FOREIGN KEY (project_id, blob_id) REFERENCES blobs (project_id, id)
) STRICT;

-- A job knows an extraction by its identifier alone.
CREATE UNIQUE INDEX documents_of_extraction ON documents (extraction_id)
    WHERE extraction_id IS NOT NULL;
CREATE UNIQUE INDEX documents_of_chunks ON documents (chunks_of) WHERE chunks_of IS NOT NULL;
-- How much a project extracts at once is counted in this index alone.
CREATE INDEX documents_at_once ON documents (project_id, extraction_status)
    WHERE extraction_status IN ('queued', 'running');
CREATE INDEX documents_of_blob ON documents (project_id, blob_id);

-- A bot's copy of a document adds what is its own; all else is the document's.
CREATE TABLE bot_documents (
    id BLOB NOT NULL,
    project_id BLOB NOT NULL,
    bot_id BLOB NOT NULL,
    document_id BLOB NOT NULL,
    skill_id TEXT,
    function_name TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (project_id, bot_id, id),
    UNIQUE (project_id, bot_id, document_id),
    FOREIGN KEY (project_id, bot_id) REFERENCES bots (project_id, id),
    FOREIGN KEY (project_id, document_id) REFERENCES documents (project_id, id)
) STRICT;

CREATE INDEX bot_documents_of_document ON bot_documents (project_id, document_id, bot_id);
CREATE INDEX bot_documents_for_skill ON bot_documents (project_id, bot_id, skill_id, id)
    WHERE skill_id IS NOT NULL;

-- Where a job waits until another of its kind ends.
CREATE INDEX jobs_waiting ON jobs (project_id, kind, created_at, id) WHERE state = 'queued';
