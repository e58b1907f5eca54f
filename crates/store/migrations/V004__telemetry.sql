-- Telemetry: history of values, latest values, events, dead letters, link states, and the leadership of the processes that store them.

-- sample, event and the packed rollups are partitioned by time. On TimescaleDB the program turns them into hypertables
-- (docs/decisions/0024-history-partitions.md).

-- Each column and index of this table costs write rate, so it has no foreign key and one index. Columns of fixed width come first, so that no byte is lost to
-- alignment.
CREATE TABLE sample (
    point_id bigint      NOT NULL,
    ts       timestamptz NOT NULL,
    recv_ts  timestamptz NOT NULL,
    value    float8,
    quality  smallint    NOT NULL
) PARTITION BY RANGE (ts);
COMMENT ON TABLE sample IS 'History of all values. It has no client_id: a row belongs to the utility of its point.';
COMMENT ON COLUMN sample.point_id IS 'The point. No foreign key, because each column, key and index costs write rate.';
COMMENT ON COLUMN sample.ts IS 'Source time, by the clock of the device.';
COMMENT ON COLUMN sample.recv_ts IS 'Receive time, by the clock of ingest.';
COMMENT ON COLUMN sample.value IS 'Value in the unit of the point; a position as its number. NULL if absent.';
COMMENT ON COLUMN sample.quality IS '0 good, 1 substituted, 2 questionable, 3 stale, 4 invalid, 5 communication lost, 6 never received.';
CREATE UNIQUE INDEX sample_key ON sample (point_id, ts);
COMMENT ON INDEX sample_key IS 'Values of a point in a period; makes a value that is received twice one row (alarm_work/currents, comms/last_values, …).';
GRANT SELECT ON sample TO switchyard_tenant;

