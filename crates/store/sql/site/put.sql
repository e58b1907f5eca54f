INSERT INTO low_carbon_site (
    client_id, device_id, location_id, name, lat, lon, capacity_max_kwh, capacity_min_kwh, charge_rate_kw, discharge_rate_kw, charging_start, charging_end,
    discharging_start, discharging_end, solar_kwp, objective, currency, import_price, export_price, may_export, charge_efficiency, discharge_efficiency,
    initial_kwh, import_limit_kw, ends_as_it_began, performance, solar_profile, site_point_id, solar_point_id, battery_point_id, grid_point_id,
    storage_point_id)
SELECT
    $1::bigint, $2::bigint, location_id, name, lat, lon, capacity_max_kwh, capacity_min_kwh, charge_rate_kw, discharge_rate_kw, charging_start, charging_end,
    discharging_start, discharging_end, solar_kwp, objective, currency, import_price, export_price, may_export, charge_efficiency, discharge_efficiency,
    initial_kwh, import_limit_kw, ends_as_it_began, performance, solar_profile, site_point_id, solar_point_id, battery_point_id, grid_point_id,
    storage_point_id
FROM jsonb_to_record($3::jsonb) AS t (
    location_id bigint, name text, lat float8, lon float8, capacity_max_kwh float8, capacity_min_kwh float8, charge_rate_kw float8,
    discharge_rate_kw float8, charging_start integer, charging_end integer, discharging_start integer, discharging_end integer, solar_kwp float8,
    objective text, currency text, import_price float8[], export_price float8[], may_export boolean, charge_efficiency float8,
    discharge_efficiency float8, initial_kwh float8, import_limit_kw float8, ends_as_it_began boolean, performance float8, solar_profile float8[],
    site_point_id bigint, solar_point_id bigint, battery_point_id bigint, grid_point_id bigint, storage_point_id bigint)
ON CONFLICT (client_id, device_id) DO UPDATE SET
    location_id = excluded.location_id, name = excluded.name, lat = excluded.lat, lon = excluded.lon, capacity_max_kwh = excluded.capacity_max_kwh,
    capacity_min_kwh = excluded.capacity_min_kwh, charge_rate_kw = excluded.charge_rate_kw, discharge_rate_kw = excluded.discharge_rate_kw,
    charging_start = excluded.charging_start, charging_end = excluded.charging_end, discharging_start = excluded.discharging_start,
    discharging_end = excluded.discharging_end, solar_kwp = excluded.solar_kwp, objective = excluded.objective, currency = excluded.currency,
    import_price = excluded.import_price, export_price = excluded.export_price, may_export = excluded.may_export,
    charge_efficiency = excluded.charge_efficiency, discharge_efficiency = excluded.discharge_efficiency, initial_kwh = excluded.initial_kwh,
    import_limit_kw = excluded.import_limit_kw, ends_as_it_began = excluded.ends_as_it_began, performance = excluded.performance,
    solar_profile = excluded.solar_profile, site_point_id = excluded.site_point_id, solar_point_id = excluded.solar_point_id,
    battery_point_id = excluded.battery_point_id, grid_point_id = excluded.grid_point_id, storage_point_id = excluded.storage_point_id
