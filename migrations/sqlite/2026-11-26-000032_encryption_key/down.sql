ALTER TABLE installation DROP COLUMN encryption_key;
