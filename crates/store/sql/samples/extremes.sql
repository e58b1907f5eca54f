-- Values with a quality of stale or worse (3 and up) do not count, as in the rollups. `since` is the time of the first value of the day.
SELECT p.id AS point_id, of_day.least, of_day.most, of_day.since
FROM point p
CROSS JOIN LATERAL (
    SELECT min(s.value) FILTER (WHERE s.quality < 3) AS least, max(s.value) FILTER (WHERE s.quality < 3) AS most, min(s.ts) AS since
    FROM sample s
    WHERE s.point_id = p.id AND s.ts >= $3 AND s.ts < $4
) of_day
WHERE p.client_id = $1 AND p.id = ANY ($2) AND p.encoding IS NULL
