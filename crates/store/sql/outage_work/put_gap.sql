-- Switches that had not reported at an earlier time and are not listed for the later one are still awaited for the earlier one.
INSERT INTO outage_gap (client_id, location_id, since, points) VALUES ($1, $2, $3, $4)
ON CONFLICT (location_id) DO UPDATE SET
    since = least(outage_gap.since, excluded.since),
    points = CASE
        WHEN excluded.since <= outage_gap.since THEN excluded.points
        ELSE ARRAY(SELECT point FROM unnest(outage_gap.points || excluded.points) AS point GROUP BY point ORDER BY point)
    END
