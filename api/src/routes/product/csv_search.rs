//! GET /api/product/getdataforcsvbysearch: stored values of an asset as flat rows, ready for a CSV file.

#![allow(unused_qualifications, reason = "the path macro repeats the type of the query")]

use axum::Json;
use axum::extract::{Query, State};
use grid::{AssetId, Micros};
use identity::View;
use serde::Deserialize;
use store::kept::Level;
use wire::Envelope;
use wire::rows::Column;
use wire::tables::{ProductData, ProductRow};
use wire::time::{iso, parse_iso};

use crate::error::Error;
use crate::state::Services;

/// Maximum number of rows of one answer. If there are more, the message says so.
const ROWS_MAX: i64 = 100_000;
/// Maximum number of codes of one search.
const CODES_MAX: usize = 16;
/// The longest period of one search, ms.
const SPAN_MAX_MS: i64 = 31 * 24 * 3_600_000;

/// The columns, each with its field and heading.
const COLUMNS: [(&str, &str); 6] = [
    ("reportedDateTime", "Reported Date Time"),
    ("code", "Code"),
    ("value", "Value"),
    ("unit", "Unit"),
    ("quality", "Quality"),
    ("receivedDateTime", "Received Date Time"),
];

/// The parameters of the search.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[cfg_attr(test, into_params(parameter_in = Query))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Search {
    /// The asset.
    asset_id: i64,
    /// Start, included; ISO 8601 with an offset.
    from: String,
    /// End, not included; at most 31 days after the start.
    to: String,
    /// Codes, such as `Ir,Iy,Ib`; at most 16.
    codes: String,
}

/// Returns stored values of an asset, oldest first.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/product/getdataforcsvbysearch", tag = "product", operation_id = "getDataForCsvBySearch", security(("bearer" = [])),
    params(Search),
    responses(
        (status = 200, description = "At most 100,000 rows; if there are more, `cut` is true and `nextFrom` is where to continue",
            body = Envelope<ProductData>),
        (status = 404, description = "There is no such asset", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn handle(
    State(services): State<Services>,
    view: View,
    Query(search): Query<Search>,
) -> Result<Json<Envelope<ProductData>>, Error> {
    let asset = view.field.asset(AssetId(search.asset_id)).ok_or(Error::NotFound)?;
    if !view.field.node(asset.location).is_some_and(|location| view.sees(location)) {
        return Err(Error::NotFound);
    }
    let (span, codes) = checked(&search).map_err(Error::BadRequest)?;
    let mut samples = services.store().samples_of_asset(view.principal.client, asset.id, &codes, span, ROWS_MAX + 1).await?;
    let most = usize::try_from(ROWS_MAX).unwrap_or(usize::MAX);
    let mut next_from = None;
    if samples.len() > most {
        // All values of one instant are in the same answer. A client that continues from there misses none and gets none twice.
        let next = samples[most].sample.source;
        samples.retain(|sample| sample.sample.source < next);
        next_from = Some(iso(next));
    }
    let rows = samples.into_iter().map(|stored| ProductRow {
        reported_date_time: iso(stored.sample.source),
        code: stored.code,
        value: stored.sample.value,
        unit: stored.unit,
        quality: stored.sample.quality.code(),
        received_date_time: iso(stored.sample.received),
    });
    let columns = COLUMNS.map(|(name, alias)| Column::plain(name, alias)).into();
    let (asset_id, asset_name, cut) = (asset.id.0, asset.name.clone(), next_from.is_some());
    let kept_since = services.kept_since(&[Level::Raw], span.0).await?;
    let data = ProductData { asset_id, asset_name, columns, rows: rows.collect(), cut, next_from };
    Ok(Json(Envelope::ok(data).kept_since(kept_since)))
}

/// Validates the search and returns its period and codes. The error is the message for the user.
fn checked(search: &Search) -> Result<((Micros, Micros), Vec<String>), String> {
    let at = |name: &str, text: &str| {
        parse_iso(text).ok_or_else(|| format!("{name} must be an instant in ISO 8601 with an offset, such as 2026-11-03T08:00:00Z"))
    };
    let (from, to) = (at("from", &search.from)?, at("to", &search.to)?);
    if !(1..=SPAN_MAX_MS).contains(&to.millis_since(from)) {
        return Err("to must lie after from, by at most 31 days".to_owned());
    }
    let codes: Vec<String> = search.codes.split(',').map(str::trim).filter(|code| !code.is_empty()).map(str::to_owned).collect();
    if !(1..=CODES_MAX).contains(&codes.len()) {
        return Err(format!("codes must be 1 to {CODES_MAX} codes with commas between them, such as Ir,Iy,Ib"));
    }
    if codes.iter().any(|code| code.contains('\0')) {
        return Err("codes may have no control characters".to_owned());
    }
    Ok(((from, to), codes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_taken_is_named() {
        let search = |from: &str, to: &str, codes: &str| Search { asset_id: 1, from: from.into(), to: to.into(), codes: codes.into() };
        let many = "a,".repeat(CODES_MAX + 1);
        for (from, to, codes, wrong) in [
            ("2026-11-03T00:00:00Z", "2026-11-04T05:30:00+05:30", " Ir, Iy,", None),
            ("2026-11-03", "2026-11-04T00:00:00Z", "Ir", Some("from ")),
            ("2026-11-03T00:00:00Z", "soon", "Ir", Some("to ")),
            ("2026-11-03T00:00:00Z", "2026-11-03T00:00:00Z", "Ir", Some("to ")),
            ("2026-11-03T00:00:00Z", "2026-12-04T00:00:01Z", "Ir", Some("to ")),
            ("2026-11-03T00:00:00Z", "2026-11-04T00:00:00Z", " ,", Some("codes ")),
            ("2026-11-03T00:00:00Z", "2026-11-04T00:00:00Z", &many, Some("codes ")),
        ] {
            let found = checked(&search(from, to, codes));
            match wrong {
                None => assert_eq!(found.expect("good").1, ["Ir", "Iy"]),
                Some(name) => assert!(found.expect_err("refused").starts_with(name), "{from} {to} {codes}"),
            }
        }
    }
}
