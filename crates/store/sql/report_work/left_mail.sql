-- It is not known whether the mail was sent, so it is not sent again. $2 are the mails of the caller.
UPDATE report_run SET mail = 'failed', message = concat_ws(' ', nullif(message, ''), $1::text)
WHERE mail = 'sending' AND NOT id = ANY ($2::bigint[])
RETURNING id, client_id
