-- No row if this attempt has been given up.
UPDATE report_run SET
    state = $4, rows = $5, file_name = $6, media_type = $7, message = $8, finished = $9, expires = $10, mail = $11, made_node = $12, made_role = $13,
    kept = kept AND $4 = 'done', bytes = CASE WHEN $4 = 'done' THEN bytes END
WHERE client_id = $1 AND id = $2 AND attempts = $3 AND state = 'running'
RETURNING bytes
