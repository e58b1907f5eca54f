-- Those of some entries that are current.
SELECT id FROM manual_entry WHERE client_id = $1 AND id = ANY ($2::bigint[]) AND withdrawn IS NULL
