-- Alarms that are not normal, of the whole utility, of the area of a node, or of one asset. Active unacknowledged alarms come first, so that the limit leaves
-- out the least important ones.
WHERE a.client_id = $1 AND a.state <> 'normal' AND ($2::bigint IS NULL OR a.location_id = ANY (ARRAY(SELECT id FROM below)))
    AND ($3::bigint IS NULL OR a.asset_id = $3)
ORDER BY array_position(ARRAY['active_unacked', 'active_acked', 'cleared_unacked', 'suppressed'], a.state), a.priority, a.raised DESC, a.id
LIMIT $4
