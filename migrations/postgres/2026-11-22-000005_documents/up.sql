-- Chunks of one extraction never change; they belong to whatever document says that its chunks are these.
CREATE TABLE chunks (
    id UUID NOT NULL,
    project_id UUID NOT NULL REFERENCES projects (id),
    extraction_id UUID NOT NULL,
    number BIGINT NOT NULL,
    char_start BIGINT NOT NULL,
    char_end BIGINT NOT NULL,
    page BIGINT,
    -- How many bytes the headings and the text have.
    size BIGINT NOT NULL,
    heading TEXT,
    text TEXT NOT NULL,
    PRIMARY KEY (extraction_id, number)
);

CREATE TABLE documents (
    id UUID NOT NULL,
    project_id UUID NOT NULL REFERENCES projects (id),
    blob_id UUID NOT NULL,
    file_name TEXT NOT NULL,
    mime_type TEXT NOT NULL,
    size BIGINT NOT NULL,
    sha256 TEXT COLLATE "C" NOT NULL CHECK (length(sha256) = 64),
    skill_id TEXT COLLATE "C",
    function_name TEXT,
    extraction_id UUID,
    extraction_status TEXT COLLATE "C" NOT NULL
        CHECK (extraction_status IN ('none', 'queued', 'running', 'finished', 'failed')),
    extraction_error TEXT COLLATE "C",
    extraction_finished_at BIGINT,
    -- The extraction of which the document's chunks are.
    chunks_of UUID,
    chunk_count BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    settings TEXT NOT NULL,
    PRIMARY KEY (project_id, id),
    CHECK ((extraction_status = 'none') = (extraction_id IS NULL)),
    CHECK ((extraction_status = 'failed') = (extraction_error IS NOT NULL)),
    FOREIGN KEY (project_id, blob_id) REFERENCES blobs (project_id, id)
);

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
    id UUID NOT NULL,
    project_id UUID NOT NULL,
    bot_id UUID NOT NULL,
    document_id UUID NOT NULL,
    skill_id TEXT COLLATE "C",
    function_name TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (project_id, bot_id, id),
    UNIQUE (project_id, bot_id, document_id),
    FOREIGN KEY (project_id, bot_id) REFERENCES bots (project_id, id),
    FOREIGN KEY (project_id, document_id) REFERENCES documents (project_id, id)
);

CREATE INDEX bot_documents_of_document ON bot_documents (project_id, document_id, bot_id);
CREATE INDEX bot_documents_for_skill ON bot_documents (project_id, bot_id, skill_id, id)
    WHERE skill_id IS NOT NULL;

-- Where a job waits until another of its kind ends.
CREATE INDEX jobs_waiting ON jobs (project_id, kind, created_at, id) WHERE state = 'queued';
