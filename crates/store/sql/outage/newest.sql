-- The outages of some feeders that began within a period, newest first.
WHERE client_id = $1 AND asset_id = ANY ($2::bigint[]) AND started >= $3 AND started < $4
ORDER BY started DESC, id DESC
LIMIT $5
