UPDATE action_note SET location_id = $3, asset_id = $4, text = $5, owner = $6, due = $7::text::date, state = $8, changed = now()
WHERE client_id = $1 AND id = $2
