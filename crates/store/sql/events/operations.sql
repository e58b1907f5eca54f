-- How often the switching devices of some substations came to each position within a span, and when first and last.
SELECT e.asset_id, p.encoding, e.value, count(*) AS times, min(e.source_ts) AS first, max(e.source_ts) AS last
FROM event e
JOIN point p ON p.id = e.point_id
WHERE e.client_id = $1
  AND e.location_id = ANY ($2)
  AND ($3::bigint[] IS NULL OR e.asset_id = ANY ($3))
  AND e.source_ts >= $4 AND e.source_ts < $5
  AND p.code = 'Pos'
GROUP BY e.asset_id, p.encoding, e.value
