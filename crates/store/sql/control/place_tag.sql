-- Places a tag on asset $2, or on substation $9 if there is no asset.
WITH t AS (
    INSERT INTO tag (client_id, location_id, scope, asset_id, kind, holder, holder_id, reason, placed_at, expires_at)
    SELECT $1::bigint, location_id, $10, asset_id, $3, $4, $5, $6, clock_timestamp(), coalesce($7, clock_timestamp() + $8::bigint * INTERVAL '1 minute')
    FROM (
        SELECT location_id, id AS asset_id FROM asset WHERE client_id = $1 AND id = $2
        UNION ALL
        SELECT id, NULL FROM node WHERE client_id = $1 AND id = $9 AND $2::bigint IS NULL
    ) place
    RETURNING *
)
SELECT
    t.id, t.client_id, t.scope, t.asset_id, coalesce(a.name, n.name) AS asset_name, coalesce(a.device, '') AS bay, t.location_id, t.kind, t.holder, t.holder_id,
    t.reason, t.placed_at, t.expires_at
FROM t
JOIN node n ON n.id = t.location_id
LEFT JOIN asset a ON a.id = t.asset_id
