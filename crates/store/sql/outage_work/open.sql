-- Outages of some substations that began before a time and had not ended.
WHERE client_id = $1 AND location_id = ANY ($2::bigint[]) AND worked_started < $3 AND worked_ended IS NULL
ORDER BY asset_id, worked_started
