UPDATE report_run SET mail = $3, message = concat_ws(' ', nullif(message, ''), nullif($4::text, ''))
WHERE client_id = $1 AND id = $2 AND mail = 'sending'
RETURNING id
