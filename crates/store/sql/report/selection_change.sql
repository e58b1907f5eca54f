UPDATE report_selection SET name = $3, question = $4, format = $5 WHERE client_id = $1 AND id = $2 RETURNING id, name, question, format, created
