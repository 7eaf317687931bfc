-- What has happened in projects. `number` is the place of an event in the order of its project's events, from 1 on; it is
-- less than 0 until the event has one, and then its order is that in which events were written. Events of a bot stay when
-- the bot is deleted.
CREATE SEQUENCE events_written AS BIGINT MINVALUE -4611686018427387904 MAXVALUE -1 START -4611686018427387904;

CREATE TABLE events (
    project_id UUID NOT NULL REFERENCES projects (id),
    number BIGINT NOT NULL DEFAULT nextval('events_written'),
    id UUID NOT NULL,
    at BIGINT NOT NULL,
    type TEXT NOT NULL,
    bot_id UUID,
    resource_id TEXT NOT NULL,
    actor_token_id UUID,
    actor_scheme TEXT,
    data TEXT NOT NULL,
    PRIMARY KEY (project_id, number),
    CHECK ((actor_token_id IS NULL) = (actor_scheme IS NULL))
);

ALTER SEQUENCE events_written OWNED BY events.number;

-- Each event is rewritten once when it gets its place.
ALTER TABLE events SET (autovacuum_vacuum_scale_factor = 0.01);

CREATE INDEX events_without_number ON events (number) WHERE number < 0;
CREATE INDEX events_of_deleted_bots ON events (project_id, bot_id) WHERE type = 'bot.deleted';
