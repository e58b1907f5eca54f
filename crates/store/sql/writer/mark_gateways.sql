-- `flipped` says that the gateway went and came back within the batch: then `since` moves although `online` is what it was.
UPDATE gateway g SET
    online = coalesce(m.online, g.online),
    since = CASE WHEN m.online IS NULL OR (m.online = g.online AND NOT m.flipped AND g.since IS NOT NULL) THEN g.since ELSE m.changed END,
    last_seen = greatest(g.last_seen, m.seen)
FROM unnest($1::bigint[], $2::boolean[], $3::timestamptz[], $4::boolean[], $5::timestamptz[]) AS m (id, online, changed, flipped, seen)
WHERE g.id = m.id
