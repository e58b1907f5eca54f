-- The oldest rows, a limited number at a time.
DELETE FROM forecast WHERE ctid = ANY (ARRAY(SELECT ctid FROM forecast WHERE issued < $1 ORDER BY issued LIMIT $2))
