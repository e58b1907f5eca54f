-- The last change of each incoming line of some substations before a time, and all changes from then on.
SELECT asset_id, at, is_live
FROM (
    SELECT a.id AS asset_id, c.at, c.is_live
    FROM asset a
    CROSS JOIN LATERAL (SELECT at, is_live FROM infeed_change WHERE client_id = $1 AND asset_id = a.id AND at < $3 ORDER BY at DESC LIMIT 1) c
    WHERE a.client_id = $1 AND a.location_id = ANY ($2::bigint[])
    UNION ALL
    SELECT c.asset_id, c.at, c.is_live
    FROM asset a
    JOIN infeed_change c ON c.asset_id = a.id
    WHERE a.client_id = $1 AND a.location_id = ANY ($2::bigint[]) AND c.client_id = $1 AND c.at >= $3
) changes
ORDER BY at, asset_id
