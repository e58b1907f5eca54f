SELECT to_char(month, 'YYYY-MM') AS month, kwh
FROM energy_budget
WHERE client_id = $1 AND node_id IS NOT DISTINCT FROM $2 AND asset_id IS NOT DISTINCT FROM $3
ORDER BY month DESC
LIMIT $4
