SELECT body FROM report_piece WHERE client_id = $1 AND run_id = $2 AND number = $3
