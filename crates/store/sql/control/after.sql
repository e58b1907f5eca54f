SELECT
    c.client_id, e."offset", c.id, c.location_id, c.asset_id, a.name AS asset_name, c.point_id, c.mode, e.state, c.from_status, c.to_status, c.operator,
    c.member_id, c.session_id, c.requested_at, e.at, e.select_until, e.deadline, e.add_cause, e.message, c.simulated
FROM command_event e
JOIN command c ON c.id = e.command_id
JOIN asset a ON a.id = c.asset_id
WHERE e.client_id = $1 AND ($2::bigint IS NULL OR e.location_id = $2) AND e."offset" > $3
ORDER BY e."offset"
LIMIT $4
