-- The state of each switch of some substations before a time: its last event until then; without one, the first event after it; without that, the latest value.
SELECT
    p.id, p.encoding, was.value AS was_value, was.quality AS was_quality, was.source_ts AS was_at, became.value AS became_value, l.value AS latest_value,
    l.quality AS latest_quality, l.source_ts AS latest_at
FROM point p
JOIN asset a ON a.id = p.asset_id
LEFT JOIN LATERAL (
    SELECT value, quality, source_ts FROM event
    WHERE client_id = $1 AND point_id = p.id AND source_ts < $3
    ORDER BY source_ts DESC, epoch DESC, seq DESC, idx DESC
    LIMIT 1
) was ON true
LEFT JOIN LATERAL (
    SELECT value FROM event
    WHERE client_id = $1 AND point_id = p.id AND source_ts >= $3
    ORDER BY source_ts, epoch, seq, idx
    LIMIT 1
) became ON was.source_ts IS NULL
LEFT JOIN latest l ON l.client_id = $1 AND l.point_id = p.id AND l.quality <= $4
WHERE p.client_id = $1 AND a.location_id = ANY ($2::bigint[]) AND p.encoding IN ('double', 'single')
ORDER BY p.id
