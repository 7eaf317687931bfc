-- What has happened in projects. `number` is the place of an event in the order of its project's events, from 1 on; it is
-- less than 0 until the event has one, and then its order is that in which events were written. Events of a bot stay when
-- the bot is deleted.
CREATE TABLE events (
    project_id BLOB NOT NULL REFERENCES projects (id),
    number INTEGER NOT NULL,
    id BLOB NOT NULL,
    at INTEGER NOT NULL,
    type TEXT NOT NULL,
    bot_id BLOB,
    resource_id TEXT NOT NULL,
    actor_token_id BLOB,
    actor_scheme TEXT,
    data TEXT NOT NULL,
    PRIMARY KEY (project_id, number),
    CHECK ((actor_token_id IS NULL) = (actor_scheme IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX events_without_number ON events (number) WHERE number < 0;
CREATE INDEX events_of_deleted_bots ON events (project_id, bot_id) WHERE type = 'bot.deleted';
