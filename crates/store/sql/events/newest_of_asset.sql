-- As newest_of_node, for one asset: the events of its points, each by its key. Those of a point that belongs to another asset now are not listed.
WITH last AS MATERIALIZED (
    SELECT source_ts, epoch, seq, idx, point_id FROM event WHERE client_id = $1 AND "offset" = $3
)
SELECT
    e.client_id, e.point_id, e.asset_id, e.location_id, e.source_ts, e.recv_ts, e.epoch, e.seq, e."offset", e.value, e.quality,
    a.name AS asset_name, n.name AS location_name, p.code, p.encoding
FROM (
    SELECT own.*
    FROM point q
    CROSS JOIN LATERAL (
        SELECT *
        FROM event
        WHERE client_id = $1
          AND asset_id = $2
          AND point_id = q.id
          AND source_ts >= $5
          AND source_ts <= coalesce((SELECT source_ts FROM last), 'infinity')
          AND ($6::timestamptz IS NULL OR source_ts < $6)
          AND ($3::bigint IS NULL OR (source_ts, epoch, seq, idx, point_id) < (SELECT source_ts, epoch, seq, idx, point_id FROM last))
        ORDER BY source_ts DESC, epoch DESC, seq DESC, idx DESC
        LIMIT $4
    ) own
    WHERE q.client_id = $1 AND q.asset_id = $2
    ORDER BY own.source_ts DESC, own.epoch DESC, own.seq DESC, own.idx DESC, own.point_id DESC
    LIMIT $4
) e
JOIN point p ON p.id = e.point_id
JOIN asset a ON a.id = e.asset_id
JOIN node n ON n.id = e.location_id
ORDER BY e.source_ts DESC, e.epoch DESC, e.seq DESC, e.idx DESC, e.point_id DESC
