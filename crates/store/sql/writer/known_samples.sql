-- Which rows of the batch are stored already, value for value? `n` counts the batch from 1. Each row is looked up by its key: the newest samples lie behind
-- what the statistics know, so that a join is planned as if the span held one row, and compares each row of the batch with each row of the span. The span,
-- that of the batch, spares looking into the chunks outside of it.
SELECT t.n
FROM unnest($1::bigint[], $2::timestamptz[], $3::float8[], $4::smallint[]) WITH ORDINALITY AS t (point_id, ts, value, quality, n)
CROSS JOIN LATERAL (
    SELECT s.value, s.quality FROM sample s WHERE s.point_id = t.point_id AND s.ts = t.ts AND s.ts BETWEEN $5 AND $6 LIMIT 1
) s
WHERE s.value IS NOT DISTINCT FROM t.value AND s.quality = t.quality
