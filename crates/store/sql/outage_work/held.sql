-- The outages that a recomputation from a time on can change: those that start at or after it or have not ended, and those that are kept only for
-- their correction and end at or after it.
WHERE client_id = $1 AND location_id = ANY ($2::bigint[])
  AND (worked_started >= $3 OR worked_ended IS NULL OR worked_started IS NULL)
  AND (worked_started IS NOT NULL OR coalesce(ended, 'infinity') >= $3)
ORDER BY id
FOR UPDATE