-- Rows are updated all the time. Free space in each page keeps a new version in its page (HOT), and there is no index but the key.
CREATE TABLE latest (
    point_id  bigint      PRIMARY KEY,
    client_id bigint      NOT NULL,
    source_ts timestamptz NOT NULL,
    recv_ts   timestamptz NOT NULL,
    epoch     bigint      NOT NULL,
    seq       bigint      NOT NULL,
    value     float8,
    quality   smallint    NOT NULL,
    FOREIGN KEY (client_id, point_id) REFERENCES point (client_id, id)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
COMMENT ON TABLE latest IS 'The latest reading of each point.';
COMMENT ON COLUMN latest.point_id IS 'The point.';
COMMENT ON COLUMN latest.client_id IS 'The utility.';
COMMENT ON COLUMN latest.source_ts IS 'Source time, by the clock of the device.';
COMMENT ON COLUMN latest.recv_ts IS 'Receive time, by the clock of ingest.';
COMMENT ON COLUMN latest.epoch IS 'The term of the ingest that numbered the reading, as an encoded number (grid::Ordinal); orders readings together with seq.';
COMMENT ON COLUMN latest.seq IS 'Number of the reading within its epoch.';
COMMENT ON COLUMN latest.value IS 'Value in the unit of the point; a position as its number. NULL if absent.';
COMMENT ON COLUMN latest.quality IS 'As sample.quality.';
COMMENT ON INDEX latest_pkey IS 'The latest reading of a point (control/object, latest/of, outage_work/before, …).';
ALTER TABLE latest ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON latest USING (client_id = (SELECT bound_client()));
CREATE POLICY every ON latest USING ((SELECT bound_to_every()));
GRANT SELECT ON latest TO switchyard_tenant;

-- A sequence assigns numbers before the commit and in another order, so offsets are counted here.
CREATE TABLE stream (
    client_id bigint NOT NULL REFERENCES client,
    kind      text   NOT NULL,
    epoch     text   NOT NULL DEFAULT gen_random_uuid()::text,
    top       bigint NOT NULL DEFAULT 0 CHECK (top >= 0),
    PRIMARY KEY (client_id, kind)
);
COMMENT ON TABLE stream IS 'Offsets of the streams of each utility, in the order of commit. A transaction that adds rows holds the row lock to its end, so offsets have no gaps.';
COMMENT ON COLUMN stream.client_id IS 'The utility.';
COMMENT ON COLUMN stream.kind IS 'Name of the stream, such as event, alarm, fault, command, tag.';
COMMENT ON COLUMN stream.epoch IS 'Identity of the numbering. A new value means that earlier offsets cannot be continued.';
COMMENT ON COLUMN stream.top IS 'Newest offset that was assigned; 0 if there was none.';
COMMENT ON INDEX stream_pkey IS 'The newest offset of a stream, and its lock (alarm/create_stream, control/advance_tags, control/create_stream, …).';
ALTER TABLE stream ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON stream USING (client_id = (SELECT bound_client()));
CREATE POLICY every ON stream USING ((SELECT bound_to_every()));
GRANT SELECT ON stream TO switchyard_tenant;

CREATE TABLE event (
    client_id   bigint      NOT NULL,
    point_id    bigint      NOT NULL,
    asset_id    bigint      NOT NULL,
    location_id bigint      NOT NULL,
    source_ts   timestamptz NOT NULL,
    recv_ts     timestamptz NOT NULL,
    epoch       bigint      NOT NULL,
    seq         bigint      NOT NULL,
    "offset"    bigint      NOT NULL,
    value       float8,
    idx         smallint    NOT NULL,
    quality     smallint    NOT NULL,
    PRIMARY KEY (point_id, source_ts, epoch, seq, idx),
    UNIQUE (client_id, "offset", source_ts),
    FOREIGN KEY (client_id, point_id) REFERENCES point (client_id, id),
    FOREIGN KEY (client_id, asset_id) REFERENCES asset (client_id, id),
    FOREIGN KEY (client_id, location_id) REFERENCES node (client_id, id)
) PARTITION BY RANGE (source_ts);
COMMENT ON TABLE event IS 'Events: changes of status points.';
COMMENT ON COLUMN event.client_id IS 'The utility.';
COMMENT ON COLUMN event.point_id IS 'The status point.';
COMMENT ON COLUMN event.asset_id IS 'The asset of the point at the time of the event.';
COMMENT ON COLUMN event.location_id IS 'The substation at the time of the event.';
COMMENT ON COLUMN event.source_ts IS 'Source time, by the clock of the device.';
COMMENT ON COLUMN event.recv_ts IS 'Receive time, by the clock of ingest.';
COMMENT ON COLUMN event.epoch IS 'Epoch of the gateway''s outbox; seq counts within it.';
COMMENT ON COLUMN event.seq IS 'Number of the message in the outbox; 0 if the change was reported without a number, by a birth.';
COMMENT ON COLUMN event."offset" IS 'Position in the utility''s stream of events, in the order of commit.';
COMMENT ON COLUMN event.value IS 'The new position or signal as its number; NULL if absent.';
COMMENT ON COLUMN event.idx IS 'Position among the changes of the same message, from 0.';
COMMENT ON COLUMN event.quality IS 'As sample.quality.';
COMMENT ON INDEX event_pkey IS 'Events of a point in a period; makes an event that is received twice one row (alarm_work/events, comms/feeders, events/first, …).';
-- An offset is unique because it is assigned under the lock of the stream row. A unique index of a partitioned table must contain the time.
COMMENT ON INDEX event_client_id_offset_source_ts_key IS 'Events of a utility after an offset (alarm_work/events, events/after_of_client, events/after_of_node, …).';
CREATE INDEX event_of_location ON event (location_id, source_ts);
COMMENT ON INDEX event_of_location IS 'Events of a substation in a period (events/between, events/newest_of_node, outage/heard, …).';
ALTER TABLE event ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON event USING (client_id = (SELECT bound_client()));
CREATE POLICY every ON event USING ((SELECT bound_to_every()));
GRANT SELECT ON event TO switchyard_tenant;

CREATE TABLE event_newest (
    location_id bigint PRIMARY KEY,
    client_id   bigint NOT NULL,
    "offset"    bigint NOT NULL,
    FOREIGN KEY (client_id, location_id) REFERENCES node (client_id, id)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
COMMENT ON TABLE event_newest IS 'The newest offset of each substation in the stream of events. The writer updates it under the lock of the stream row.';
COMMENT ON COLUMN event_newest.location_id IS 'The substation.';
COMMENT ON COLUMN event_newest.client_id IS 'The utility.';
COMMENT ON COLUMN event_newest."offset" IS 'Offset of its newest event, in the order of commit.';
COMMENT ON INDEX event_newest_pkey IS 'The newest offset of a substation (events/after_of_node, events/top_of_asset, writer/insert_events, …).';
ALTER TABLE event_newest ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON event_newest USING (client_id = (SELECT bound_client()));
CREATE POLICY every ON event_newest USING ((SELECT bound_to_every()));
GRANT SELECT ON event_newest TO switchyard_tenant;

CREATE TABLE dead_letter (
    id        bigint      GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    client_id bigint      REFERENCES client,
    topic     text        NOT NULL,
    reason    text        NOT NULL,
    detail    text        NOT NULL,
    payload   bytea       NOT NULL,
    received  timestamptz NOT NULL
);
COMMENT ON TABLE dead_letter IS 'Dead letters: messages, or parts of them, that cannot be used.';
COMMENT ON COLUMN dead_letter.id IS 'Generated number.';
COMMENT ON COLUMN dead_letter.client_id IS 'The utility; NULL if the topic names none.';
COMMENT ON COLUMN dead_letter.topic IS 'MQTT topic of the message.';
COMMENT ON COLUMN dead_letter.reason IS 'Short text of the cause, such as conflict.';
COMMENT ON COLUMN dead_letter.detail IS 'Explanation for users. A conflict names the stored and the refused value.';
COMMENT ON COLUMN dead_letter.payload IS 'The message as it was received.';
COMMENT ON COLUMN dead_letter.received IS 'Receive time.';
COMMENT ON INDEX dead_letter_pkey IS 'Newest dead letters of all utilities (dead_letters/list).';
CREATE INDEX dead_letter_of_client ON dead_letter (client_id, id);
COMMENT ON INDEX dead_letter_of_client IS 'Newest dead letters of a utility.';
CREATE UNIQUE INDEX dead_letter_conflict ON dead_letter (topic, md5(detail)) WHERE reason = 'conflict';
COMMENT ON INDEX dead_letter_conflict IS 'Stores the same conflict once.';
ALTER TABLE dead_letter ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON dead_letter USING (client_id = (SELECT bound_client()));
CREATE POLICY every ON dead_letter USING ((SELECT bound_to_every()));
GRANT SELECT ON dead_letter TO switchyard_tenant;

CREATE TABLE link_change (
    client_id  bigint      NOT NULL REFERENCES client,
    gateway_id bigint      NOT NULL,
    device     text        NOT NULL,
    at         timestamptz NOT NULL,
    online     boolean     NOT NULL,
    PRIMARY KEY (gateway_id, device, at),
    FOREIGN KEY (client_id, gateway_id) REFERENCES gateway (client_id, id)
);
COMMENT ON TABLE link_change IS 'Changes of link states of gateways and devices, for availability and communication outages.';
COMMENT ON COLUMN link_change.client_id IS 'The utility.';
COMMENT ON COLUMN link_change.gateway_id IS 'The gateway.';
COMMENT ON COLUMN link_change.device IS 'Name of the device; empty for the gateway itself.';
COMMENT ON COLUMN link_change.at IS 'Time from which the state is valid, by the clock of ingest.';
COMMENT ON COLUMN link_change.online IS 'The state. A second row with the same state is another connection.';
COMMENT ON INDEX link_change_pkey IS 'Link states of a gateway or device in a period (comms/links, outage/heard).';
CREATE INDEX link_change_at ON link_change (at);
COMMENT ON INDEX link_change_at IS 'Deletes old rows (comms/links, writer/forget_links).';
ALTER TABLE link_change ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON link_change USING (client_id = (SELECT bound_client()));
CREATE POLICY every ON link_change USING ((SELECT bound_to_every()));
GRANT SELECT ON link_change TO switchyard_tenant;

CREATE TABLE gateway_day (
    client_id    bigint      NOT NULL REFERENCES client,
    gateway_id   bigint      NOT NULL,
    day          date        NOT NULL,
    taken        bigint      NOT NULL CHECK (taken >= 0),
    late         bigint      NOT NULL CHECK (late >= 0),
    missing      bigint      NOT NULL CHECK (missing >= 0),
    skew_ms      bigint,
    last_message timestamptz,
    PRIMARY KEY (gateway_id, day),
    FOREIGN KEY (client_id, gateway_id) REFERENCES gateway (client_id, id)
);
COMMENT ON TABLE gateway_day IS 'Counts of messages for each gateway and day. After a crash of ingest the counts of its last ten seconds are missing.';
COMMENT ON COLUMN gateway_day.client_id IS 'The utility.';
COMMENT ON COLUMN gateway_day.gateway_id IS 'The gateway.';
COMMENT ON COLUMN gateway_day.day IS 'Day of receipt in the zone of the utility.';
COMMENT ON COLUMN gateway_day.taken IS 'Values that were accepted.';
COMMENT ON COLUMN gateway_day.late IS 'Accepted values that arrived more than one minute after their source time.';
COMMENT ON COLUMN gateway_day.missing IS 'Messages whose sequence numbers were never received.';
COMMENT ON COLUMN gateway_day.skew_ms IS 'Largest lead of the gateway''s clock over ours on this day, ms; negative if it is behind. NULL if it sends no times.';
COMMENT ON COLUMN gateway_day.last_message IS 'Receive time of the newest message of the day; NULL if not known.';
COMMENT ON INDEX gateway_day_pkey IS 'Counts of a gateway in a period (comms/days, writer/add_counts).';
ALTER TABLE gateway_day ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON gateway_day USING (client_id = (SELECT bound_client()));
CREATE POLICY every ON gateway_day USING ((SELECT bound_to_every()));
GRANT SELECT ON gateway_day TO switchyard_tenant;

CREATE TABLE leadership (
    name  text   PRIMARY KEY,
    term  bigint NOT NULL CHECK (term > 0),
    begun bigint NOT NULL
);
COMMENT ON TABLE leadership IS 'Terms of leadership. A process that takes the advisory lock of a name begins its next term; transactions of a leader check it.';
COMMENT ON COLUMN leadership.name IS 'Name of the work that one process leads, such as ingest of a shard.';
COMMENT ON COLUMN leadership.term IS 'Present term. All names share one sequence, so a later term is greater under every name.';
COMMENT ON COLUMN leadership.begun IS 'How many terms have started under this name.';
COMMENT ON INDEX leadership_pkey IS 'The present term of a name (lead/begin_term).';
ALTER TABLE leadership ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON leadership USING ((SELECT bound_to_every()));

-- Terms of all names come from one sequence, so a report of an ingest in a later term is newer, also if another shard had the gateway before.
CREATE SEQUENCE leadership_term AS bigint;
