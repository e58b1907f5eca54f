-- The measurands of blocks of ids, with their reporting intervals, whether they are the power of an asset, and the time zones of their utilities.
SELECT p.id, p.expected_ms, p.code = 'P' AS is_power, z.zone
FROM unnest($1::bigint[]) AS d (block)
JOIN point p ON p.id >= d.block << 6 AND p.id < (d.block + 1) << 6 AND p.encoding IS NULL
JOIN (SELECT id, known_zone(time_zone) AS zone FROM client) z ON z.id = p.client_id
ORDER BY p.id
