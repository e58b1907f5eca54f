INSERT INTO command (
    id, client_id, location_id, asset_id, point_id, gateway_id, session_id, member_id, operator, mode, from_status, to_status, reason, simulated,
    from_address, correlation_id, state, requested_at, changed_at, issued, due, "offset", owner)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, 'REQUESTED', $17, $17, $17, $17, 0, $18)
