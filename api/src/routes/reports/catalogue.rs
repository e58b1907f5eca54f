//! GET /api/pfcreport/reportslist, reportslistbyrole/{level}/{client}, reportfrequencylist and reportdetails/{id}: the available reports.

#![allow(unused_qualifications, reason = "the path macro repeats the type of the query")]

use axum::Json;
use axum::extract::{Path, Query};
use grid::{AssetId, Level};
use identity::View;
use reports::catalogue::all;
use reports::definition::{Definition, Places, decimals, kind_word};
use reports::period::FREQUENCIES;
use reports::purpose::{is_offered, purpose};
use serde::{Deserialize, Serialize};
use wire::Envelope;

use crate::error::Error;
use crate::extract::Caller;
use crate::page::{PageAccess, ReportExport};

/// The roles for which the level of reports is the whole utility.
const ROLES_OF_CLIENT: [i64; 2] = [1, 2];
/// The level number of assets. It is the next one after the level numbers of the nodes.
const ROLE_OF_ASSET: i64 = 9;

/// A report, in the spelling of specification 3, section 3, followed by our own fields.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub(crate) struct ReportRow {
    #[serde(rename = "ReportId")]
    id: i64,
    #[serde(rename = "ReportName")]
    name: String,
    #[serde(rename = "ReportKey")]
    key: String,
    #[serde(rename = "Historic")]
    historic: bool,
    #[serde(rename = "RealTime")]
    real_time: bool,
    /// Ids of the frequencies that a historic report can have.
    #[serde(rename = "ReportFrequencyListIds")]
    frequencies: Vec<i64>,
    /// Further inputs of a historic report: `excludeMomentary`, `limit`, `quantity` or `sampleMinutes`.
    input: Option<String>,
    /// What its rows are.
    about: String,
    /// The group of reports to which it belongs.
    purpose: String,
}

/// A report with its columns.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub(crate) struct ReportDetails {
    #[serde(flatten)]
    report: ReportRow,
    columns: Vec<ColumnRow>,
}

/// A column of a report.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub(crate) struct ColumnRow {
    name: String,
    /// The unit; empty if there is none.
    unit: String,
    /// `text`, `number`, `day`, `time`, `millisecond` or `duration`.
    kind: String,
    /// The number of decimals, if it is the same in each row.
    decimals: Option<u8>,
    /// Source and formula.
    meaning: String,
}

/// A frequency.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub(crate) struct FrequencyRow {
    #[serde(rename = "ReportFrequencyListId")]
    id: i64,
    #[serde(rename = "DisplayText")]
    name: String,
}

fn row(definition: &Definition) -> ReportRow {
    ReportRow {
        id: definition.id,
        name: definition.name.to_owned(),
        key: definition.key.to_owned(),
        historic: definition.historic,
        real_time: definition.real_time,
        frequencies: definition.frequencies.to_vec(),
        input: definition.input.name().map(str::to_owned),
        about: definition.about.to_owned(),
        purpose: purpose(definition).to_owned(),
    }
}

/// The level for which reports are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Of {
    /// The whole utility.
    Client,
    /// A node below it.
    Node,
    /// An asset.
    Asset,
}

fn listed(caller: &Caller, of: Of) -> Vec<ReportRow> {
    let may = |definition: &&&Definition| match definition.of {
        Places::Any => true,
        Places::AboveAssets => of != Of::Asset,
        Places::Utility => of == Of::Client && caller.0.administers(),
    };
    all().iter().filter(may).map(|definition| row(definition)).collect()
}

/// Returns the reports that the caller can request.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/pfcreport/reportslist", tag = "reports", operation_id = "reportsList", security(("bearer" = [])),
    responses((status = 200, description = "By id", body = Envelope<Vec<ReportRow>>))
))]
pub(crate) async fn list(caller: Caller, _: PageAccess<ReportExport>) -> Json<Envelope<Vec<ReportRow>>> {
    Json(Envelope::ok(listed(&caller, Of::Client)))
}

