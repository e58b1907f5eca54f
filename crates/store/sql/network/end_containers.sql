UPDATE network_container SET last_version = $2 - 1
WHERE client_id = $1 AND id = ANY ($3::text[]) AND last_version IS NULL
