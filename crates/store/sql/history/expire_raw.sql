-- The oldest of one point, so many at a time. Where TimescaleDB keeps the history, whole chunks go instead (drop_chunks).
DELETE FROM sample WHERE point_id = $1 AND ts < $2 AND ts <= (
    SELECT max(ts) FROM (SELECT ts FROM sample WHERE point_id = $1 AND ts < $2 ORDER BY ts LIMIT $3) oldest)
