-- One row at least: the oldest open transaction is read in the same snapshot as the changes.
SELECT
    pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS oldest_open,
    pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS next,
    c.id, c.client_id, c.kind, c.subject_id
FROM (SELECT) AS always
LEFT JOIN (SELECT * FROM registry_change WHERE transaction_id >= $1 ORDER BY id LIMIT $2) AS c ON true
ORDER BY c.id
