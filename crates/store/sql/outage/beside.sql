-- Another outage of the same feeder that overlaps a period.
WHERE client_id = $1 AND asset_id = $2 AND id <> $3 AND NOT excluded
  AND started < coalesce($5::timestamptz, 'infinity') AND coalesce(ended, 'infinity') > $4::timestamptz
ORDER BY started, id
LIMIT 1
