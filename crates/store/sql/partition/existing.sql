-- The partitions of a table with their bounds, in the order of time. The first one has no lower bound.
SELECT
    c.relname::text AS name,
    (regexp_match(b.bound, 'FROM \(''([^'']+)''\)'))[1]::timestamptz AS begins,
    (regexp_match(b.bound, 'TO \(''([^'']+)''\)'))[1]::timestamptz AS ends
FROM pg_inherits i
JOIN pg_class c ON c.oid = i.inhrelid
CROSS JOIN LATERAL (SELECT pg_get_expr(c.relpartbound, c.oid) AS bound) b
WHERE i.inhparent = $1::text::regclass
ORDER BY ends
