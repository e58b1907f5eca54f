-- For each hour the newest forecast that was issued before it; a backcast only if there is none. No forecast is longer than a week. Methods that this program
-- does not know are ignored ($6 lists the known ones), because a newer program may have added them.
SELECT DISTINCT ON (hour) hour, issued, method, backcast, value, q10, q90
FROM (
    SELECT f.issued, f.method, f.backcast, told.value, told.q10, told.q90, f.issued + (told.number - 1) * interval '1 hour' AS hour
    FROM forecast f
    CROSS JOIN LATERAL unnest(f.value, f.q10, f.q90) WITH ORDINALITY AS told (value, q10, q90, number)
    WHERE f.client_id = $1 AND f.asset_id = $2 AND f.measure = $3 AND f.issued > $4::timestamptz - interval '168 hours' AND f.issued < $5::timestamptz
        AND f.method = ANY ($6::text[])
) told
WHERE hour >= $4::timestamptz AND hour < $5::timestamptz AND value IS NOT NULL
ORDER BY hour, backcast, issued DESC
