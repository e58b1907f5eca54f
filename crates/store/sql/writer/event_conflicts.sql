-- After the insert: the events of the batch that are stored with another value. `n` numbers the batch from 1. For a change without a number another value is
-- another event; only its quality can conflict. $8 and $9 are the first and last source time of the batch.
SELECT
    t.n,
    format('event of point %s at %s, epoch %s, seq %s, index %s: stored %s (quality %s), refused %s (quality %s)',
        e.point_id, to_char(e.source_ts AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), e.epoch, e.seq, e.idx,
        coalesce(e.value::text, 'no value'), e.quality, coalesce(t.value::text, 'no value'), t.quality) AS detail
FROM unnest($1::bigint[], $2::timestamptz[], $3::bigint[], $4::bigint[], $5::smallint[], $6::float8[], $7::smallint[])
    WITH ORDINALITY AS t (point_id, source_ts, epoch, seq, idx, value, quality, n)
JOIN event e ON e.point_id = t.point_id AND e.source_ts = t.source_ts AND e.epoch = t.epoch AND e.seq = t.seq
    AND CASE WHEN t.seq = 0 THEN e.value IS NOT DISTINCT FROM t.value ELSE e.idx = t.idx END
WHERE e.source_ts BETWEEN $8 AND $9 AND (e.value IS DISTINCT FROM t.value OR e.quality <> t.quality)
ORDER BY t.n
