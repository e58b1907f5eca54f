-- Whether it has left nobody knows: it is not sent twice. $2 are those that the one who asks mails.
UPDATE report_run SET mail = 'failed', message = concat_ws(' ', nullif(message, ''), $1::text)
WHERE mail = 'sending' AND NOT id = ANY ($2::bigint[])
RETURNING id, client_id
