SELECT count(*) AS n FROM dead_letter WHERE $1::bigint IS NULL OR client_id = $1
