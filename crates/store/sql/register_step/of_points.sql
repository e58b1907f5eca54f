SELECT point_id, at, amount, confirmed_by, confirmed, note
FROM register_step
WHERE client_id = $1 AND point_id = ANY ($2::bigint[]) AND at >= $3 AND at < $4
ORDER BY point_id, at
