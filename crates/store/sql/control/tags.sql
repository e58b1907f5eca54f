-- The tags of a utility, or of one of its substations.
WHERE t.client_id = $1 AND ($2::bigint IS NULL OR t.location_id = $2) AND t.removed_at IS NULL
    AND (t.expires_at IS NULL OR t.expires_at > clock_timestamp())
ORDER BY t.placed_at, t.id
