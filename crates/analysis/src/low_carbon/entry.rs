//! The record of a low-carbon site from an entry of an administrator: parses it, and reports everything that is wrong with it.

use dispatch::{Ending, Parameters, Problem, SLOTS, Tariff};
use grid::energy::kilo;
use grid::{Level, NodeId, PointId};
use identity::View;
use store::site::{SitePoints, SiteRecord};
use wire::lowcarbon::{LowCarbonSiteEntry, SitePointIds};

use crate::low_carbon::PlanError;
use crate::low_carbon::parameters::changed_parameters;

/// Largest length of a site's name, characters.
const NAME_MAX: usize = 200;

/// Names of fields in the checks of a plan, each with its name in the request body.
const NAMES: [(&str, &str); 7] = [
    ("import price", "tariff.importPrice"),
    ("export price", "tariff.exportPrice"),
    ("charge efficiency", "chargeEfficiency"),
    ("discharge efficiency", "dischargeEfficiency"),
    ("initial energy", "initialEnergyKwh"),
    ("import limit", "importLimitKw"),
    ("PV_Generation_Kw", "solarProfile"),
];

/// Parses the entry of a site. The error names every field that is wrong.
pub fn site_record(view: &View, device_id: i64, entry: LowCarbonSiteEntry) -> Result<SiteRecord, PlanError> {
    let name = entry.name.trim();
    let mut wrong = Vec::new();
    if !(1..=NAME_MAX).contains(&name.chars().count()) || name.chars().any(char::is_control) {
        wrong.push(format!("name: must have 1 to {NAME_MAX} characters, none of them a control character"));
    }
    let location = view.field.node(NodeId(entry.location_id)).filter(|node| node.level == Level::Substation && view.sees(node));
    if location.is_none() {
        wrong.push("locationId: there is no such substation".to_owned());
    }
    let currency = entry.tariff.currency.trim();
    if currency.len() != 3 || !currency.bytes().all(|byte| byte.is_ascii_uppercase()) {
        wrong.push("tariff.currency: must be three capital letters such as INR".to_owned());
    }
    if entry.may_export && entry.tariff.export_price.is_none() {
        wrong.push(format!("tariff.exportPrice: has to have {SLOTS} prices where mayExport is true"));
    }
    if !(0.0..=1.0).contains(&entry.performance_factor) {
        wrong.push("performanceFactor: from 0 to 1".to_owned());
    }
    let parameters = changed_parameters(&Parameters { device_id, ..Parameters::default() }, &entry.parameters);
    let parameters = parameters.map_err(|error| wrong.push(error.to_string())).ok();
    let place = place(&entry, parameters.as_ref()).map_err(|what| wrong.push(what)).ok().flatten();
    let points = points((view, location.map(|location| location.id)), &entry.points, &mut wrong);
    if entry.solar_profile.is_some() && parameters.as_ref().is_some_and(|parameters| parameters.solar_kwp <= 0.0) {
        wrong.push("solarProfile: SolarCapacityKwp is 0. Set the size of the panels or remove the profile.".to_owned());
    }
    if let Some(parameters) = &parameters
        && let Err(dispatch::Error::Invalid(faults)) = plannable(parameters, &entry)
    {
        let named = |field: &str| NAMES.iter().find_map(|(old, new)| Some(format!("{new}{}", field.strip_prefix(old)?)));
        wrong.extend(faults.iter().map(|fault| format!("{}: {}", named(&fault.field).unwrap_or_else(|| fault.field.clone()), fault.what)));
    }
    let (Some(location), Some(parameters), true) = (location, parameters, wrong.is_empty()) else {
        return Err(PlanError::Invalid(wrong.join("; ")));
    };
    Ok(SiteRecord {
        device_id,
        location: location.id,
        name: name.to_owned(),
        place,
        capacity_max_kwh: parameters.capacity_max_kwh,
        capacity_min_kwh: parameters.capacity_min_kwh,
        charge_rate_kw: parameters.charge_rate_kw,
        discharge_rate_kw: parameters.discharge_rate_kw,
        charging: (parameters.charging.start, parameters.charging.end),
        discharging: (parameters.discharging.start, parameters.discharging.end),
        solar_kwp: parameters.solar_kwp,
        objective: parameters.objective.as_str().to_owned(),
        currency: currency.to_owned(),
        import_price: entry.tariff.import_price,
        export_price: entry.tariff.export_price,
        may_export: entry.may_export,
        charge_efficiency: entry.charge_efficiency,
        discharge_efficiency: entry.discharge_efficiency,
        initial_kwh: entry.initial_energy_kwh,
        import_limit_kw: entry.import_limit_kw,
        ends_as_it_began: entry.ends_as_it_began,
        performance: entry.performance_factor,
        solar_profile: entry.solar_profile,
        points,
    })
}

