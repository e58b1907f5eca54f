-- Stored settings are kept. To replace settings, the caller deletes them first.
INSERT INTO relay_setting (client_id, asset_id, element, pickup_a, curve, tms, time_s)
SELECT $1::bigint, asset_id, element, pickup_a, curve, tms, time_s
FROM jsonb_to_recordset($2::jsonb) AS t (asset_id bigint, element text, pickup_a float8, curve text, tms float8, time_s float8)
ON CONFLICT (asset_id, element) DO NOTHING
