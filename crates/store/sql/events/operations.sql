-- The number of times that the switching devices of some substations reached each end position within a period, with the first and last time. Only usable
-- values count. A repeated position, after a birth or a doubtful value, is no operation; neither is a movement that returned to its start.
WITH told AS (
    SELECT
        e.point_id, e.asset_id, p.encoding, e.value, e.source_ts,
        row_number() OVER device = 1 AS is_first,
        lag(e.value) OVER device AS last
    FROM event e
    JOIN point p ON p.id = e.point_id
    WHERE e.client_id = $1
      AND e.location_id = ANY ($2)
      AND ($3::bigint[] IS NULL OR e.asset_id = ANY ($3))
      AND e.source_ts >= $4 AND e.source_ts < $5
      AND p.code = 'Pos'
      AND e.quality < 3
      AND (p.encoding = 'double' AND e.value IN (1, 2) OR p.encoding = 'single' AND e.value IN (0, 1))
    WINDOW device AS (PARTITION BY e.point_id ORDER BY e.source_ts, e.epoch, e.seq, e.idx)
)
SELECT t.asset_id, t.encoding, t.value, count(*) AS times, min(t.source_ts) AS first, max(t.source_ts) AS last
FROM told t
LEFT JOIN LATERAL (
    -- The position of the device at the start of the period. Events are kept since $6.
    SELECT e.value
    FROM event e
    WHERE t.is_first AND e.client_id = $1 AND e.point_id = t.point_id AND e.source_ts < $4 AND e.source_ts >= $6
      AND e.quality < 3
      AND (t.encoding = 'double' AND e.value IN (1, 2) OR t.encoding = 'single' AND e.value IN (0, 1))
    ORDER BY e.source_ts DESC, e.epoch DESC, e.seq DESC, e.idx DESC
    LIMIT 1
) before ON true
WHERE t.value IS DISTINCT FROM CASE WHEN t.is_first THEN before.value ELSE t.last END
GROUP BY t.asset_id, t.encoding, t.value
