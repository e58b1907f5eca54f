-- The customer minutes of sustained outages of some feeders by the day on which they began. The days are between the times $4. The customers of an outage are
-- those that the network has, if $9, or else those of the feeder.
SELECT nth, sum(customer_minutes) AS minutes
FROM (
    SELECT
        width_bucket(o.started, $4::timestamptz[]) AS nth, lasted.minutes, coalesce(
            CASE WHEN $9::boolean AND o.set_started IS NULL AND o.set_ended IS NULL THEN o.customer_minutes END,
            CASE WHEN $9::boolean THEN o.customers::float8 * lasted.minutes END,
            w.weight * lasted.minutes
        ) AS customer_minutes
    FROM unnest($2::bigint[], $3::float8[]) AS w (asset_id, weight)
    JOIN outage o ON o.asset_id = w.asset_id
    CROSS JOIN LATERAL (
        SELECT greatest(extract(epoch FROM coalesce(o.ended, $8::timestamptz) - o.started)::float8 / 60, 0) AS minutes
    ) lasted
    WHERE o.client_id = $1 AND NOT o.excluded AND coalesce(o.set_cause, o.worked_cause, 'unknown') <> ALL ($5::text[])
      AND o.started >= ($4::timestamptz[])[1] AND o.started < ($4::timestamptz[])[cardinality($4::timestamptz[])]
) o
WHERE minutes > $6::float8 OR minutes = $6::float8 AND NOT $7::boolean
GROUP BY nth
ORDER BY nth
