//! GET /api/lowcarbon/sites/{type}/{id} and /api/lowcarbon/site/{deviceId}: the sites of an area, and the data for the plan of one site.

use analysis::low_carbon::site_parameters;
use axum::Json;
use axum::extract::State;
use grid::{PointId, Scope};
use identity::{Area, View};
use store::site::{SitePoints, SiteRecord};
use wire::Envelope;
use wire::lowcarbon::{LowCarbonSite, LowCarbonSiteDetail, OptimiserParameters, SitePoint, SitePointNames, SiteTariff};

use crate::error::Error;
use crate::extract::Scoped;
use crate::hierarchy::{joined, path_names};
use crate::page::{Administration, Page as _};
use crate::routes::lowcarbon::VisibleSite;
use crate::state::Services;

/// Returns the low-carbon sites of an area; for an asset those that it measures.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/lowcarbon/sites/{type}/{id}", tag = "lowcarbon", operation_id = "lowCarbonSites", security(("bearer" = [])),
    params(("type" = String, Path, description = "`client`, a level, or `asset`"), ("id" = i64, Path, description = "The id of the area or asset")),
    responses((status = 200, description = "By name", body = Envelope<Vec<LowCarbonSite>>))
))]
pub(crate) async fn list(State(services): State<Services>, scoped: Scoped<Area>) -> Result<Json<Envelope<Vec<LowCarbonSite>>>, Error> {
    let (view, area) = (&scoped.view, scoped.target);
    let sites = services.store().sites(view.principal.client).await?;
    let rows = sites.iter().filter(|site| lies_in(view, area, site)).filter_map(|site| row(view, site));
    Ok(Json(Envelope::ok(rows.collect())))
}

fn lies_in(view: &View, area: Area, site: &SiteRecord) -> bool {
    match area.0 {
        None => true,
        Some(Scope::Node(below)) => view.field.node(site.location).is_some_and(|node| node.path.contains(&below)),
        Some(Scope::Asset(asset)) => view.field.points_of(asset).any(|point| site.points.all().any(|id| id == point.id)),
    }
}

/// Returns the row of a site in lists, if the caller may see it.
fn row(view: &View, site: &SiteRecord) -> Option<LowCarbonSite> {
    let node = view.field.node(site.location).filter(|node| view.sees(node))?;
    let mut names = path_names(view, node);
    names.push(&site.name);
    Some(LowCarbonSite {
        device_id: site.device_id,
        name: site.name.clone(),
        location_id: node.id.0,
        location_name: node.name.clone(),
        bread_crumb_name: joined(&names),
        lat: site.place.map(|place| place.0),
        lon: site.place.map(|place| place.1),
    })
}

/// Returns a site with everything from which its plan is computed.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/lowcarbon/site/{deviceId}", tag = "lowcarbon", operation_id = "lowCarbonSite", security(("bearer" = [])),
    params(("deviceId" = i64, Path, description = "A site")),
    responses((status = 200, description = "The configuration of the site", body = Envelope<LowCarbonSiteDetail>))
))]
pub(crate) async fn one(
    State(services): State<Services>,
    VisibleSite { view, site }: VisibleSite,
) -> Result<Json<Envelope<LowCarbonSiteDetail>>, Error> {
    let principal = &view.principal;
    let may_change =
        principal.administers() && services.store().may_write_from(principal.client, principal.role_id, Administration::KEY).await?;
    Ok(Json(Envelope::ok(detail(&view, &site, may_change).ok_or(Error::NotFound)?)))
}

/// Returns all data of a site, if the caller may see it.
pub(crate) fn detail(view: &View, site: &SiteRecord, may_change: bool) -> Option<LowCarbonSiteDetail> {
    let parameters = site_parameters(site);
    Some(LowCarbonSiteDetail {
        site: row(view, site)?,
        parameters: OptimiserParameters {
            capacity_max_kwh: parameters.capacity_max_kwh,
            capacity_min_kwh: parameters.capacity_min_kwh,
            charge_rate_kw: parameters.charge_rate_kw,
            discharge_rate_kw: parameters.discharge_rate_kw,
            charging_start: parameters.charging.start,
            charging_end: parameters.charging.end,
            discharging_start: parameters.discharging.start,
            discharging_end: parameters.discharging.end,
            solar_kwp: parameters.solar_kwp,
            lat: parameters.lat,
            lon: parameters.lon,
            objective: parameters.objective.as_str().to_owned(),
            device_id: parameters.device_id,
        },
        tariff: SiteTariff {
            currency: site.currency.clone(),
            import_price: site.import_price.clone(),
            export_price: site.export_price.clone(),
        },
        charge_efficiency: site.charge_efficiency,
        discharge_efficiency: site.discharge_efficiency,
        initial_energy_kwh: site.initial_kwh,
        may_export: site.may_export,
        import_limit_kw: site.import_limit_kw,
        ends_as_it_began: site.ends_as_it_began,
        performance_factor: site.performance,
        solar_profile: site.solar_profile.clone(),
        points: names(view, &site.points),
        time_zone: view.field.client().time_zone.clone(),
        may_change,
    })
}

fn names(view: &View, points: &SitePoints) -> SitePointNames {
    let named = |id: Option<PointId>| {
        let point = view.field.point(id?)?;
        Some(SitePoint { point_id: point.id.0, name: format!("{} {}", point.asset_name, point.code) })
    };
    SitePointNames {
        site: named(points.site),
        solar: named(points.solar),
        battery: named(points.battery),
        grid: named(points.grid),
        storage: named(points.storage),
    }
}
