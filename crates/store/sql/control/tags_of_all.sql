-- The tags of all utilities.
WHERE t.removed_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > clock_timestamp())
ORDER BY t.placed_at, t.id
