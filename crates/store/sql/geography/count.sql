SELECT count(*) FILTER (WHERE kind = 'line') AS lines, count(*) FILTER (WHERE kind = 'feeder') AS feeders
FROM geography
WHERE client_id = $1
