-- After the insert: the rows of the batch that are stored with another value. `n` numbers the batch from 1. Each row is looked up by its key, see
-- known_samples. The period, that of the batch, excludes other chunks.
SELECT
    t.n,
    format('point %s at %s: stored %s (quality %s), refused %s (quality %s)',
        t.point_id, to_char(t.ts AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
        coalesce(s.value::text, 'no value'), s.quality, coalesce(t.value::text, 'no value'), t.quality) AS detail
FROM unnest($1::bigint[], $2::timestamptz[], $3::float8[], $4::smallint[]) WITH ORDINALITY AS t (point_id, ts, value, quality, n)
CROSS JOIN LATERAL (
    SELECT s.value, s.quality FROM sample s WHERE s.point_id = t.point_id AND s.ts = t.ts AND s.ts BETWEEN $5 AND $6 LIMIT 1
) s
WHERE s.value IS DISTINCT FROM t.value OR s.quality <> t.quality
ORDER BY t.n
