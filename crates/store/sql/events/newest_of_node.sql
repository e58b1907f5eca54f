-- A page starts after the row with the given offset, in the order of the list, so late events are included. $5 limits how many hours it goes back from there, or
-- from the end; NULL for no limit. Each substation is read by its index, at most a page. Events are kept since $6. $7 is the end; NULL for now.
WITH RECURSIVE below (id) AS (
    SELECT id FROM node WHERE client_id = $1 AND id = $2
    UNION ALL
    SELECT node.id FROM node JOIN below ON node.parent_id = below.id
), last AS MATERIALIZED (
    SELECT source_ts, epoch, seq, idx, point_id FROM event WHERE client_id = $1 AND "offset" = $3
)
SELECT
    e.client_id, e.point_id, e.asset_id, e.location_id, e.source_ts, e.recv_ts, e.epoch, e.seq, e."offset", e.value, e.quality,
    a.name AS asset_name, n.name AS location_name, p.code, p.encoding
FROM (
    SELECT own.*
    FROM below
    CROSS JOIN LATERAL (
        SELECT *
        FROM event
        WHERE client_id = $1
          AND location_id = below.id
          AND source_ts >= coalesce(coalesce((SELECT source_ts FROM last), $7, now()) - make_interval(hours => $5), '-infinity')
          AND source_ts >= $6
          AND source_ts <= coalesce((SELECT source_ts FROM last), 'infinity')
          AND ($7::timestamptz IS NULL OR source_ts < $7)
          AND ($3::bigint IS NULL OR (source_ts, epoch, seq, idx, point_id) < (SELECT source_ts, epoch, seq, idx, point_id FROM last))
        ORDER BY source_ts DESC, epoch DESC, seq DESC, idx DESC, point_id DESC
        LIMIT $4
    ) own
    ORDER BY own.source_ts DESC, own.epoch DESC, own.seq DESC, own.idx DESC, own.point_id DESC
    LIMIT $4
) e
JOIN point p ON p.id = e.point_id
JOIN asset a ON a.id = e.asset_id
JOIN node n ON n.id = e.location_id
ORDER BY e.source_ts DESC, e.epoch DESC, e.seq DESC, e.idx DESC, e.point_id DESC
