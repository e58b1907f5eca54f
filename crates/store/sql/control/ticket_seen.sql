-- As ticket, for display.
SELECT id
FROM control_ticket
WHERE session_id = $1 AND used IS NULL AND until > greatest(clock_timestamp(), $4::timestamptz)
    AND (asset_id IS NULL OR asset_id = $2) AND (direction IS NULL OR direction = $3)
