-- Changes the start of an outage. A corrected end before the new start is deleted.
UPDATE outage SET
    worked_started = $3, worked_ended = NULL, set_ended = CASE WHEN set_ended < coalesce(set_started, $3) THEN NULL ELSE set_ended END
WHERE client_id = $1 AND id = $2
