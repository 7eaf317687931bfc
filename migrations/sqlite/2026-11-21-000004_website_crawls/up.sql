-- What one crawl found. When it has ended the set never changes again, and every crawl may refer to it.
CREATE TABLE page_sets (
    id BLOB NOT NULL PRIMARY KEY,
    project_id BLOB NOT NULL REFERENCES projects (id),
    created_at INTEGER NOT NULL,
    sealed_at INTEGER,
    UNIQUE (project_id, id)
) STRICT;

-- An address that a crawl found is pending until it was fetched; then it is a page, or another address of one.
-- The content comes last, so that a look at the rest need not read through it.
CREATE TABLE pages (
    id BLOB,
    project_id BLOB NOT NULL,
    page_set_id BLOB NOT NULL,
    number INTEGER NOT NULL,
    url TEXT NOT NULL,
    depth INTEGER NOT NULL CHECK (depth BETWEEN 0 AND 10),
    state TEXT NOT NULL CHECK (state IN ('pending', 'done', 'alias')),
    status_code INTEGER,
    size INTEGER NOT NULL,
    content_hash TEXT CHECK (length(content_hash) = 64),
    scraped_at INTEGER,
    error TEXT,
    title TEXT,
    content TEXT,
    PRIMARY KEY (project_id, page_set_id, number),
    FOREIGN KEY (project_id, page_set_id) REFERENCES page_sets (project_id, id),
    CHECK ((state = 'done') = (id IS NOT NULL)),
    CHECK ((state = 'done') = (scraped_at IS NOT NULL)),
    CHECK ((content IS NULL) = (content_hash IS NULL)),
    CHECK ((state = 'done') = ((content IS NULL) <> (error IS NULL)))
) STRICT;

-- A page stands in a set once.
CREATE UNIQUE INDEX pages_urls ON pages (project_id, page_set_id, url);

CREATE TABLE website_crawls (
    id BLOB NOT NULL,
    project_id BLOB NOT NULL,
    bot_id BLOB NOT NULL,
    page_set_id BLOB NOT NULL,
    url TEXT NOT NULL,
    depth INTEGER NOT NULL CHECK (depth BETWEEN 0 AND 10),
    skill_id TEXT,
    description TEXT,
    name TEXT NOT NULL,
    active INTEGER NOT NULL CHECK (active IN (0, 1)),
    status TEXT NOT NULL CHECK (status IN ('queued', 'running', 'finished', 'failed', 'cancelled')),
    error TEXT,
    pages_scraped INTEGER NOT NULL,
    pages_failed INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    started_at INTEGER,
    finished_at INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (project_id, bot_id, id),
    CHECK ((status IN ('finished', 'failed', 'cancelled')) = (finished_at IS NOT NULL)),
    FOREIGN KEY (project_id, bot_id) REFERENCES bots (project_id, id),
    FOREIGN KEY (project_id, page_set_id) REFERENCES page_sets (project_id, id)
) STRICT;

-- A job knows a crawl by its identifier alone.
CREATE UNIQUE INDEX website_crawls_ids ON website_crawls (id);
-- While a crawl is queued or running, the same bot does not crawl the same address a second time.
CREATE UNIQUE INDEX website_crawls_going ON website_crawls (project_id, bot_id, url)
    WHERE status IN ('queued', 'running');
-- How much a project crawls at once is counted in this index alone.
CREATE INDEX website_crawls_at_once ON website_crawls (project_id, status, bot_id)
    WHERE status IN ('queued', 'running');
CREATE INDEX website_crawls_of_page_set ON website_crawls (project_id, page_set_id, bot_id);
CREATE INDEX website_crawls_for_skill ON website_crawls (project_id, bot_id, skill_id, id)
    WHERE skill_id IS NOT NULL;
