SELECT id, created, expires FROM report_link WHERE client_id = $1 AND run_id = $2 AND expires > $3 ORDER BY id DESC
