-- By asset and measure: the newest issue, the days (UTC) with an issue at their start, and the periods that were forecast before they began.
SELECT
    asset_id,
    measure,
    newest,
    days,
    ARRAY(SELECT lower(told) FROM unnest(covered) AS told ORDER BY told) AS covered_from,
    ARRAY(SELECT upper(told) FROM unnest(covered) AS told ORDER BY told) AS covered_to
FROM (
    SELECT
        asset_id,
        measure,
        max(issued) AS newest,
        coalesce(array_agg(issued ORDER BY issued) FILTER (WHERE extract(epoch FROM issued)::bigint % 86400 = 0), '{}') AS days,
        range_agg(tstzrange(issued, issued + cardinality(value) * interval '1 hour')) FILTER (WHERE NOT backcast) AS covered
    FROM forecast
    WHERE client_id = $1 AND issued >= $2
    GROUP BY asset_id, measure
) told
