//! GET /api/map/network/{type}/{id}: a part of the network as GeoJSON.

use axum::Json;
use axum::extract::State;
use grid::NodeId;
use identity::{Region, View};
use store::geography::{Way, WayRecord};
use wire::Envelope;
use wire::map::{CollectionType, Feature, FeatureType, Geometry, NetworkMap, Properties};

use crate::error::Error;
use crate::extract::Scoped;
use crate::state::Services;

/// Returns substations, lines and feeders of a utility or below a node. A line is included if the caller sees one of its ends.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/map/network/{type}/{id}", tag = "map", operation_id = "networkMap", security(("bearer" = [])),
    params(
        ("type" = String, Path, description = "`client`, `circle` to `section`, or `location`"),
        ("id" = i64, Path, description = "The id of the area or asset")
    ),
    responses((status = 200, description = "GeoJSON, without substations whose coordinates are not known", body = Envelope<NetworkMap>))
))]
pub(crate) async fn handle(State(services): State<Services>, scoped: Scoped<Region>) -> Result<Json<Envelope<NetworkMap>>, Error> {
    let (view, area) = (&scoped.view, scoped.target);
    let substations = area.substations(view).into_iter().filter_map(|node| {
        let properties = Properties::Substation { location_id: node.id.0, name: node.name.clone(), kv: node.kv.clone() };
        Some(Feature { kind: FeatureType::Feature, geometry: Geometry::Point { coordinates: [node.lon?, node.lat?] }, properties })
    });
    let ways = services.store().ways(view.principal.client).await?;
    let ways = ways.into_iter().filter_map(|way| feature(view, area, way));
    Ok(Json(Envelope::ok(NetworkMap { kind: CollectionType::FeatureCollection, features: substations.chain(ways).collect() })))
}

fn feature(view: &View, area: Region, way: WayRecord) -> Option<Feature> {
    let is_within = |location: NodeId| view.field.node(location).is_some_and(|node| area.has(view, node));
    // The id of the other end is included only if the caller may see that substation.
    let visible_end = |end: Option<NodeId>| end.filter(|end| view.field.node(*end).is_some_and(|node| view.sees(node))).map(|end| end.0);
    let WayRecord { kind, name, path } = way;
    let properties = match kind {
        Way::Line { asset, kv, from, to } if from.into_iter().chain(to).any(is_within) => {
            let seen = asset.and_then(|asset| view.field.asset(asset)).filter(|asset| visible_end(Some(asset.location)).is_some());
            Properties::Line {
                asset_id: seen.map(|asset| asset.id.0),
                kv,
                from_location_id: visible_end(from),
                to_location_id: visible_end(to),
                name,
            }
        }
        Way::Feeder { asset, location } if is_within(location) => Properties::Feeder { asset_id: asset.0, location_id: location.0, name },
        Way::Line { .. } | Way::Feeder { .. } => return None,
    };
    Some(Feature { kind: FeatureType::Feature, geometry: Geometry::LineString { coordinates: path }, properties })
}
