DELETE FROM energy_budget
WHERE client_id = $1 AND node_id IS NOT DISTINCT FROM $2 AND asset_id IS NOT DISTINCT FROM $3 AND month = to_date($4, 'YYYY-MM')
RETURNING kwh
