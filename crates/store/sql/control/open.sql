-- Every unfinished command, of all utilities. An orphan is a command whose api has been missing for a while and whose state has not changed for as long: a
-- command that was decided just now is sent within that time or never.
SELECT
    c.client_id, c.id, c.point_id, c.gateway_id, p.device, c.session_id, c.state,
    (extract(epoch FROM c.due - clock_timestamp()) * 1000)::bigint AS left_ms,
    c.changed_at < clock_timestamp() - $1::bigint * INTERVAL '1 millisecond'
        AND NOT EXISTS (SELECT FROM control_service s WHERE s.id = c.owner AND s.seen > clock_timestamp() - $1::bigint * INTERVAL '1 millisecond') AS orphan,
    NOT EXISTS (
        SELECT FROM session s JOIN member m ON m.id = s.member_id
        WHERE s.id = c.session_id AND s.ended IS NULL AND s.generation = m.generation AND NOT m.disabled
            AND s.last_seen + s.idle_ms * INTERVAL '1 millisecond' > clock_timestamp()
    ) AS session_over
FROM command c
JOIN point p ON p.id = c.point_id
WHERE c.state IN ('REQUESTED', 'SELECTING', 'SELECTED', 'SENT', 'ACCEPTED')
ORDER BY c.requested_at
