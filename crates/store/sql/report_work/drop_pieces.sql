DELETE FROM report_piece WHERE run_id = ANY ($1)
