//! Lists of assets by user, utility or substation, of the default types or of those in the path.

use wire::hierarchy::AssetRow;

use crate::extract::{Location, OwnClient, OwnMember, Scoped};
use crate::hierarchy::{Answer, AssetTypes, Question};

/// Returns the assets of types 1 and 4 that the caller can see.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/asset/assetsbyuser/{id}", tag = "asset", operation_id = "assetsByUser", security(("bearer" = [])),
    params(("id" = i64, Path, description = "The caller")),
    responses((status = 200, description = "Assets by substation and name", body = wire::Envelope<Vec<AssetRow>>))
))]
pub(crate) async fn by_user(scoped: Scoped<OwnMember>, types: AssetTypes) -> Answer<AssetRow> {
    Question::from(scoped).assets(&types)
}

/// Returns the assets of the given types that the caller can see.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/asset/assetsbyuser/{id}/{types}", tag = "asset", operation_id = "assetsByUserOfTypes", security(("bearer" = [])),
    params(("id" = i64, Path, description = "The caller"), ("types" = String, Path, description = "Such as `2,5`")),
    responses(
        (status = 200, description = "Assets by substation and name", body = wire::Envelope<Vec<AssetRow>>),
        (status = 400, description = "Not a list of types", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn by_user_of_types(scoped: Scoped<OwnMember>, types: AssetTypes) -> Answer<AssetRow> {
    Question::from(scoped).assets(&types)
}

/// Returns the assets of types 1 and 4 that the caller can see; the path has the utility.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/asset/assetsbyclient/{id}", tag = "asset", operation_id = "assetsByClient", security(("bearer" = [])),
    params(("id" = i64, Path, description = "The caller's utility")),
    responses((status = 200, description = "Assets by substation and name", body = wire::Envelope<Vec<AssetRow>>))
))]
pub(crate) async fn by_client(scoped: Scoped<OwnClient>, types: AssetTypes) -> Answer<AssetRow> {
    Question::from(scoped).assets(&types)
}

/// Returns the assets of the given types that the caller can see; the path has the utility.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/asset/assetsbyclient/{id}/{types}", tag = "asset", operation_id = "assetsByClientOfTypes", security(("bearer" = [])),
    params(("id" = i64, Path, description = "The caller's utility"), ("types" = String, Path, description = "Such as `2,5`")),
    responses(
        (status = 200, description = "Assets by substation and name", body = wire::Envelope<Vec<AssetRow>>),
        (status = 400, description = "Not a list of types", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn by_client_of_types(scoped: Scoped<OwnClient>, types: AssetTypes) -> Answer<AssetRow> {
    Question::from(scoped).assets(&types)
}

/// Returns the assets of types 1 and 4 of a substation.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/asset/assetsbysubstation/{id}", tag = "asset", operation_id = "assetsBySubstation", security(("bearer" = [])),
    params(("id" = i64, Path, description = "A substation")),
    responses((status = 200, description = "Assets by substation and name", body = wire::Envelope<Vec<AssetRow>>))
))]
pub(crate) async fn by_substation(scoped: Scoped<Location>, types: AssetTypes) -> Answer<AssetRow> {
    Question::from(scoped).assets(&types)
}

/// Returns the assets of the given types of a substation.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/asset/assetsbysubstation/{id}/{types}", tag = "asset", operation_id = "assetsBySubstationOfTypes", security(("bearer" = [])),
    params(("id" = i64, Path, description = "A substation"), ("types" = String, Path, description = "Such as `2,5`")),
    responses(
        (status = 200, description = "Assets by substation and name", body = wire::Envelope<Vec<AssetRow>>),
        (status = 400, description = "Not a list of types", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn by_substation_of_types(scoped: Scoped<Location>, types: AssetTypes) -> Answer<AssetRow> {
    Question::from(scoped).assets(&types)
}
