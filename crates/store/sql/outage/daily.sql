-- The customer minutes of sustained outages of some feeders by the day on which they began. The days are between the times $4.
SELECT nth, sum(weight * minutes) AS minutes
FROM (
    SELECT
        width_bucket(o.started, $4::timestamptz[]) AS nth, w.weight,
        greatest(extract(epoch FROM coalesce(o.ended, $8::timestamptz) - o.started)::float8 / 60, 0) AS minutes
    FROM unnest($2::bigint[], $3::float8[]) AS w (asset_id, weight)
    JOIN outage o ON o.asset_id = w.asset_id
    WHERE o.client_id = $1 AND NOT o.excluded AND coalesce(o.set_cause, o.worked_cause, 'unknown') <> ALL ($5::text[])
      AND o.started >= ($4::timestamptz[])[1] AND o.started < ($4::timestamptz[])[cardinality($4::timestamptz[])]
) o
WHERE minutes > $6::float8 OR minutes = $6::float8 AND NOT $7::boolean
GROUP BY nth
ORDER BY nth
