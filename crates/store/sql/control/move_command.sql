-- Only from a state that the new one may follow. The second of two simultaneous changes updates no row.
UPDATE command SET
    state = $3, changed_at = $4, select_until = $5, deadline = $6, add_cause = $7, message = $8, "offset" = $9, owner = coalesce($10, owner),
    sent_at = CASE WHEN $3 = 'SENT' THEN $4 ELSE sent_at END,
    never_left = never_left OR $12
WHERE client_id = $1 AND id = $2 AND state = ANY ($11::text[])
