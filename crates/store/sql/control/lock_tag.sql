WHERE t.client_id = $1 AND t.id = $2 AND t.removed_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > clock_timestamp())
FOR UPDATE OF t
