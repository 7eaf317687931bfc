DROP TABLE website_crawls;
DROP TABLE pages;
DROP TABLE page_sets;
