-- The events of the switches of some substations after a position in the order of source times, each with data of its bay and of commands: whether a relay of the same
-- device operated in the five seconds before, or a fault with known currents was open; whether that relay is for frequency (81); whether this system had
-- commanded the change; whether the bay had a tag.
SELECT
    e.point_id, e.source_ts, e.recv_ts, e.epoch, e.seq, e.idx, e."offset", e.value, e.quality, e.device, coalesce(r.operated, false) OR e.opened AND EXISTS (
        SELECT FROM fault f
        WHERE f.client_id = $1 AND f.point_id = e.point_id AND e.source_ts BETWEEN f.started AND f.opened
          AND num_nonnulls(f.current_r, f.current_y, f.current_b) > 0
    ) AS by_protection,
    coalesce(r.frequency, false) AS under_frequency, e.opened AND opening_ordered(e.point_id, e.source_ts) AS ordered, coalesce(t.hung, false) AS tagged
FROM (
    SELECT
        e.point_id, e.source_ts, e.recv_ts, e.epoch, e.seq, e.idx, e."offset", e.value, e.quality, e.location_id, p.device, p.gateway_id,
        coalesce(e.value = CASE p.encoding WHEN 'double' THEN 1 ELSE 0 END, false) AS opened
    FROM unnest($2::bigint[]) AS l (id)
    -- At most a page of each substation, so that the index of a substation is read in order and no further.
    CROSS JOIN LATERAL (
        SELECT e.*
        FROM event e
        JOIN point p ON p.id = e.point_id
        WHERE e.client_id = $1 AND e.location_id = l.id AND p.encoding IN ('double', 'single') AND e.source_ts >= $3
          AND (e.source_ts, e.epoch, e.seq, e.idx, e.point_id) > ($3, $4, $5, $6::smallint, $7)
        ORDER BY e.source_ts, e.epoch, e.seq, e.idx, e.point_id
        LIMIT $8
    ) e
    JOIN point p ON p.id = e.point_id
    ORDER BY e.source_ts, e.epoch, e.seq, e.idx, e.point_id
    LIMIT $8
) e
LEFT JOIN LATERAL (
    SELECT true AS operated, bool_or(a.code ~ '(^|[^0-9])81([^0-9]|$)' OR a.name ~ '(^|[^0-9])81([^0-9]|$)') AS frequency
    FROM point r
    JOIN asset a ON a.id = r.asset_id
    JOIN event o ON o.point_id = r.id
    WHERE e.opened AND r.client_id = $1 AND r.gateway_id = e.gateway_id AND r.device = e.device AND r.encoding = 'signal' AND r.code = 'Op'
      AND o.source_ts BETWEEN e.source_ts - interval '5 seconds' AND e.source_ts AND o.value = 1
    HAVING count(*) > 0
) r ON true
LEFT JOIN LATERAL (
    SELECT true AS hung
    FROM tag t
    LEFT JOIN asset a ON a.id = t.asset_id
    WHERE e.opened AND t.client_id = $1 AND t.location_id = e.location_id AND (a.device = e.device OR t.scope = 'station') AND t.placed_at <= e.source_ts
      AND coalesce(t.removed_at, 'infinity') > e.source_ts AND coalesce(t.expires_at, 'infinity') > e.source_ts
    LIMIT 1
) t ON true
ORDER BY e.source_ts, e.epoch, e.seq, e.idx, e.point_id
