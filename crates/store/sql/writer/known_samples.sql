-- Which rows of the batch are stored already, value for value? `n` counts the batch from 1. The span, that of the batch, spares looking into the chunks
-- outside of it.
SELECT t.n
FROM unnest($1::bigint[], $2::timestamptz[], $3::float8[], $4::smallint[]) WITH ORDINALITY AS t (point_id, ts, value, quality, n)
JOIN sample s ON s.point_id = t.point_id AND s.ts = t.ts
WHERE s.value IS NOT DISTINCT FROM t.value AND s.quality = t.quality AND s.ts BETWEEN $5 AND $6
