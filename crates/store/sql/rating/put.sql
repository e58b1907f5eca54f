INSERT INTO rating (
    client_id, asset_id, rated_mva, cooling, paper, regime, loss_ratio, oil_rise_k, gradient_k, oil_exponent, winding_exponent, oil_minutes, winding_minutes,
    k11, k21, k22, oil_alarm_c, oil_trip_c, winding_alarm_c, winding_trip_c, used_life_years)
SELECT
    $1::bigint, $2::bigint, rated_mva, cooling, paper, regime, loss_ratio, oil_rise_k, gradient_k, oil_exponent, winding_exponent, oil_minutes,
    winding_minutes, k11, k21, k22, oil_alarm_c, oil_trip_c, winding_alarm_c, winding_trip_c, used_life_years
FROM jsonb_to_record($3::jsonb) AS t (
    rated_mva float8, cooling text, paper text, regime text, loss_ratio float8, oil_rise_k float8, gradient_k float8, oil_exponent float8,
    winding_exponent float8, oil_minutes float8, winding_minutes float8, k11 float8, k21 float8, k22 float8, oil_alarm_c float8, oil_trip_c float8,
    winding_alarm_c float8, winding_trip_c float8, used_life_years float8)
ON CONFLICT (asset_id) DO UPDATE SET
    rated_mva = excluded.rated_mva, cooling = excluded.cooling, paper = excluded.paper, regime = excluded.regime, loss_ratio = excluded.loss_ratio,
    oil_rise_k = excluded.oil_rise_k, gradient_k = excluded.gradient_k, oil_exponent = excluded.oil_exponent, winding_exponent = excluded.winding_exponent,
    oil_minutes = excluded.oil_minutes, winding_minutes = excluded.winding_minutes, k11 = excluded.k11, k21 = excluded.k21, k22 = excluded.k22,
    oil_alarm_c = excluded.oil_alarm_c, oil_trip_c = excluded.oil_trip_c, winding_alarm_c = excluded.winding_alarm_c,
    winding_trip_c = excluded.winding_trip_c, used_life_years = excluded.used_life_years
