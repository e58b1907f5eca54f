-- What users have entered, withdrawn, placed and removed from a time on. A portable earth changes no supply.
SELECT 'entry' AS what, id, entered AS at, false AS is_end, point_id FROM manual_entry WHERE client_id = $1 AND entered >= $2
UNION ALL
SELECT 'entry', id, withdrawn, true, point_id FROM manual_entry WHERE client_id = $1 AND withdrawn >= $2
UNION ALL
SELECT 'temporary', id, placed, false, NULL FROM temporary_change WHERE client_id = $1 AND placed >= $2 AND what ->> 'kind' <> 'portableEarth'
UNION ALL
SELECT 'temporary', id, removed, true, NULL FROM temporary_change WHERE client_id = $1 AND removed >= $2 AND what ->> 'kind' <> 'portableEarth'
ORDER BY at
