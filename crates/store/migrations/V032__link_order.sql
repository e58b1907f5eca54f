-- Link states are ordered by the leadership term of the ingest that reported them and its count of reported states, because a wall clock can step back.
-- What was stored before has the order (0, 0): every new state replaces it.
ALTER TABLE gateway
    ADD COLUMN link_term  bigint NOT NULL DEFAULT 0,
    ADD COLUMN link_count bigint NOT NULL DEFAULT 0;
ALTER TABLE device
    ADD COLUMN link_term  bigint NOT NULL DEFAULT 0,
    ADD COLUMN link_count bigint NOT NULL DEFAULT 0;
