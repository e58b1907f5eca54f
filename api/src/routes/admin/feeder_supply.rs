//! GET and PUT /api/admin/feedersupply/{id}: the connected load of a feeder and whether it is agricultural, for the reliability indices.

use axum::Json;
use axum::extract::State;
use identity::RequestOrigin;
use store::outage::FeederSupply;
use wire::Envelope;
use wire::reliability::FeederSupplyRow;

use crate::body::Body;
use crate::error::Error;
use crate::extract::{Asset, Scoped};
use crate::page::{Administration, Writes};
use crate::routes::admin::Administrator;
use crate::state::Services;

/// Asset type of a feeder (specification 2, section 9).
const FEEDER: i32 = 1;

/// Returns the connected load of a feeder, and whether it is agricultural.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/admin/feedersupply/{id}", tag = "admin", operation_id = "feederSupply", security(("bearer" = [])),
    params(("id" = i64, Path, description = "A feeder")),
    responses(
        (status = 200, description = "The connected load and the flag", body = Envelope<FeederSupplyRow>),
        (status = 403, description = "The caller is no administrator", body = wire::envelope::Failure),
        (status = 404, description = "There is no such feeder", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn get(
    State(services): State<Services>,
    _: Administrator,
    scoped: Scoped<Asset>,
) -> Result<Json<Envelope<FeederSupplyRow>>, Error> {
    let asset = scoped.target.0;
    if asset.type_id != FEEDER {
        return Err(Error::NotFound);
    }
    let held = services.store().feeder_supplies(asset.client).await?.into_iter().find(|supply| supply.asset == asset.id);
    let row = held.map_or(FeederSupplyRow { connected_kva: None, agricultural: false }, |held| FeederSupplyRow {
        connected_kva: held.connected_kva,
        agricultural: held.agricultural,
    });
    Ok(Json(Envelope::ok(row)))
}

/// Replaces the connected load of a feeder, and whether it is agricultural.
#[cfg_attr(test, utoipa::path(
    put, path = "/api/admin/feedersupply/{id}", tag = "admin", operation_id = "changeFeederSupply", security(("bearer" = [])),
    params(("id" = i64, Path, description = "A feeder")), request_body = FeederSupplyRow,
    responses(
        (status = 200, description = "The stored configuration", body = Envelope<FeederSupplyRow>),
        (status = 400, description = "The input cannot be used; the message names what is wrong", body = wire::envelope::Failure),
        (status = 403, description = "The caller has no permission", body = wire::envelope::Failure),
        (status = 404, description = "There is no such feeder", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn put(
    State(services): State<Services>,
    _: Administrator,
    _: Writes<Administration>,
    trail: RequestOrigin,
    scoped: Scoped<Asset>,
    Body(row): Body<FeederSupplyRow>,
) -> Result<Json<Envelope<FeederSupplyRow>>, Error> {
    let asset = scoped.target.0;
    if asset.type_id != FEEDER {
        return Err(Error::NotFound);
    }
    if row.connected_kva.is_some_and(|kva| !(kva > 0.0 && kva < 1e9)) {
        return Err(Error::BadRequest("connectedKva must lie above 0 and below 1e9, or be null".to_owned()));
    }
    let supply = FeederSupply { asset: asset.id, connected_kva: row.connected_kva, agricultural: row.agricultural };
    services.store().put_feeder_supply(asset.client, &supply, &trail.origin).await?;
    Ok(Json(Envelope::ok(row)))
}
