//! GET /api/admin/lowcarbonsites, PUT and DELETE /api/admin/lowcarbonsite/{deviceId}: the low-carbon sites of a utility with the data for
//! their plans.

use axum::Json;
use axum::extract::{RawPathParams, State};
use axum::http::{HeaderMap, header};
use dispatch::{Ending, Parameters, Problem, SLOTS, Tariff};
use grid::energy::kilo;
use grid::{Level, NodeId, PointId};
use identity::{Trail, View};
use store::site::{Entered, Names, SitePoints, SiteRecord, Wanted};
use wire::Envelope;
use wire::lowcarbon::{LowCarbonSiteDetail, LowCarbonSiteEntry, SitePointIds};

use crate::body::Body;
use crate::error::Error;
use crate::page::{Administration, Writes};
use crate::routes::admin::Administrator;
use crate::routes::lowcarbon::sites::detail;
use crate::routes::lowcarbon::{device_id, fields};
use crate::state::Services;

/// Limit of sites of one utility.
const SITES_MAX: i64 = 500;
const NAME_MAX: usize = 200;
/// The largest integer that browsers represent exactly.
const DEVICE_MAX: i64 = 9_007_199_254_740_991;

/// Field names in the messages of plan validation, with those of the request body.
const NAMES: [(&str, &str); 7] = [
    ("import price", "tariff.importPrice"),
    ("export price", "tariff.exportPrice"),
    ("charge efficiency", "chargeEfficiency"),
    ("discharge efficiency", "dischargeEfficiency"),
    ("initial energy", "initialEnergyKwh"),
    ("import limit", "importLimitKw"),
    ("PV_Generation_Kw", "solarProfile"),
];

/// Returns all low-carbon sites of the utility with their configuration.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/admin/lowcarbonsites", tag = "admin", operation_id = "configuredLowCarbonSites", security(("bearer" = [])),
    responses((status = 200, description = "By name", body = Envelope<Vec<LowCarbonSiteDetail>>))
))]
pub(crate) async fn list(
    State(services): State<Services>,
    Administrator(principal): Administrator,
    view: View,
) -> Result<Json<Envelope<Vec<LowCarbonSiteDetail>>>, Error> {
    let sites = services.store().sites(principal.client).await?;
    Ok(Json(Envelope::ok(sites.iter().filter_map(|site| detail(&view, site, true)).collect())))
}

/// Creates or replaces a site. `If-None-Match: *` only creates, `If-Match: *` only replaces.
#[cfg_attr(test, utoipa::path(
    put, path = "/api/admin/lowcarbonsite/{deviceId}", tag = "admin", operation_id = "putLowCarbonSite", security(("bearer" = [])),
    params(
        ("deviceId" = i64, Path, description = "The site's number, from 1"),
        ("If-None-Match" = Option<String>, Header, description = "`*`: only a new site"),
        ("If-Match" = Option<String>, Header, description = "`*`: only an existing site"),
    ),
    request_body = LowCarbonSiteEntry,
    responses(
        (status = 200, description = "The stored configuration", body = Envelope<LowCarbonSiteDetail>),
        (status = 400, description = "The input cannot be used; the message names each field", body = wire::envelope::Failure),
        (status = 412, description = "The site exists already, or does not exist", body = wire::envelope::Failure),
    )
))]
#[allow(clippy::too_many_arguments, reason = "each is a part of the request that the handler names")]
pub(crate) async fn put(
    State(services): State<Services>,
    Administrator(principal): Administrator,
    _: Writes<Administration>,
    trail: Trail,
    view: View,
    params: RawPathParams,
    headers: HeaderMap,
    Body(entry): Body<LowCarbonSiteEntry>,
) -> Result<Json<Envelope<LowCarbonSiteDetail>>, Error> {
    let device_id = device_id(&params).filter(|id| (1..=DEVICE_MAX).contains(id)).ok_or(Error::NotFound)?;
    let site = checked(&view, device_id, entry)?;
    match services.store().put_site(principal.client, &site, wanted(&headers)?, SITES_MAX, &trail.origin).await? {
        Entered::Stored => Ok(Json(Envelope::ok(detail(&view, &site, true).ok_or(Error::Internal)?))),
        Entered::Exists => {
            Err(Error::Unmet(format!("there is a site {device_id} already, and nothing of it was changed: choose another number")))
        }
        Entered::Missing => Err(Error::Unmet(format!("there is no site {device_id} any more"))),
        Entered::Full(others) => Err(Error::BadRequest(format!("there are {others} sites; up to {SITES_MAX}"))),
        Entered::Unknown(Names::Location) => Err(Error::BadRequest("locationId: there is no such substation".to_owned())),
        Entered::Unknown(Names::Points) => Err(Error::BadRequest("points: one of them is not there any more".to_owned())),
    }
}

