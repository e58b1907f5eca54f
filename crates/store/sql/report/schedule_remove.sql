DELETE FROM report_schedule WHERE client_id = $1 AND id = $2
