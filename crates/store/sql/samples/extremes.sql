-- Values with a quality of stale or worse (3 and up) do not count, as in the rollups.
SELECT p.id AS point_id, of_day.least, of_day.most
FROM point p
CROSS JOIN LATERAL (
    SELECT min(s.value) AS least, max(s.value) AS most
    FROM sample s
    WHERE s.point_id = p.id AND s.ts >= $3 AND s.ts < $4 AND s.quality < 3
) of_day
WHERE p.client_id = $1 AND p.id = ANY ($2) AND of_day.least IS NOT NULL
