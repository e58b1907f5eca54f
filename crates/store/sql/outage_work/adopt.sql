-- The events show an outage again that was kept because of its correction. Times that were not corrected are deleted, because they are computed again.
UPDATE outage o SET
    worked_started = $3, worked_ended = NULL, worked_cause = 'unknown', set_started = own.started,
    set_ended = CASE WHEN own.ended < coalesce(own.started, $3) THEN NULL ELSE own.ended END
FROM (
    SELECT k.id, nullif(k.set_started, first.source_ts) AS started, nullif(k.set_ended, last.source_ts) AS ended
    FROM outage k
    LEFT JOIN event first ON first.client_id = $1 AND first."offset" = k.evidence[1]
    LEFT JOIN event last ON last.client_id = $1 AND last."offset" = k.evidence[cardinality(k.evidence)]
    WHERE k.client_id = $1 AND k.id = $2
) own
WHERE o.client_id = $1 AND o.id = own.id
