-- The feeders of a file by substation and code, with the substation that each supplies, or none.
WITH given AS (
    SELECT asset.id AS asset_id, told.fed
    FROM unnest($2::bigint[], $3::text[], $4::bigint[]) AS told (location_id, code, fed)
    JOIN asset ON asset.client_id = $1 AND asset.location_id = told.location_id AND asset.code = told.code
), gone AS (
    DELETE FROM feeds USING given WHERE feeds.client_id = $1 AND feeds.asset_id = given.asset_id AND given.fed IS NULL
)
INSERT INTO feeds (client_id, asset_id, location_id) SELECT $1, asset_id, fed FROM given WHERE fed IS NOT NULL
ON CONFLICT (asset_id) DO UPDATE SET location_id = EXCLUDED.location_id
