//! PUT /api/admin/map: replaces the geometry of the caller's utility.

use std::collections::HashSet;

use axum::Json;
use axum::extract::State;
use grid::{AssetId, Level, NodeId};
use identity::RequestOrigin;
use registry::Field;
use store::geography::{Geography, LonLat, Way, WayRecord};
use wire::Envelope;
use wire::bus::BusMessage;
use wire::map::{Feature, Geometry, MapStored, NetworkMap, Properties};

use crate::body::Body;
use crate::error::Error;
use crate::page::{Administration, Writes};
use crate::routes::admin::Administrator;
use crate::state::Services;

/// Limit of the body, bytes.
pub(crate) const BODY_MAX_BYTES: usize = 5 * 1024 * 1024;
/// Maximum number of features of a map.
const FEATURES_MAX: usize = 20_000;
/// Maximum number of characters of a name.
const NAME_MAX: usize = 200;

/// Replaces all lines and feeders of the map, and moves the given substations. The answer of `map/network/client/{id}` can be sent back.
#[cfg_attr(test, utoipa::path(
    put, path = "/api/admin/map", tag = "admin", operation_id = "changeMap", security(("bearer" = [])), request_body = NetworkMap,
    responses(
        (status = 200, description = "The numbers of stored items", body = Envelope<MapStored>),
        (status = 400, description = "The input cannot be used; the message names the place and what is allowed", body = wire::envelope::Failure),
        (status = 403, description = "The caller has no permission", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn put(
    State(services): State<Services>,
    Administrator(principal): Administrator,
    _: Writes<Administration>,
    trail: RequestOrigin,
    Body(map): Body<NetworkMap>,
) -> Result<Json<Envelope<MapStored>>, Error> {
    let client = principal.client;
    // A substation that was added just now may already be on the map.
    services.0.deps.fields.refresh().await;
    let field = services.field(client).await?;
    let geography = read(&field, map).map_err(Error::BadRequest)?;
    services.store().replace_geography(client, &geography, &trail.origin).await?;
    services.0.deps.fields.refresh().await;
    services.0.deps.bus.publish(BusMessage::Registry { client: client.0 });
    let lines = geography.ways.iter().filter(|way| matches!(way.kind, Way::Line { .. })).count();
    let (substations, feeders) = (geography.places.len(), geography.ways.len() - lines);
    Ok(Json(Envelope::ok(MapStored { substations, lines, feeders })))
}

/// Validates the map. The error says where it is wrong and what is allowed there.
fn read(field: &Field, map: NetworkMap) -> Result<Geography, String> {
    if map.features.len() > FEATURES_MAX {
        return Err(format!("features: {} are given, {FEATURES_MAX} are allowed", map.features.len()));
    }
    let (mut geography, mut placed) = (Geography::default(), HashSet::new());
    for (index, feature) in map.features.into_iter().enumerate() {
        let at = format!("features[{index}]");
        let wrong = |path: &str, allowed: &str| Err(format!("{at}.{path} {allowed}"));
        let Feature { geometry, properties, .. } = feature;
        if let Some((path, allowed)) = misplaced(&geometry) {
            return wrong(&path, allowed);
        }
        let station = |path: &str, id: i64| match field.node(NodeId(id)).filter(|node| node.level == Level::Substation) {
            Some(node) => Ok(node.id),
            None => Err(format!("{at}.properties.{path}: there is no such substation")),
        };
        let asset = |id: i64| match field.asset(AssetId(id)) {
            Some(asset) => Ok(asset),
            None => Err(format!("{at}.properties.assetId: there is no such asset")),
        };
        match (properties, geometry) {
            (Properties::Substation { location_id, .. }, Geometry::Point { coordinates }) => {
                let location = station("locationId", location_id)?;
                if !placed.insert(location) {
                    return wrong("properties.locationId", "is given twice, once is allowed");
                }
                geography.places.push((location, coordinates));
            }
            (Properties::Line { asset_id, kv, from_location_id, to_location_id, name }, Geometry::LineString { coordinates }) => {
                let from = from_location_id.map(|id| station("fromLocationId", id)).transpose()?;
                let to = to_location_id.map(|id| station("toLocationId", id)).transpose()?;
                if from.is_none() && to.is_none() {
                    return wrong("properties", "must name a substation in fromLocationId or toLocationId");
                }
                if kv.is_some_and(|kv| !(kv > 0.0 && kv <= 2_000.0)) {
                    return wrong("properties.kv", "must be above 0 and at most 2000");
                }
                let asset = asset_id.map(asset).transpose()?;
                if asset.is_some_and(|asset| ![from, to].contains(&Some(asset.location))) {
                    return wrong("properties.assetId", "must be an asset of one of the line's substations");
                }
                let kind = Way::Line { asset: asset.map(|asset| asset.id), kv, from, to };
                geography.ways.push(WayRecord { kind, name: named(name, &at)?, path: coordinates });
            }
            (Properties::Feeder { asset_id, location_id, name }, Geometry::LineString { coordinates }) => {
                let location = station("locationId", location_id)?;
                let asset = asset(asset_id)?;
                if asset.location != location {
                    return wrong("properties.assetId", "must be an asset of the substation in locationId");
                }
                let kind = Way::Feeder { asset: asset.id, location };
                geography.ways.push(WayRecord { kind, name: named(name, &at)?, path: coordinates });
            }
            (Properties::Substation { .. }, _) => return wrong("geometry.type", "must be Point for a substation"),
            _ => return wrong("geometry.type", "must be LineString for a line or feeder"),
        }
    }
    Ok(geography)
}

fn named(name: String, at: &str) -> Result<String, String> {
    let is_good = !name.trim().is_empty() && name.chars().count() <= NAME_MAX && !name.chars().any(char::is_control);
    if is_good { Ok(name) } else { Err(format!("{at}.properties.name must have 1 to {NAME_MAX} characters without control characters")) }
}

/// Returns the first coordinate that is not on the globe, and what is allowed there.
fn misplaced(geometry: &Geometry) -> Option<(String, &'static str)> {
    const RANGE: &str = "must be longitude -180 to 180 and latitude -90 to 90";
    let is_off = |[lon, lat]: &LonLat| !(-180.0..=180.0).contains(lon) || !(-90.0..=90.0).contains(lat);
    match geometry {
        Geometry::Point { coordinates } => is_off(coordinates).then(|| ("geometry.coordinates".to_owned(), RANGE)),
        Geometry::LineString { coordinates } if coordinates.len() < 2 => {
            Some(("geometry.coordinates".to_owned(), "must have at least two places"))
        }
        Geometry::LineString { coordinates } => {
            coordinates.iter().position(is_off).map(|place| (format!("geometry.coordinates[{place}]"), RANGE))
        }
    }
}
