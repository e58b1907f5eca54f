-- Files whose time is over go, with the links to them; that there was a run stays.
WITH over AS (
    UPDATE report_run SET kept = false WHERE kept AND state = 'done' AND expires <= $1 RETURNING id
), pieces AS (
    DELETE FROM report_piece USING over WHERE report_piece.run_id = over.id
), links AS (
    DELETE FROM report_link WHERE expires <= $1 OR run_id IN (SELECT id FROM over)
)
SELECT count(*) AS gone FROM over
