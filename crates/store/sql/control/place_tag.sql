WITH t AS (
    INSERT INTO tag (client_id, location_id, asset_id, kind, holder, holder_id, reason, placed_at, expires_at)
    SELECT client_id, location_id, id, $3, $4, $5, $6, clock_timestamp(), coalesce($7, clock_timestamp() + $8::bigint * INTERVAL '1 minute')
    FROM asset WHERE client_id = $1 AND id = $2
    RETURNING *
)
SELECT t.id, t.client_id, t.asset_id, a.name AS asset_name, t.location_id, t.kind, t.holder, t.holder_id, t.reason, t.placed_at, t.expires_at
FROM t
JOIN asset a ON a.id = t.asset_id
