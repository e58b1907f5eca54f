SELECT point_id, kind, enabled, limit_value, deadband, state_value, on_delay_s, off_delay_s, priority, text
FROM alarm_setting
WHERE client_id = $1 AND ($2::bigint IS NULL OR point_id = $2)
ORDER BY point_id, kind
