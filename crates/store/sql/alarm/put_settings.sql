INSERT INTO alarm_setting (client_id, point_id, kind, enabled, limit_value, deadband, state_value, on_delay_s, off_delay_s, priority, text)
SELECT $1::bigint, point_id, kind, enabled, limit_value, deadband, state_value, on_delay_s, off_delay_s, priority, text
FROM jsonb_to_recordset($2::jsonb) AS t (
    point_id bigint, kind text, enabled boolean, limit_value float8, deadband float8, state_value float8, on_delay_s integer, off_delay_s integer,
    priority smallint, text text)
ON CONFLICT (point_id, kind) DO NOTHING
