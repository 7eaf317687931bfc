-- What one crawl found. When it has ended the set never changes again, and every crawl may refer to it.
CREATE TABLE page_sets (
    id UUID NOT NULL PRIMARY KEY,
    project_id UUID NOT NULL REFERENCES projects (id),
    created_at BIGINT NOT NULL,
    sealed_at BIGINT,
    UNIQUE (project_id, id)
);

-- An address that a crawl found is pending until it was fetched; then it is a page, or another address of one.
-- The content comes last, so that a look at the rest need not read through it.
CREATE TABLE pages (
    id UUID,
    project_id UUID NOT NULL,
    page_set_id UUID NOT NULL,
    number BIGINT NOT NULL,
    url TEXT COLLATE "C" NOT NULL,
    depth BIGINT NOT NULL CHECK (depth BETWEEN 0 AND 10),
    state TEXT COLLATE "C" NOT NULL CHECK (state IN ('pending', 'done', 'alias')),
    status_code BIGINT,
    size BIGINT NOT NULL,
    content_hash TEXT COLLATE "C" CHECK (length(content_hash) = 64),
    scraped_at BIGINT,
    error TEXT COLLATE "C",
    title TEXT,
    content TEXT,
    PRIMARY KEY (project_id, page_set_id, number),
    FOREIGN KEY (project_id, page_set_id) REFERENCES page_sets (project_id, id),
    CHECK ((state = 'done') = (id IS NOT NULL)),
    CHECK ((state = 'done') = (scraped_at IS NOT NULL)),
    CHECK ((content IS NULL) = (content_hash IS NULL)),
    CHECK ((state = 'done') = ((content IS NULL) <> (error IS NULL)))
);

-- A page stands in a set once.
CREATE UNIQUE INDEX pages_urls ON pages (project_id, page_set_id, url);

CREATE TABLE website_crawls (
    id UUID NOT NULL,
    project_id UUID NOT NULL,
    bot_id UUID NOT NULL,
    page_set_id UUID NOT NULL,
    url TEXT COLLATE "C" NOT NULL,
    depth BIGINT NOT NULL CHECK (depth BETWEEN 0 AND 10),
    skill_id TEXT COLLATE "C",
    description TEXT,
    name TEXT NOT NULL,
    active BOOLEAN NOT NULL,
    status TEXT COLLATE "C" NOT NULL CHECK (status IN ('queued', 'running', 'finished', 'failed', 'cancelled')),
    error TEXT COLLATE "C",
    pages_scraped BIGINT NOT NULL,
    pages_failed BIGINT NOT NULL,
    bytes BIGINT NOT NULL,
    started_at BIGINT,
    finished_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (project_id, bot_id, id),
    CHECK ((status IN ('finished', 'failed', 'cancelled')) = (finished_at IS NOT NULL)),
    FOREIGN KEY (project_id, bot_id) REFERENCES bots (project_id, id),
    FOREIGN KEY (project_id, page_set_id) REFERENCES page_sets (project_id, id)
);

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
