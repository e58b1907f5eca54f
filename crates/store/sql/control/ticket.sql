-- Validity is checked with the later of two clocks, so that setting one back does not extend a ticket.
SELECT id
FROM control_ticket
WHERE session_id = $1 AND used IS NULL AND until > greatest(clock_timestamp(), $4::timestamptz)
    AND (asset_id IS NULL OR asset_id = $2) AND (direction IS NULL OR direction = $3)
FOR UPDATE
