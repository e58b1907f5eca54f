-- The sections of a substation at the end of a year, each with the newest condition that is not after it and the years of its faults up to it.
SELECT s.code, s.asset_id, s.cable, s.section, s.kv, s.insulation, s.sheath, s.conductor, s.installed, s.length_km, s.faults_since, s.load_mva, s.secure,
    s.financial, s.safety, s.environmental, s.consumers, s.cable_consumers, s.line,
    c.utilisation, c.voltage, c.sheath_test, c.discharge, c.leakage, c.reliability,
    coalesce(f.years, '{}') AS fault_years
FROM cable_section s
LEFT JOIN LATERAL (
    SELECT * FROM cable_condition WHERE section_id = s.id AND year <= $3 ORDER BY year DESC LIMIT 1
) c ON true
LEFT JOIN LATERAL (
    SELECT array_agg(extract(year FROM day)::int ORDER BY day) AS years FROM cable_fault WHERE section_id = s.id AND day < make_date($3 + 1, 1, 1)
) f ON true
WHERE s.client_id = $1 AND s.location_id = $2 AND s.installed <= $3 AND (s.removed IS NULL OR s.removed > $3)
ORDER BY s.asset_id, s.cable, s.id
