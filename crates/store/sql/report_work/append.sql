-- Only while this attempt is in progress, and if the utility then stores at most $6 bytes, and the owner at most $7 of them.
WITH mine AS (
    SELECT r.id, s.member_id
    FROM report_run r
    JOIN report_schedule s ON s.id = r.schedule_id
    WHERE r.client_id = $1 AND r.id = $2 AND r.attempts = $3 AND r.state = 'running'
    FOR UPDATE OF r
), held AS (
    SELECT
        coalesce(sum(o.bytes), 0) AS of_all,
        coalesce(sum(o.bytes) FILTER (WHERE s.member_id = (SELECT member_id FROM mine)), 0) AS of_one
    FROM report_run o
    JOIN report_schedule s ON s.id = o.schedule_id
    WHERE o.client_id = $1 AND o.kept
), grown AS (
    UPDATE report_run SET bytes = coalesce(bytes, 0) + octet_length($5::bytea), kept = true
    FROM mine, held
    WHERE report_run.id = mine.id
      AND held.of_all + octet_length($5::bytea) <= $6::bigint AND held.of_one + octet_length($5::bytea) <= $7::bigint
    RETURNING report_run.id
), put AS (
    INSERT INTO report_piece (run_id, client_id, number, body) SELECT id, $1, $4::integer, $5::bytea FROM grown RETURNING run_id
)
SELECT
    EXISTS (SELECT FROM mine) AS is_mine, EXISTS (SELECT FROM put) AS is_kept,
    (SELECT of_all FROM held) + octet_length($5::bytea) <= $6::bigint AS has_room