/// Validates the values of a site: builds the optimisation problem of a day without demand. The solar power is that of the profile, or zero.
fn plannable(parameters: &Parameters, entry: &LowCarbonSiteEntry) -> Result<Problem, dispatch::Error> {
    let pv = entry.solar_profile.clone().unwrap_or_else(|| vec![0.0; SLOTS]);
    let site = dispatch::Site {
        charge_efficiency: entry.charge_efficiency,
        discharge_efficiency: entry.discharge_efficiency,
        initial_kwh: entry.initial_energy_kwh,
        ending: if entry.ends_as_it_began { Ending::AsBegun } else { Ending::Free },
        import_limit_kw: entry.import_limit_kw,
        ..dispatch::Site::new(vec![0.0; SLOTS], pv)
    };
    let tariff = Tariff { import_price: entry.tariff.import_price.clone(), export_price: entry.tariff.export_price.clone() };
    Problem::new(parameters, &site, &tariff)
}

/// Returns the coordinates of the site: from its own fields, or from its parameters. 0, 0 means "not set".
fn place(entry: &LowCarbonSiteEntry, parameters: Option<&Parameters>) -> Result<Option<(f64, f64)>, String> {
    let given = match (entry.lat, entry.lon) {
        (Some(lat), Some(lon)) if (-90.0..=90.0).contains(&lat) && (-180.0..=180.0).contains(&lon) => Some((lat, lon)),
        (None, None) => None,
        (Some(_), Some(_)) => return Err("lat, lon: degrees north from -90 to 90, and east from -180 to 180".to_owned()),
        _ => return Err("lat, lon: go together".to_owned()),
    };
    let is_set = |place: &(f64, f64)| *place != (0.0, 0.0);
    let beside = parameters.map(|parameters| (parameters.lat, parameters.lon)).filter(is_set);
    match (given.filter(is_set), beside) {
        (Some(one), Some(other)) if one != other => Err("parameters: lat and lon are not those of the site".to_owned()),
        (one, other) => Ok(one.or(other)),
    }
}

/// Returns the points of the given ids. Each must belong to the utility and to the substation of the site, because users who can see the site see its values.
/// Each must also measure the right quantity.
fn points((view, place): (&View, Option<NodeId>), given: &SitePointIds, wrong: &mut Vec<String>) -> SitePoints {
    let mut point = |name: &str, id: Option<i64>, is_stored: bool| {
        let id = PointId(id?);
        let seen = |location| view.field.node(location).is_some_and(|node| view.sees(node));
        let Some(found) = view.field.point(id).filter(|point| seen(point.location)) else {
            wrong.push(format!("points.{name}: there is no such point"));
            return None;
        };
        if place.is_some_and(|place| place != found.location) {
            wrong.push(format!("points.{name}: lies at another substation than the site"));
        }
        let fits = kilo(&found.unit).is_some_and(|_| found.unit.ends_with("Wh") == is_stored) || is_stored && found.unit == "%";
        if !fits || found.encoding().is_some() {
            let units = if is_stored { "Wh, kWh, MWh or %" } else { "W, kW or MW" };
            wrong.push(format!("points.{name}: is a point in {}; {units}", if found.unit.is_empty() { "no unit" } else { &found.unit }));
        }
        Some(id)
    };
    SitePoints {
        site: point("site", given.site, false),
        solar: point("solar", given.solar, false),
        battery: point("battery", given.battery, false),
        grid: point("grid", given.grid, false),
        storage: point("storage", given.storage, true),
    }
}