/// The asset for which reports are listed.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[cfg_attr(test, into_params(parameter_in = Query))]
pub(crate) struct AssetQuery {
    /// An asset: only the reports that can have rows for its type are listed.
    asset: Option<String>,
}

/// Returns the reports of a level.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/pfcreport/reportslistbyrole/{level}/{client}", tag = "reports", operation_id = "reportsListByRole", security(("bearer" = [])),
    params(
        ("level" = String, Path, description = "The level's role id, 1 to 9, or its name"),
        ("client" = i64, Path, description = "The caller's own utility"),
        AssetQuery
    ),
    responses(
        (status = 200, description = "By id", body = Envelope<Vec<ReportRow>>),
        (status = 404, description = "No such level or asset, or another utility", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn list_of_level(
    caller: Caller,
    view: View,
    _: PageAccess<ReportExport>,
    Path((level, client)): Path<(String, String)>,
    Query(AssetQuery { asset }): Query<AssetQuery>,
) -> Result<Json<Envelope<Vec<ReportRow>>>, Error> {
    if client.parse() != Ok(caller.0.client.0) {
        return Err(Error::NotFound);
    }
    let of_client = level.parse().map_or_else(|_| level.eq_ignore_ascii_case("client"), |role| ROLES_OF_CLIENT.contains(&role));
    let is_word = Level::ALL.iter().map(|level| level.as_str()).chain(["substation", "asset"]).any(|word| level.eq_ignore_ascii_case(word));
    let is_role = level.parse().is_ok_and(|role: i64| (1..=9).contains(&role));
    if !(of_client || is_word || is_role) {
        return Err(Error::NotFound);
    }
    let of_asset = level.parse().map_or_else(|_| level.eq_ignore_ascii_case("asset"), |role: i64| role == ROLE_OF_ASSET);
    let of = if of_client {
        Of::Client
    } else if of_asset {
        Of::Asset
    } else {
        Of::Node
    };
    let mut reports = listed(&caller, of);
    if let Some(asset) = asset {
        let id = asset.parse().map(AssetId).map_err(|_| Error::NotFound)?;
        let asset = view.field.asset(id).filter(|asset| view.field.node(asset.location).is_some_and(|location| view.sees(location)));
        let asset_type = asset.ok_or(Error::NotFound)?.type_id;
        reports.retain(|report| all().iter().any(|definition| definition.id == report.id && is_offered(definition, asset_type)));
    }
    Ok(Json(Envelope::ok(reports)))
}

/// Returns the frequencies.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/pfcreport/reportfrequencylist", tag = "reports", operation_id = "reportFrequencyList", security(("bearer" = [])),
    responses((status = 200, description = "By id", body = Envelope<Vec<FrequencyRow>>))
))]
pub(crate) async fn frequencies(_: PageAccess<ReportExport>) -> Json<Envelope<Vec<FrequencyRow>>> {
    Json(Envelope::ok(FREQUENCIES.into_iter().map(|(id, name)| FrequencyRow { id, name: name.to_owned() }).collect()))
}

/// Returns a report with its columns.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/pfcreport/reportdetails/{id}", tag = "reports", operation_id = "reportDetails", security(("bearer" = [])),
    params(("id" = i64, Path, description = "The id of the area or asset")),
    responses((status = 200, description = "The report", body = Envelope<ReportDetails>), (status = 404, description = "No such report", body = wire::envelope::Failure))
))]
pub(crate) async fn details(
    caller: Caller,
    _: PageAccess<ReportExport>,
    Path(id): Path<String>,
) -> Result<Json<Envelope<ReportDetails>>, Error> {
    let may = |definition: &&&Definition| id.parse() == Ok(definition.id) && (definition.of != Places::Utility || caller.0.administers());
    let definition = all().iter().find(may).ok_or(Error::NotFound)?;
    let columns = definition.columns.iter().map(|column| ColumnRow {
        name: column.name.to_owned(),
        unit: column.unit.to_owned(),
        kind: kind_word(column.kind).to_owned(),
        decimals: decimals(column.kind),
        meaning: column.meaning.to_owned(),
    });
    Ok(Json(Envelope::ok(ReportDetails { report: row(definition), columns: columns.collect() })))
}
