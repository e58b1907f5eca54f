-- Acknowledges changes that are committed now. Changes that are committed later continue to flash.
INSERT INTO acknowledgement (point_id, client_id, through, source_ts, member_id, at)
SELECT p.id, p.client_id, s.top, greatest(e.source_ts, k.source_ts), $4, now()
FROM stream s
JOIN point p ON p.client_id = s.client_id
JOIN asset a ON a.id = p.asset_id
LEFT JOIN acknowledgement k ON k.point_id = p.id
CROSS JOIN LATERAL (
    -- See unacknowledged.sql.
    SELECT source_ts FROM event
    WHERE point_id = p.id AND "offset" > coalesce(k.through, 0) AND source_ts > coalesce(k.source_ts - INTERVAL '7 days', '-infinity')
    ORDER BY source_ts DESC
    LIMIT 1
) e
WHERE s.client_id = $1 AND s.kind = 'event' AND a.location_id = $2 AND p.encoding IS NOT NULL AND ($3::bigint[] IS NULL OR p.id = ANY ($3))
ORDER BY p.id
ON CONFLICT (point_id) DO UPDATE SET through = excluded.through, source_ts = excluded.source_ts, member_id = excluded.member_id, at = excluded.at
WHERE acknowledgement.through < excluded.through
RETURNING point_id
