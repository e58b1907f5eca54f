SELECT
    device_id, location_id, name, lat, lon, capacity_max_kwh, capacity_min_kwh, charge_rate_kw, discharge_rate_kw, charging_start, charging_end,
    discharging_start, discharging_end, solar_kwp, objective, currency, import_price, export_price, may_export, charge_efficiency, discharge_efficiency,
    initial_kwh, import_limit_kw, ends_as_it_began, performance, solar_profile, site_point_id, solar_point_id, battery_point_id, grid_point_id,
    storage_point_id
FROM low_carbon_site
WHERE client_id = $1 AND ($2::bigint IS NULL OR device_id = $2)
ORDER BY name, device_id
