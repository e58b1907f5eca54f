INSERT INTO outage_layout (client_id, location_id, feeders, is_drawn) VALUES ($1, $2, $3, $4)
ON CONFLICT (location_id) DO UPDATE SET feeders = excluded.feeders, is_drawn = excluded.is_drawn
