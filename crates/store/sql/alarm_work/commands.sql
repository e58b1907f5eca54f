-- States of commands after an offset, with the data that an alarm needs.
SELECT
    c.client_id, e."offset", c.id, c.location_id, c.asset_id, a.name AS asset_name, c.point_id, c.mode, e.state, c.from_status, c.to_status, c.operator,
    c.member_id, c.session_id, c.requested_at, e.at, e.select_until, e.deadline, e.add_cause, e.message, c.simulated,
    n.name AS location_name, coalesce(a.customers, 0) AS customers, c.sent_at IS NOT NULL AS was_sent, c.never_left
FROM command_event e
JOIN command c ON c.client_id = e.client_id AND c.id = e.command_id
JOIN asset a ON a.id = c.asset_id
JOIN node n ON n.id = c.location_id
WHERE e.client_id = $1 AND e."offset" > $2
ORDER BY e."offset"
LIMIT $3
