-- Begins statements that return commands, each with its newest state.
SELECT
    c.client_id, e."offset", c.id, c.location_id, c.asset_id, a.name AS asset_name, c.point_id, c.mode, e.state, c.from_status, c.to_status, c.operator,
    c.member_id, c.session_id, c.requested_at, e.at, e.select_until, e.deadline, e.add_cause, e.message, c.simulated
FROM command c
JOIN command_event e ON e.client_id = c.client_id AND e."offset" = c."offset"
JOIN asset a ON a.id = c.asset_id
