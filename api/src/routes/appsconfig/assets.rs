//! Assets of a substation: primary, secondary, and those of an application.

use axum::extract::{Path, State};
use wire::hierarchy::AssetRow;

use crate::error::Error;
use crate::extract::{Location, Scoped};
use crate::hierarchy::{Answer, AssetTypes, GROUPS, Question, SUBSTATION_LEVEL, TRANSFORMERS};
use crate::state::Services;

/// The applications that show transformers.
const ABOUT_TRANSFORMERS: [&str; 2] = ["ASSET", "ASSET_DASHBOARD"];

/// Returns the group assets of a substation and the substation itself: types 1, 4 and 11.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/appsconfig/primaryassetsbyassetpoint/{id}", tag = "appsconfig", operation_id = "primaryAssets", security(("bearer" = [])),
    params(("id" = i64, Path, description = "A substation")),
    responses((status = 200, description = "Assets by name", body = wire::Envelope<Vec<AssetRow>>))
))]
pub(crate) async fn primary(scoped: Scoped<Location>) -> Answer<AssetRow> {
    let [feeders, groups] = GROUPS;
    Question::from(scoped).assets(&AssetTypes::of(&[feeders, groups, SUBSTATION_LEVEL]))
}

/// Returns the transformers of a substation: types 2 and 5.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/appsconfig/secondaryassetsbyassetpoint/{id}", tag = "appsconfig", operation_id = "secondaryAssets", security(("bearer" = [])),
    params(("id" = i64, Path, description = "A substation")),
    responses((status = 200, description = "Assets by name", body = wire::Envelope<Vec<AssetRow>>))
))]
pub(crate) async fn secondary(scoped: Scoped<Location>) -> Answer<AssetRow> {
    Question::from(scoped).assets(&AssetTypes::of(&TRANSFORMERS))
}

/// Returns the assets of a substation for an application: transformers for the asset applications, otherwise types 1 and 4.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/appsconfig/assetsbyappidastptid/{id}/{appId}", tag = "appsconfig", operation_id = "assetsByApp", security(("bearer" = [])),
    params(("id" = i64, Path, description = "A substation"), ("appId" = i32, Path, description = "An application of `rolepages`")),
    responses((status = 200, description = "Assets by name", body = wire::Envelope<Vec<AssetRow>>))
))]
pub(crate) async fn of_app(
    State(services): State<Services>,
    scoped: Scoped<Location>,
    Path(ids): Path<(String, String)>,
) -> Result<Answer<AssetRow>, Error> {
    let app: i32 = ids.1.parse().map_err(|_| Error::NotFound)?;
    let (client, role) = (scoped.view.principal.client, scoped.view.principal.role_id);
    let pages = services.store().page_access(client, role..=role).await?;
    let page = pages.iter().map(|access| &access.page).find(|page| page.app_id == app).ok_or(Error::NotFound)?;
    let types = if ABOUT_TRANSFORMERS.contains(&page.app_name.as_str()) { TRANSFORMERS } else { GROUPS };
    Ok(Question::from(scoped).assets(&AssetTypes::of(&types)))
}
