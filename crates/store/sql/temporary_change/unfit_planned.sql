-- The current changes with a terminal that a planned version does not have at its node, each with the first such activation. A terminal at the free end of a
-- cut is compared with the node of the cut.
SELECT DISTINCT ON (t.id) t.id, a.since
FROM temporary_change t
JOIN network_activation a ON a.client_id = t.client_id AND a.since > clock_timestamp()
CROSS JOIN LATERAL jsonb_to_recordset(t.terminals) AS named (equipment text, terminal integer, node text)
LEFT JOIN temporary_change cut ON cut.client_id = t.client_id AND named.node = 'temporary/' || cut.id || '/end'
LEFT JOIN network_equipment e ON e.client_id = t.client_id AND e.id = named.equipment
    AND e.first_version <= a.version AND (e.last_version IS NULL OR e.last_version >= a.version)
WHERE t.client_id = $1 AND t.removed IS NULL
    AND e.terminals -> (named.terminal - 1) ->> 'node' IS DISTINCT FROM coalesce(cut.terminals -> 0 ->> 'node', named.node)
ORDER BY t.id, a.since
