-- Stores states of a transformer. A state of another rating is replaced.
INSERT INTO used_life (client_id, asset_id, basis, until, years, missing_ms, rate, valid_until)
SELECT $1::bigint, $2::bigint, $3::text, t.*
FROM unnest($4::timestamptz[], $5::float8[], $6::bigint[], $7::float8[], $8::timestamptz[]) AS t (until, years, missing_ms, rate, valid_until)
ON CONFLICT (asset_id, until) DO UPDATE SET
    years = excluded.years, missing_ms = excluded.missing_ms, rate = excluded.rate, valid_until = excluded.valid_until, basis = excluded.basis
WHERE used_life.basis <> excluded.basis
