-- Restores from the history what was deferred for `latest` when a writer crashed. That is at most a second of received values; those of the last day are found.
-- They may have been received late, as after a stop of ingest or of the broker. The history does not contain whether a value was sent as historical: one that
-- is newer than the latest value and was received after it is the newest known value all the same.
--
-- Values that are less than a millisecond newer are left out: values of one source time are stored some microseconds apart, and only their order shows which is
-- the latest. A value that was received before the latest one is older than it, although a clock that was ahead may have given it a later time. A restored row
-- keeps the order of the row that it replaces, so every later reading replaces it.
INSERT INTO latest (point_id, client_id, source_ts, recv_ts, epoch, seq, value, quality)
SELECT p.id, p.client_id, s.ts, s.recv_ts, coalesce(l.epoch, 0), coalesce(l.seq, 0), s.value, s.quality
FROM point p
LEFT JOIN latest l ON l.point_id = p.id
CROSS JOIN LATERAL (
    SELECT ts, recv_ts, value, quality
    FROM sample
    WHERE sample.point_id = p.id
      AND sample.ts >= greatest(l.source_ts + INTERVAL '1 millisecond', now() - INTERVAL '1 day')
      AND (l.recv_ts IS NULL OR sample.recv_ts >= l.recv_ts)
    ORDER BY sample.ts DESC
    LIMIT 1
) s
ON CONFLICT (point_id) DO UPDATE SET
    source_ts = excluded.source_ts, recv_ts = excluded.recv_ts, epoch = excluded.epoch, seq = excluded.seq,
    value = excluded.value, quality = excluded.quality
WHERE excluded.source_ts > latest.source_ts AND excluded.recv_ts >= latest.recv_ts
