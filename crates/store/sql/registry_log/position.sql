SELECT
    pg_current_snapshot()::text AS snapshot,
    pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS oldest_open,
    -- A restore gives the streams new epochs (OPERATIONS, "Restore").
    (SELECT coalesce(string_agg(epoch, ',' ORDER BY epoch), '') FROM stream) AS epochs
