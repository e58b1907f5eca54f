-- Only while this very attempt is the one that is made, and the utility keeps no more than $6 bytes with it.
WITH mine AS (
    SELECT id FROM report_run WHERE client_id = $1 AND id = $2 AND attempts = $3 AND state = 'running' FOR UPDATE
), grown AS (
    UPDATE report_run SET bytes = coalesce(bytes, 0) + octet_length($5::bytea), kept = true
    FROM mine
    WHERE report_run.id = mine.id
      AND (SELECT coalesce(sum(o.bytes), 0) FROM report_run o WHERE o.client_id = $1 AND o.kept) + octet_length($5::bytea) <= $6::bigint
    RETURNING report_run.id
), put AS (
    INSERT INTO report_piece (run_id, client_id, number, body) SELECT id, $1, $4::integer, $5::bytea FROM grown RETURNING run_id
)
SELECT EXISTS (SELECT FROM mine) AS is_mine, EXISTS (SELECT FROM put) AS is_kept
