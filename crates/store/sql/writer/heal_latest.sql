-- What was held back for `latest` when a writer died, found again in the history: at most a second's worth, so a day is far enough to look.
-- What arrived more than a minute late was historical and stays out. So does what is less than a millisecond newer: values of one source time are kept some
-- microseconds apart, and which of them is the latest is known from their order alone. What was received before the latest value is older than it, although a
-- clock that was ahead may have given it a later time. What is found takes the place of the row that it replaces: every later reading replaces it.
INSERT INTO latest (point_id, client_id, source_ts, recv_ts, epoch, seq, value, quality)
SELECT p.id, p.client_id, s.ts, s.recv_ts, coalesce(l.epoch, 0), coalesce(l.seq, 0), s.value, s.quality
FROM point p
LEFT JOIN latest l ON l.point_id = p.id
CROSS JOIN LATERAL (
    SELECT ts, recv_ts, value, quality
    FROM sample
    WHERE sample.point_id = p.id
      AND sample.ts >= greatest(l.source_ts + INTERVAL '1 millisecond', now() - INTERVAL '1 day')
      AND sample.recv_ts < sample.ts + INTERVAL '1 minute'
      AND (l.recv_ts IS NULL OR sample.recv_ts >= l.recv_ts)
    ORDER BY sample.ts DESC
    LIMIT 1
) s
ON CONFLICT (point_id) DO UPDATE SET
    source_ts = excluded.source_ts, recv_ts = excluded.recv_ts, epoch = excluded.epoch, seq = excluded.seq,
    value = excluded.value, quality = excluded.quality
WHERE excluded.source_ts > latest.source_ts AND excluded.recv_ts >= latest.recv_ts
