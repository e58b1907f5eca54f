INSERT INTO outage_layout (client_id, location_id, feeders, is_drawn, momentary_ms) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (location_id) DO UPDATE SET feeders = excluded.feeders, is_drawn = excluded.is_drawn, momentary_ms = excluded.momentary_ms
