-- Whether it has left nobody knows: it is not sent twice.
UPDATE report_run SET mail = 'failed', message = $1 WHERE mail = 'sending'
