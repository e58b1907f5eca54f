SELECT element, pickup_a, curve, tms, time_s
FROM relay_setting
WHERE client_id = $1 AND asset_id = $2
ORDER BY array_position(ARRAY['51', '50', '51N', '50N'], element)
