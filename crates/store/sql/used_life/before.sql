-- The latest state of a transformer at or before $3: with the rating $4, or with any rating if $4 is NULL.
SELECT until, years, missing_ms, rate, valid_until
FROM used_life
WHERE client_id = $1 AND asset_id = $2 AND until <= $3 AND ($4::text IS NULL OR basis = $4)
ORDER BY until DESC
LIMIT 1