/// Returns the precondition of the request: `If-Match: *` or `If-None-Match: *`.
fn wanted(headers: &HeaderMap) -> Result<Wanted, Error> {
    match (headers.get(header::IF_NONE_MATCH), headers.get(header::IF_MATCH)) {
        (None, None) => Ok(Wanted::Either),
        (Some(any), None) if any == "*" => Ok(Wanted::New),
        (None, Some(any)) if any == "*" => Ok(Wanted::There),
        _ => Err(Error::BadRequest("If-None-Match, If-Match: one of them, and only *".to_owned())),
    }
}

/// Removes a site and its demand files. Measured values are kept.
#[cfg_attr(test, utoipa::path(
    delete, path = "/api/admin/lowcarbonsite/{deviceId}", tag = "admin", operation_id = "removeLowCarbonSite", security(("bearer" = [])),
    params(("deviceId" = i64, Path, description = "The site's number")),
    responses((status = 200, description = "The site is removed", body = Envelope<String>))
))]
pub(crate) async fn delete(
    State(services): State<Services>,
    Administrator(principal): Administrator,
    _: Writes<Administration>,
    trail: Trail,
    params: RawPathParams,
) -> Result<Json<Envelope<String>>, Error> {
    let device_id = device_id(&params).ok_or(Error::NotFound)?;
    if services.store().remove_site(principal.client, device_id, &trail.origin).await? {
        Ok(Json(Envelope::ok("The site has been removed.".to_owned())))
    } else {
        Err(Error::NotFound)
    }
}

/// Validates a site. The error lists everything that is wrong.
fn checked(view: &View, device_id: i64, entry: LowCarbonSiteEntry) -> Result<SiteRecord, Error> {
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
    let parameters = fields(&Parameters { device_id, ..Parameters::default() }, &entry.parameters);
    let parameters = parameters.map_err(|error| wrong.push(error.to_string())).ok();
    let place = place(&entry, parameters.as_ref()).map_err(|what| wrong.push(what)).ok().flatten();
    let points = points((view, location.map(|location| location.id)), &entry.points, &mut wrong);
    if entry.solar_profile.is_some() && parameters.as_ref().is_some_and(|parameters| parameters.solar_kwp <= 0.0) {
        wrong.push("solarProfile: is that of no panels, as SolarCapacityKwp is 0; say their size, or leave the profile out".to_owned());
    }
    if let Some(parameters) = &parameters
        && let Err(dispatch::Error::Invalid(faults)) = plannable(parameters, &entry)
    {
        let named = |field: &str| NAMES.iter().find_map(|(old, new)| Some(format!("{new}{}", field.strip_prefix(old)?)));
        wrong.extend(faults.iter().map(|fault| format!("{}: {}", named(&fault.field).unwrap_or_else(|| fault.field.clone()), fault.what)));
    }
    let (Some(location), Some(parameters), true) = (location, parameters, wrong.is_empty()) else {
        return Err(Error::BadRequest(wrong.join("; ")));
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
        objective: parameters.objective.word().to_owned(),
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

/// Checks that a day can be planned with the demand and sun of the site's own profile only.
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

/// Returns the position of the site, from its own fields or from the parameters. 0, 0 means none.
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

/// Resolves the points by their ids. Each must belong to the utility, measure the right quantity, and lie at the location of the site,
/// because users who see the site also see its values.
fn points((view, place): (&View, Option<NodeId>), given: &SitePointIds, wrong: &mut Vec<String>) -> SitePoints {
    let mut point = |name: &str, id: Option<i64>, is_stored: bool| {
        let id = PointId(id?);
        let seen = |location| view.field.node(location).is_some_and(|node| view.sees(node));
        let Some(found) = view.field.points().find(|point| point.id == id && seen(point.location)) else {
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
