-- A transformer keeps an existing rating, which a user may have entered.
INSERT INTO rating (
    asset_id, client_id, rated_mva, cooling, paper, oil_alarm_c, oil_trip_c, winding_alarm_c, winding_trip_c, used_life_years)
SELECT * FROM unnest(
    $1::bigint[], $2::bigint[], $3::float8[], $4::text[], $5::text[], $6::float8[], $7::float8[], $8::float8[], $9::float8[], $10::float8[])
ON CONFLICT (asset_id) DO NOTHING
