-- Every command that is not over, of all utilities; an orphan is one whose api has not been there for a while, and which has not moved for as long: what was
-- decided just now may be about to leave, and within that time it leaves or never does.
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
