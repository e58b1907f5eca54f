-- Planned notes by due date; done and cancelled ones last.
WHERE t.client_id = $1 AND ($2::bigint IS NULL OR t.location_id = ANY (ARRAY(SELECT id FROM below))) AND ($3::bigint IS NULL OR t.asset_id = $3)
ORDER BY t.state IN ('done', 'cancelled'), t.due, t.id
LIMIT $4
