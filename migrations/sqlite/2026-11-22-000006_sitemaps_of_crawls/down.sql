ALTER TABLE website_crawls DROP COLUMN sitemaps_read;
