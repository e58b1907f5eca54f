-- The ratings of a utility, or of one of its transformers. Under the lock of the utility they cannot change.
SELECT
    asset_id, rated_mva, cooling, paper, regime, loss_ratio, oil_rise_k, gradient_k, oil_exponent, winding_exponent, oil_minutes, winding_minutes, k11, k21,
    k22, oil_alarm_c, oil_trip_c, winding_alarm_c, winding_trip_c, used_life_years
FROM rating
WHERE client_id = $1 AND ($2::bigint IS NULL OR asset_id = $2)
ORDER BY asset_id
