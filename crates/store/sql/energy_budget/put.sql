-- Returns the previous values of changed rows; rows without a difference are not returned.
WITH entered AS (
    SELECT e.node_id, e.asset_id, to_date(e.month, 'YYYY-MM') AS month, e.kwh
    FROM jsonb_to_recordset($2::jsonb) AS e (node_id bigint, asset_id bigint, month text, kwh float8)
), before AS (
    SELECT b.node_id, b.asset_id, b.month, b.kwh
    FROM energy_budget b
    JOIN entered e ON b.node_id IS NOT DISTINCT FROM e.node_id AND b.asset_id IS NOT DISTINCT FROM e.asset_id AND b.month = e.month
    WHERE b.client_id = $1
), put AS (
    INSERT INTO energy_budget (client_id, node_id, asset_id, month, kwh) SELECT $1, node_id, asset_id, month, kwh FROM entered
    ON CONFLICT (client_id, node_id, asset_id, month) DO UPDATE SET kwh = excluded.kwh WHERE energy_budget.kwh <> excluded.kwh
    RETURNING node_id, asset_id, month
)
SELECT before.kwh
FROM put
LEFT JOIN before
    ON before.node_id IS NOT DISTINCT FROM put.node_id AND before.asset_id IS NOT DISTINCT FROM put.asset_id AND before.month = put.month
