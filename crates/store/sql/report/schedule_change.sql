UPDATE report_schedule SET
    name = $3, question = $4, period = $5, format = $6, every = $7, weekday = $8, day_of_month = $9, at_minute = $10, mail_to = $11, keep_days = $12,
    enabled = $13, since = $17, settled = $14, next_due = $15, zone = $16
WHERE client_id = $1 AND id = $2
