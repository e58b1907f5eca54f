-- A state replaces the stored one by the rule of grid::LinkState::supersedes. It is compared with the row itself, so the later of two writers sees what the
-- first one stored. `flipped` means that the state changed within the batch and changed back: then `since` changes although `online` does not.
UPDATE gateway g SET
    online = CASE WHEN (m.term, m.count) >= (g.link_term, g.link_count) THEN coalesce(m.online, g.online) ELSE g.online END,
    since = CASE
        WHEN m.online IS NOT NULL AND (m.term, m.count) >= (g.link_term, g.link_count) AND (m.online <> g.online OR m.flipped OR g.since IS NULL) THEN m.changed
        ELSE g.since
    END,
    link_term = CASE WHEN m.online IS NOT NULL AND (m.term, m.count) >= (g.link_term, g.link_count) THEN m.term ELSE g.link_term END,
    link_count = CASE WHEN m.online IS NOT NULL AND (m.term, m.count) >= (g.link_term, g.link_count) THEN m.count ELSE g.link_count END,
    last_seen = greatest(g.last_seen, m.seen)
FROM unnest($1::bigint[], $2::boolean[], $3::timestamptz[], $4::boolean[], $5::timestamptz[], $6::bigint[], $7::bigint[])
    AS m (id, online, changed, flipped, seen, term, count)
WHERE g.id = m.id
