SELECT id, name, question, format, created FROM report_selection WHERE client_id = $1 AND member_id = $2 ORDER BY lower(name), id
