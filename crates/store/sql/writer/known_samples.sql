-- The rows of the batch that are stored with the same value. `n` numbers the batch from 1. Each row is looked up by its key: the statistics do not know the
-- newest samples, so a join would be planned for one row and would compare each row of the batch with each row of the period. The period, that of the batch,
-- excludes other chunks.
SELECT t.n
FROM unnest($1::bigint[], $2::timestamptz[], $3::float8[], $4::smallint[]) WITH ORDINALITY AS t (point_id, ts, value, quality, n)
CROSS JOIN LATERAL (
    SELECT s.value, s.quality FROM sample s WHERE s.point_id = t.point_id AND s.ts = t.ts AND s.ts BETWEEN $5 AND $6 LIMIT 1
) s
WHERE s.value IS NOT DISTINCT FROM t.value AND s.quality = t.quality
