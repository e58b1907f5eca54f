-- The events no longer show the outage. Its correction is kept, with the times that it had. A computed cause is not a correction.
UPDATE outage SET
    set_started = coalesce(set_started, worked_started), set_ended = coalesce(set_ended, worked_ended),
    set_cause = coalesce(set_cause, nullif(worked_cause, 'unknown')), worked_started = NULL, worked_ended = NULL, worked_cause = NULL
WHERE client_id = $1 AND id = ANY ($2::bigint[])
