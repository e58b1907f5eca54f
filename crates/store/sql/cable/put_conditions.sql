-- Conditions by section and year. Unchanged rows are not written.
INSERT INTO cable_condition AS c (
    client_id,
    section_id, year, utilisation, voltage, sheath_test, discharge, leakage, reliability
)
SELECT $1::bigint,
    section_id, year, utilisation, voltage, sheath_test, discharge, leakage, reliability
FROM jsonb_to_recordset($2::jsonb) AS t (
    section_id bigint, year integer, utilisation float8, voltage float8, sheath_test text, discharge text, leakage text, reliability float8
)
ON CONFLICT (section_id, year) DO UPDATE SET
    utilisation = excluded.utilisation, voltage = excluded.voltage, sheath_test = excluded.sheath_test, discharge = excluded.discharge,
    leakage = excluded.leakage, reliability = excluded.reliability
WHERE (
    c.utilisation, c.voltage, c.sheath_test, c.discharge, c.leakage, c.reliability
) IS DISTINCT FROM (
    excluded.utilisation, excluded.voltage, excluded.sheath_test, excluded.discharge, excluded.leakage, excluded.reliability
)
RETURNING xmax = 0 AS added
