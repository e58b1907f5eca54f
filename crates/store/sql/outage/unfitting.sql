-- The times within a period in which a jumper or a cut was there, and a version was active of which it is not known that it fits: the version does not have the
-- terminals that the crew has named as they were in the version in which it was placed, the line is no line any more, or the nodes have another voltage. The
-- free end of a cut has no row: if the cut does not fit, the times of the cut are returned.
SELECT greatest(t.placed, a.since) AS since, nullif(least(coalesce(t.removed, 'infinity'), a.until), 'infinity') AS until
FROM temporary_change t
JOIN (
    SELECT version, since, lead(since, 1, 'infinity') OVER (ORDER BY since) AS until FROM network_activation WHERE client_id = $1
) a ON a.version <> t.version AND a.since < coalesce(t.removed, 'infinity') AND a.until > t.placed
WHERE t.client_id = $1 AND t.placed < $3 AND coalesce(t.removed, 'infinity') > $2 AND a.since < $3 AND a.until > $2
  AND t.what ->> 'kind' IN ('jumper', 'cut')
  AND (
    EXISTS (
        SELECT FROM jsonb_to_recordset(t.terminals) AS named (equipment text, terminal integer)
        WHERE NOT EXISTS (
            SELECT FROM network_equipment now
            JOIN network_equipment was ON was.client_id = $1 AND was.id = named.equipment AND was.first_version <= t.version
                AND coalesce(was.last_version, 2147483647) >= t.version
            WHERE now.client_id = $1 AND now.id = named.equipment AND now.first_version <= a.version
              AND coalesce(now.last_version, 2147483647) >= a.version
              AND now.terminals -> (named.terminal - 1) = was.terminals -> (named.terminal - 1)
              AND (t.what ->> 'kind' <> 'cut' OR now.kind = was.kind)
        )
    )
    OR EXISTS (
        SELECT FROM jsonb_array_elements_text(t.what -> 'nodes') AS of (id)
        WHERE of.id NOT LIKE 'temporary/%' AND NOT EXISTS (
            SELECT FROM network_node now
            JOIN network_node was ON was.client_id = $1 AND was.id = of.id AND was.first_version <= t.version
                AND coalesce(was.last_version, 2147483647) >= t.version
            WHERE now.client_id = $1 AND now.id = of.id AND now.first_version <= a.version
              AND coalesce(now.last_version, 2147483647) >= a.version AND now.nominal_kv IS NOT DISTINCT FROM was.nominal_kv
        )
    )
  )
ORDER BY since DESC
LIMIT $4
