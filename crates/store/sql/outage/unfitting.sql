-- The times within a period in which a jumper or a cut was there, and a version was active of which it is not known that it fits: the version does not have the
-- same nodes or the same line as the one in which it was placed. The free end of a cut has no row: if the cut does not fit, the times of the cut are returned.
SELECT greatest(t.placed, a.since) AS since, nullif(least(coalesce(t.removed, 'infinity'), a.until), 'infinity') AS until
FROM temporary_change t
JOIN (
    SELECT version, since, lead(since, 1, 'infinity') OVER (ORDER BY since) AS until FROM network_activation WHERE client_id = $1
) a ON a.version <> t.version AND a.since < coalesce(t.removed, 'infinity') AND a.until > t.placed
WHERE t.client_id = $1 AND t.placed < $3 AND coalesce(t.removed, 'infinity') > $2 AND a.since < $3 AND a.until > $2 AND (
    t.what ->> 'kind' = 'jumper' AND EXISTS (
        SELECT FROM jsonb_array_elements_text(t.what -> 'nodes') AS of (id)
        WHERE of.id NOT LIKE 'temporary/%' AND NOT EXISTS (
            SELECT FROM network_node n
            WHERE n.client_id = $1 AND n.id = of.id AND n.first_version <= least(a.version, t.version)
              AND coalesce(n.last_version, 2147483647) >= greatest(a.version, t.version)
        )
    )
    OR t.what ->> 'kind' = 'cut' AND NOT EXISTS (
        SELECT FROM network_equipment e
        WHERE e.client_id = $1 AND e.id = t.what ->> 'equipment' AND e.first_version <= least(a.version, t.version)
          AND coalesce(e.last_version, 2147483647) >= greatest(a.version, t.version)
    )
)
ORDER BY since DESC
LIMIT $4
