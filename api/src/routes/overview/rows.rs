//! GET /api/overview/{type}/{id}: a row for each substation, the same as in `overview/…` of the live socket.

use std::collections::HashSet;

use ::drawing::picture::Picture;
use analysis::diagrams::settled;
use axum::Json;
use axum::extract::State;
use grid::NodeId;
use grid::table::overview;
use identity::Region;
use wire::Envelope;
use wire::overview::{OverviewRow, SubstationFacts};

use crate::error::Error;
use crate::extract::Scoped;
use crate::state::Services;

/// Returns the substations of a utility or below a node, with load, dead feeders, and customers without supply.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/overview/{type}/{id}", tag = "overview", operation_id = "overview", security(("bearer" = [])),
    params(
        ("type" = String, Path, description = "`client`, `circle` to `section`, or `location`"),
        ("id" = i64, Path, description = "The id of the area or asset")
    ),
    responses((status = 200, description = "Rows by name", body = Envelope<Vec<OverviewRow>>))
))]
pub(crate) async fn handle(State(services): State<Services>, scoped: Scoped<Region>) -> Result<Json<Envelope<Vec<OverviewRow>>>, Error> {
    let (view, area) = (&scoped.view, scoped.target);
    let field = &view.field;
    let nodes = area.substations(view);
    let locations: HashSet<NodeId> = nodes.iter().map(|node| node.id).collect();
    let only = if let [node] = &*nodes { Some(node.id) } else { None };
    let latest = field.picture(services.store().latest_of(view.principal.client, only).await?, Services::now());
    let pictures = settled(&services.0.pictures, services.store(), view, &locations, &latest).await?;
    let now = Services::now();
    let network_unavailable = field.is_network_unavailable();
    let network = field.present_network(services.store(), now).await?.filter(|_| !network_unavailable);
    let feeders = field.network_feeders();
    let rows = nodes.iter().map(|node| {
        let assets: Vec<overview::Asset<'_>> = field.assets_at(node.id).map(|asset| asset.for_overview()).collect();
        let station = overview::station(node.id, &assets, field.points_at(node.id));
        let row = overview::row(&station, pictures.get(&node.id).map(Picture::lines), now, |point| latest.get(&point).copied());
        let row = match &network {
            Some(network) => feeders.count(row, node.id, network.customers_without_supply()),
            None => row,
        };
        let path = node.path.iter().filter_map(|above| field.node(*above)).map(|above| above.name.as_str()).collect();
        let links = field.gateways_at(node.id).map(|gateway| field.link(gateway.id));
        let gateways = links.map(|link| (link.online, link.since)).collect();
        let place =
            SubstationFacts { name: &node.name, kv: node.kv.as_deref(), lat: node.lat, lon: node.lon, path, network_unavailable, gateways };
        OverviewRow::of(&station, &place, &row)
    });
    Ok(Json(Envelope::ok(rows.collect())))
}
