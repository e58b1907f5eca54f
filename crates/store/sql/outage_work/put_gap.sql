-- Stores the switches that had not reported at a time. A list for an earlier or the same time replaces the stored one. A list for a later time is
-- added to it, because the stored switches are still awaited for the earlier time.
INSERT INTO outage_gap (client_id, location_id, since, points) VALUES ($1, $2, $3, $4)
ON CONFLICT (location_id) DO UPDATE SET
    since = least(outage_gap.since, excluded.since),
    points = CASE
        WHEN excluded.since <= outage_gap.since THEN excluded.points
        ELSE ARRAY(SELECT point FROM unnest(outage_gap.points || excluded.points) AS point GROUP BY point ORDER BY point)
    END
