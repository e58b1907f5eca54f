-- Time until the oldest use leaves the window, ms.
SELECT ceil(extract(epoch FROM min(used) + $3::bigint * INTERVAL '1 millisecond' - $2::timestamptz) * 1000)::bigint AS wait_ms
FROM throttle t, unnest(t.recent) AS used
WHERE t.key = $1 AND used > $2 - $3 * INTERVAL '1 millisecond'
