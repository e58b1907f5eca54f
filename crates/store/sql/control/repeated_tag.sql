-- The tag that the same user has placed with the same content within the last 10 s, like a command without a key. Two durations are equal if they differ by less
-- than a second, because a duration counts from the moment at which the tag is stored.
WHERE t.client_id = $1 AND t.removed_at IS NULL AND t.placed_at > clock_timestamp() - INTERVAL '10 seconds'
  AND (t.expires_at IS NULL OR t.expires_at > clock_timestamp())
  AND t.location_id = $8 AND t.scope = $9 AND t.asset_id IS NOT DISTINCT FROM $2::bigint AND t.kind = $3 AND t.holder_id = $4 AND t.reason = $5
  AND CASE
      WHEN $6::timestamptz IS NOT NULL THEN t.expires_at = $6
      WHEN $7::bigint IS NOT NULL THEN abs(extract(epoch FROM t.expires_at - t.placed_at) - $7 * 60) < 1
      ELSE t.expires_at IS NULL
  END
ORDER BY t.id
LIMIT 1
