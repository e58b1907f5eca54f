-- The oldest rows of one point, a limited number at a time. On TimescaleDB whole chunks are dropped instead (drop_chunks).
DELETE FROM sample WHERE point_id = $1 AND ts < $2 AND ts <= (
    SELECT max(ts) FROM (SELECT ts FROM sample WHERE point_id = $1 AND ts < $2 ORDER BY ts LIMIT $3) oldest)
