-- Newest first: what people look at most.
DELETE FROM rollup_dirty
WHERE ctid IN (SELECT ctid FROM rollup_dirty WHERE level = $1 ORDER BY hi DESC LIMIT $2)
RETURNING block, lo, hi
