-- A host that was no utility's becomes one's.
UPDATE brand SET client_id = $2 WHERE host = $1 AND client_id IS NULL
