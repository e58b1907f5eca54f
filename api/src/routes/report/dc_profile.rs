//! GET /api/report/dcprofile/{id}/{flag}: voltage and current of a battery over time.

use analysis::lines as chart;
use axum::Json;
use axum::extract::{RawPathParams, State};
use grid::{AssetId, NodeId};
use identity::View;
use store::registry::AssetRecord;
use wire::Envelope;
use wire::energy::{DcPart, DcRow, DcUnits};
use wire::time::iso;

use crate::error::Error;
use crate::extract::{Scoped, Target};
use crate::routes::report::profiles::measure;
use crate::state::Services;

/// Maximum number of rows.
const ROWS_MAX: usize = 2_000;
const DAY_MS: i64 = 24 * 3_600_000;
/// The allowed values of the flag, which is a number of months, each with its number of days.
const MONTHS: [(&str, i64); 5] = [("0", 1), ("1", 31), ("6", 184), ("12", 366), ("120", 3_653)];

/// `{id}` is an asset, or a substation with a battery. An asset and a substation can have the same id. In this case the asset is used if its supply is
/// measured.
pub(crate) struct Battery(AssetRecord);

impl Target for Battery {
    fn find(view: &View, params: &RawPathParams) -> Option<Self> {
        let id: i64 = params.iter().find(|(name, _)| *name == "id")?.1.parse().ok()?;
        let seen = |node: NodeId| view.field.node(node).is_some_and(|node| view.sees(node));
        let asset = view.field.asset(AssetId(id)).filter(|asset| seen(asset.location));
        let is_measured = |asset: &AssetRecord| view.field.points_of(asset.id).any(|point| ["BatV", "BatA"].contains(&&*point.code));
        let of_asset = asset.filter(|asset| is_measured(asset));
        let at_location = || view.field.assets_at(NodeId(id)).find(|asset| seen(asset.location) && is_measured(asset));
        of_asset.or_else(at_location).or(asset).cloned().map(Self)
    }
}

/// Returns the profile of a battery over the last day or months: units, then rows. A battery without values has no rows.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/report/dcprofile/{id}/{flag}", tag = "report", operation_id = "dcProfile", security(("bearer" = [])),
    params(("id" = i64, Path, description = "A battery, or its substation"), ("flag" = String, Path, description = "Months: 1, 6, 12 or 120; 0 for a day")),
    responses((status = 200, description = "Units and rows, oldest first", body = Envelope<Vec<DcPart>>), (status = 400, description = "`flag` is not 0, 1, 6, 12 or 120"))
))]
pub(crate) async fn handle(
    State(services): State<Services>,
    scoped: Scoped<Battery>,
    params: RawPathParams,
) -> Result<Json<Envelope<Vec<DcPart>>>, Error> {
    // Parsed after the battery is found. An id that the caller may not see therefore gives the same answer, whatever the rest of the path
    // is.
    let flag = params.iter().find(|(name, _)| *name == "flag").map_or("", |(_, flag)| flag);
    let days = MONTHS.iter().find(|(months, _)| *months == flag).map(|(_, days)| days);
    let days = days.ok_or_else(|| Error::BadRequest("months must be 1, 6, 12, 120, or 0 for a day".to_owned()))?;
    let to = Services::now();
    let span = (to.plus_millis(-days * DAY_MS), to);
    let lines = chart::lines(services.store(), &scoped.view, scoped.target.0.id, &[measure("dc")?], span, ROWS_MAX).await?;
    let unit = |code: &str, usual: &str| {
        let line = lines.each.iter().find(|line| line.point.code == code);
        line.map_or(usual, |line| line.point.unit.as_str()).to_owned()
    };
    let row = |place: usize| DcRow {
        reported: iso(lines.times[place]),
        voltage: lines.at("BatV", place)[0],
        current: lines.at("BatA", place)[0],
    };
    let rows = lines.reported_range().map(row).filter(|row| row.voltage.is_some() || row.current.is_some()).collect();
    let units = DcUnits { current: unit("BatA", "A"), voltage: unit("BatV", "V") };
    Ok(Json(Envelope::ok(vec![DcPart::Units(vec![units]), DcPart::Rows(rows)])))
}
