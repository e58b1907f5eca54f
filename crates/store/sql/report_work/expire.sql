-- Deletes expired files and the links to them; the runs are kept. At most $2 files and $2 links at a time.
WITH over AS (
    UPDATE report_run SET kept = false
    WHERE id IN (SELECT id FROM report_run WHERE kept AND state = 'done' AND expires <= $1 ORDER BY expires LIMIT $2::bigint)
    RETURNING id
), pieces AS (
    DELETE FROM report_piece USING over WHERE report_piece.run_id = over.id
), links AS (
    DELETE FROM report_link
    WHERE run_id IN (SELECT id FROM over) OR id IN (SELECT id FROM report_link WHERE expires <= $1 ORDER BY expires LIMIT $2::bigint)
    RETURNING id
)
SELECT (SELECT count(*) FROM over) AS gone, (SELECT count(*) FROM over) < $2::bigint AND (SELECT count(*) FROM links) < $2::bigint AS is_all
