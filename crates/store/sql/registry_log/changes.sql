-- One row at least: the position after the changes is read in the same snapshot as they are.
SELECT
    pg_current_snapshot()::text AS snapshot,
    pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS oldest_open,
    (SELECT coalesce(string_agg(epoch, ',' ORDER BY epoch), '') FROM stream) AS epochs,
    c.id, c.client_id, c.kind, c.subject_id
FROM (SELECT) AS always
LEFT JOIN (
    SELECT id, client_id, kind, subject_id
    FROM registry_change
    WHERE transaction_id >= $1
      AND NOT pg_visible_in_snapshot(transaction_id::text::xid8, $2::text::pg_snapshot)
      -- Rows of a dump carry ids of another server.
      AND transaction_id < pg_snapshot_xmax(pg_current_snapshot())::text::bigint
    ORDER BY id
    LIMIT $3
) AS c ON true
ORDER BY c.id
