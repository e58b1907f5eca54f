-- The sections of a substation at the end of a year, each with the newest known value of every finding up to then, and the years of its faults. Findings from
-- before the section was laid belong to an earlier section and are left out.
SELECT s.code, s.asset_id, s.cable, s.section, s.kv, s.insulation, s.sheath, s.conductor, s.installed, s.length_km, s.faults_since, s.load_mva, s.secure,
    s.financial, s.safety, s.environmental, s.consumers, s.cable_consumers, s.line,
    c.utilisation, c.voltage, c.sheath_test, c.discharge, c.leakage, c.reliability,
    coalesce(f.years, '{}') AS fault_years
FROM cable_section s
LEFT JOIN LATERAL (
    SELECT (array_agg(utilisation ORDER BY year DESC) FILTER (WHERE utilisation IS NOT NULL))[1] AS utilisation,
        (array_agg(voltage ORDER BY year DESC) FILTER (WHERE voltage IS NOT NULL))[1] AS voltage,
        (array_agg(sheath_test ORDER BY year DESC) FILTER (WHERE sheath_test <> 'unknown'))[1] AS sheath_test,
        (array_agg(discharge ORDER BY year DESC) FILTER (WHERE discharge <> 'unknown'))[1] AS discharge,
        (array_agg(leakage ORDER BY year DESC) FILTER (WHERE leakage <> 'unknown'))[1] AS leakage,
        (array_agg(reliability ORDER BY year DESC) FILTER (WHERE reliability IS NOT NULL))[1] AS reliability
    FROM cable_condition
    WHERE section_id = s.id AND year BETWEEN s.installed AND $3
) c ON true
LEFT JOIN LATERAL (
    SELECT array_agg(extract(year FROM day)::int ORDER BY day) AS years
    FROM cable_fault
    WHERE section_id = s.id AND day >= make_date(s.installed, 1, 1) AND day < make_date($3 + 1, 1, 1)
) f ON true
WHERE s.client_id = $1 AND s.location_id = $2 AND s.installed <= $3 AND (s.removed IS NULL OR s.removed > $3)
    AND (s.withdrawn IS NULL OR s.withdrawn >= make_date($3 + 1, 1, 1))
ORDER BY s.asset_id, s.cable, s.id
