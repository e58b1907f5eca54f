-- The newest offset of the asset's substation, which is at least that of its own newest event.
SELECT coalesce(max(w."offset"), 0) AS top
FROM asset a
JOIN event_newest w ON w.location_id = a.location_id AND w.client_id = $1
WHERE a.client_id = $1 AND a.id = $2
