//! GET /api/analytics/getaccumulatedlosses/{type}/{id}: losses of today, yesterday, the last week, months and the year.

use analysis::calendar::{Calendar, days_before};
use analysis::energy_meters::Metered;
use analysis::energy_sums::{Energy, all_flags, energy, flags};
use axum::Json;
use axum::extract::State;
use grid::Micros;
use grid::downsample::{Resolution, floor};
use grid::energy::Total;
use identity::Area;
use jiff::Span;
use store::kept::Level;
use store::series::Wanted;
use wire::Envelope;
use wire::energy::{AccumulatedLosses, AccumulatedRow};
use wire::time::iso;

use crate::error::Error;
use crate::extract::Scoped;
use crate::state::Services;

const TEN_MINUTES_MS: i64 = 600_000;

/// Energy by days, and for the last two days by ten minutes, so that today is complete up to the last known value.
struct Course {
    days: Energy,
    ten_minutes: Energy,
    /// The start of the ten-minute values.
    yesterday: Micros,
}

impl Course {
    fn within(&self, from: Micros, to: Micros) -> Total {
        let mut total = self.days.within(from, to.min(self.yesterday));
        total.add(&self.ten_minutes.within(from.max(self.yesterday), to));
        total
    }
}

/// Returns accumulated losses of an area, from six starting points to the last ten minutes that have ended.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/analytics/getaccumulatedlosses/{type}/{id}", tag = "analytics", operation_id = "accumulatedLosses", security(("bearer" = [])),
    params(("type" = String, Path, description = "`client`, `division`, `location`, another level, or `asset`"), ("id" = i64, Path, description = "The id of the area or asset")),
    responses((status = 200, description = "Six rows", body = Envelope<AccumulatedLosses>))
))]
pub(crate) async fn handle(State(services): State<Services>, scoped: Scoped<Area>) -> Result<Json<Envelope<AccumulatedLosses>>, Error> {
    let view = &scoped.view;
    let (calendar, metered) = (Calendar::of(view, Services::now()), Metered::of(services.store(), view, scoped.target).await?);
    let now = Services::now();
    let today = calendar.day(now);
    let midnight = |days: i64| calendar.midnight(days_before(today, days));
    let month = today.first_of_month();
    let (this_month, last_month) = (calendar.midnight(month)?, calendar.midnight(month.saturating_sub(Span::new().months(1)))?);
    let year = calendar.midnight(today.first_of_year())?;
    let until = floor(now.plus_millis(-metered.settles_ms()), TEN_MINUTES_MS).max(midnight(0)?);
    let yesterday = midnight(1)?;
    let (store, client, oldest) = (services.store(), view.principal.client, year.min(last_month).min(midnight(6)?));
    let course = Course {
        days: energy(store, client, &metered, (oldest, yesterday), Wanted::Of(Resolution::Day)).await?,
        // Daily values may be one minute old.
        ten_minutes: energy(store, client, &metered, (yesterday, until), Wanted::Of(Resolution::TenMinutes)).await?,
        yesterday,
    };
    let row = |(interval, from, to): (&str, Micros, Micros)| {
        let total = course.within(from, to);
        AccumulatedRow {
            interval: interval.to_owned(),
            losses: total.loss(),
            energy_in: total.energy_in,
            energy_out: total.energy_out,
            from: iso(from),
            to: iso(to),
            coverage: total.coverage(),
            flags: flags(&total),
        }
    };
    let intervals = [
        ("Today", midnight(0)?, until),
        ("Yesterday", yesterday, midnight(0)?),
        ("Last 7 days", midnight(6)?, until),
        ("This month", this_month, until),
        ("Last month", last_month, this_month),
        ("This year", year, until),
    ];
    let rows: Vec<AccumulatedRow> = intervals.map(row).into();
    let flags = all_flags(rows.iter().map(|row| &row.flags), &metered.missing);
    let kept_since = services.kept_since(&[Level::Day], oldest).await?;
    let answer = AccumulatedLosses { time_zone: calendar.name, flags, missing: metered.missing, rows };
    Ok(Json(Envelope::ok(answer).kept_since(kept_since)))
}
