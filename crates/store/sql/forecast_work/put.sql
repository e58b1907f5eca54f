-- Stored forecasts are kept: a second attempt, after a crash or by another process, changes nothing.
INSERT INTO forecast (client_id, asset_id, measure, issued, method, backcast, value, q10, q90)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
ON CONFLICT (asset_id, measure, issued) DO NOTHING
