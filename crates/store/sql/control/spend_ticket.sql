-- Uses up a ticket for any one operation. Validity is checked as in ticket.
UPDATE control_ticket SET used = clock_timestamp()
WHERE id = (
    SELECT id FROM control_ticket
    WHERE session_id = $1 AND used IS NULL AND asset_id IS NULL AND until > greatest(clock_timestamp(), $2::timestamptz)
    ORDER BY id
    LIMIT 1
    FOR UPDATE
) AND used IS NULL
