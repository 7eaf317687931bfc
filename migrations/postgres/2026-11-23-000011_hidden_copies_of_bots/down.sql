DROP INDEX bots_hidden;
