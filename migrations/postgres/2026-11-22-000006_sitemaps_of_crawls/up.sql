-- Whether the pages that the site's sitemaps name are among those of the page set.
ALTER TABLE website_crawls ADD COLUMN sitemaps_read BOOLEAN NOT NULL DEFAULT FALSE;
