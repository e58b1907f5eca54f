-- Sections by their codes. Unchanged rows are not written.
INSERT INTO cable_section AS s (
    client_id,
    location_id, asset_id, code, cable, section, kv, insulation, sheath, conductor, installed, removed, withdrawn, length_km, faults_since, load_mva, secure,
    financial, safety, environmental, consumers, cable_consumers, line
)
SELECT $1::bigint,
    location_id, asset_id, code, cable, section, kv, insulation, sheath, conductor, installed, removed, withdrawn, length_km, faults_since, load_mva, secure,
    financial, safety, environmental, consumers, cable_consumers, line
FROM jsonb_to_recordset($2::jsonb) AS t (
    location_id bigint, asset_id bigint, code text, cable text, section text, kv float8, insulation text, sheath text, conductor text,
    installed integer, removed integer, withdrawn date, length_km float8, faults_since integer, load_mva float8, secure boolean, financial float8, safety float8,
    environmental float8, consumers integer, cable_consumers integer, line jsonb
)
ON CONFLICT (client_id, code) DO UPDATE SET
    location_id = excluded.location_id, asset_id = excluded.asset_id, cable = excluded.cable, section = excluded.section, kv = excluded.kv,
    insulation = excluded.insulation, sheath = excluded.sheath, conductor = excluded.conductor, installed = excluded.installed,
    removed = excluded.removed, withdrawn = excluded.withdrawn, length_km = excluded.length_km, faults_since = excluded.faults_since, load_mva = excluded.load_mva,
    secure = excluded.secure, financial = excluded.financial, safety = excluded.safety, environmental = excluded.environmental,
    consumers = excluded.consumers, cable_consumers = excluded.cable_consumers, line = excluded.line
WHERE (
    s.location_id, s.asset_id, s.cable, s.section, s.kv, s.insulation, s.sheath, s.conductor, s.installed, s.removed, s.withdrawn, s.length_km, s.faults_since,
    s.load_mva, s.secure, s.financial, s.safety, s.environmental, s.consumers, s.cable_consumers, s.line
) IS DISTINCT FROM (
    excluded.location_id, excluded.asset_id, excluded.cable, excluded.section, excluded.kv, excluded.insulation, excluded.sheath, excluded.conductor,
    excluded.installed, excluded.removed, excluded.withdrawn, excluded.length_km, excluded.faults_since, excluded.load_mva, excluded.secure, excluded.financial,
    excluded.safety, excluded.environmental, excluded.consumers, excluded.cable_consumers, excluded.line
)
RETURNING xmax = 0 AS added
