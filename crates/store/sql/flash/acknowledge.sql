-- Acknowledges changes that are committed now. Changes that are committed later continue to flash.
INSERT INTO acknowledgement (point_id, client_id, through, member_id, at)
SELECT p.id, p.client_id, e.top, $4, now()
FROM point p
JOIN asset a ON a.id = p.asset_id
LEFT JOIN acknowledgement k ON k.point_id = p.id
CROSS JOIN LATERAL (SELECT max("offset") AS top FROM event WHERE point_id = p.id) e
WHERE p.client_id = $1 AND a.location_id = $2 AND p.encoding IS NOT NULL AND ($3::bigint[] IS NULL OR p.id = ANY ($3))
  AND e.top > coalesce(k.through, 0)
ORDER BY p.id
ON CONFLICT (point_id) DO UPDATE SET through = excluded.through, member_id = excluded.member_id, at = excluded.at
WHERE acknowledgement.through < excluded.through
RETURNING point_id
