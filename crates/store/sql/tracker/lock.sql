SELECT location_id, asset_id, text, owner, due::text AS due, state FROM action_note WHERE client_id = $1 AND id = $2 FOR UPDATE
