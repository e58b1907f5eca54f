//! GET /api/alarms/{type}/{id}.

#![allow(unused_qualifications, reason = "the path macro repeats the type of the query")]

use axum::Json;
use axum::extract::{Query, State};
use grid::Micros;
use identity::Area;
use serde::Deserialize;
use store::alarm::OPEN_ALARMS_MAX;
use wire::Envelope;
use wire::alarms::AlarmRow;
use wire::time::parse_iso;

use crate::error::Error;
use crate::extract::Scoped;
use crate::state::Services;

/// Limit of alarm events in the history of one answer.
const ROWS_MAX: i64 = 5_000;
/// The longest period of history, ms.
const PERIOD_MAX_MS: i64 = 366 * 24 * 3_600_000;

/// The selection of alarms.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[cfg_attr(test, into_params(parameter_in = Query))]
pub(crate) struct Past {
    /// `from,to` in ISO 8601: the changes of that period instead, newest first. At most a year.
    history: Option<String>,
}

fn period(text: &str) -> Option<(Micros, Micros)> {
    let (from, to) = text.split_once(',')?;
    // A plus sign in a query arrives as a space.
    let read = |text: &str| parse_iso(&text.trim().replace(' ', "+"));
    let (from, to) = (read(from)?, read(to)?);
    (0..=PERIOD_MAX_MS).contains(&to.millis_since(from)).then_some((from, to))
}

/// Returns the alarms of an area or asset that are not normal, at most 10,000: active unacknowledged, other active, cleared unacknowledged; each by priority,
/// newest first. The position is that of the stream `alarms/{type}/{id}`.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/alarms/{type}/{id}", tag = "alarms", operation_id = "alarms", security(("bearer" = [])),
    params(
        ("type" = String, Path, description = "client, circle, division, town, subdivision, section, location or asset"),
        ("id" = i64, Path, description = "The id of the area or asset"), Past
    ),
    responses((status = 200, description = "Rows, and their position in the stream", body = Envelope<Vec<AlarmRow>>))
))]
pub(crate) async fn handle(
    State(services): State<Services>,
    scoped: Scoped<Area>,
    Query(past): Query<Past>,
) -> Result<Json<Envelope<Vec<AlarmRow>>>, Error> {
    let (client, Area(scope)) = (scoped.view.principal.client, scoped.target);
    let store = services.store();
    // The offset is read before the rows. A change in between is already in the rows, and is sent to subscribers once more.
    let (epoch, top) = store.alarm_stream(client).await?;
    let rows = match past.history.as_deref() {
        None => store.open_alarms(client, scope, OPEN_ALARMS_MAX).await?,
        Some(text) => {
            let wrong =
                || Error::BadRequest("history must be two ISO 8601 times with a comma between them, not more than a year apart".to_owned());
            store.alarm_history(client, scope, period(text).ok_or_else(wrong)?, ROWS_MAX).await?
        }
    };
    Ok(Json(Envelope::at(rows.iter().map(AlarmRow::from).collect(), epoch, top)))
}

#[cfg(test)]
mod tests {
    use super::period;

    #[test]
    fn a_period_is_two_times_in_order() {
        assert!(period("2026-11-01T00:00:00Z,2026-11-02T00:00:00Z").is_some());
        assert!(period("2026-11-01T00:00:00 05:30,2026-11-02T00:00:00+05:30").is_some());
        for wrong in
            ["", ",", "2026-11-01T00:00:00Z", "2026-11-02T00:00:00Z,2026-11-01T00:00:00Z", "2024-01-01T00:00:00Z,2026-11-01T00:00:00Z"]
        {
            assert!(period(wrong).is_none(), "{wrong}");
        }
    }
}
