-- Deletes the pieces of its file and the links to it.
WITH pieces AS (
    DELETE FROM report_piece WHERE client_id = $1 AND run_id = $2
)
DELETE FROM report_link WHERE client_id = $1 AND run_id = $2
