-- Plant by asset, part and year. Unchanged rows are not written.
INSERT INTO plant_state AS p (
    client_id,
    asset_id, part, year, kind, kv, made, in_primary, gas, outdoor, duty, location, condition_factor, condition_cap, condition_collar, reliability,
    secure, financial, safety, environmental, withdrawn
)
SELECT $1::bigint,
    asset_id, part, year, kind, kv, made, in_primary, gas, outdoor, duty, location, condition_factor, condition_cap, condition_collar, reliability,
    secure, financial, safety, environmental, withdrawn
FROM jsonb_to_recordset($2::jsonb) AS t (
    asset_id bigint, part text, year integer, kind text, kv float8, made integer, in_primary boolean, gas boolean, outdoor boolean, duty float8,
    location float8, condition_factor float8, condition_cap float8, condition_collar float8, reliability float8, secure boolean, financial float8,
    safety float8, environmental float8, withdrawn date
)
ON CONFLICT (asset_id, part, year) DO UPDATE SET
    kind = excluded.kind, kv = excluded.kv, made = excluded.made, in_primary = excluded.in_primary, gas = excluded.gas, outdoor = excluded.outdoor,
    duty = excluded.duty, location = excluded.location, condition_factor = excluded.condition_factor, condition_cap = excluded.condition_cap,
    condition_collar = excluded.condition_collar, reliability = excluded.reliability, secure = excluded.secure, financial = excluded.financial,
    safety = excluded.safety, environmental = excluded.environmental,
    withdrawn = excluded.withdrawn
WHERE (
    p.kind, p.kv, p.made, p.in_primary, p.gas, p.outdoor, p.duty, p.location, p.condition_factor, p.condition_cap, p.condition_collar, p.reliability,
    p.secure, p.financial, p.safety, p.environmental, p.withdrawn
) IS DISTINCT FROM (
    excluded.kind, excluded.kv, excluded.made, excluded.in_primary, excluded.gas, excluded.outdoor, excluded.duty, excluded.location,
    excluded.condition_factor, excluded.condition_cap, excluded.condition_collar, excluded.reliability, excluded.secure, excluded.financial,
    excluded.safety, excluded.environmental, excluded.withdrawn
)
RETURNING xmax = 0 AS added
