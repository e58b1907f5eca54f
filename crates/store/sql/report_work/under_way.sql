SELECT id FROM report_run WHERE id = ANY ($1::bigint[]) AND state = $2
