-- The key with which secrets are encrypted: its name, never the key itself. None from before a server had keys.
ALTER TABLE installation ADD COLUMN encryption_key TEXT;
