//! The efficiency of an area in the latest quarter of an hour, and its change over time.

use grid::downsample::{MINUTE_MS, Resolution, floor};
use grid::energy::{Total, change};
use grid::{ClientId, Micros};
use identity::{Area, View};
use jiff::Span;
use store::Store;
use store::series::Wanted;
use wire::energy::{EfficiencyChange, EfficiencyChangeRow, RealTimeEfficiency};
use wire::flag::Flag;
use wire::time::{iso, now};

use crate::calendar::Calendar;
use crate::energy_meters::Metered;
use crate::energy_sums::{all_flags, energy, flags};
use crate::error::Error;

const QUARTER_MS: i64 = 15 * MINUTE_MS;
const HOUR_MS: i64 = 60 * MINUTE_MS;
/// Number of recent quarters of an hour from which one is chosen.
const QUARTERS: i64 = 4;

/// The energy of a span.
struct Found {
    from: Micros,
    to: Micros,
    total: Total,
    /// Whether the span is an hour in place of a quarter.
    is_coarse: bool,
    /// Whether a later quarter is also complete.
    is_late: bool,
}

impl Found {
    fn flags(&self) -> Vec<Flag> {
        let more = Flag::that_apply([(self.is_coarse, Flag::Coarse), (self.is_late, Flag::Late)]);
        flags(&self.total).into_iter().chain(more).collect()
    }
}

/// Returns the quarter with the most known values among the last four completed quarters. If several are equal, it is
/// the latest.
async fn newest(store: &Store, client: ClientId, metered: &Metered) -> Result<Found, Error> {
    let end = floor(now().plus_millis(-metered.settles_ms()), QUARTER_MS);
    let begin = end.plus_millis(-QUARTERS * QUARTER_MS);
    let energy = energy(store, client, metered, (begin, end), Wanted::Of(Resolution::Minute)).await?;
    let quarter = |back: i64| {
        let to = end.plus_millis(-back * QUARTER_MS);
        let from = to.plus_millis(-QUARTER_MS);
        Found { from, to, total: energy.within(from, to), is_coarse: false, is_late: back > 0 }
    };
    let mut best = quarter(0);
    for older in (1..QUARTERS).map(quarter) {
        if older.total.known_ms > best.total.known_ms {
            best = older;
        }
    }
    // Without any known value the flag has no meaning.
    best.is_late &= best.total.known_ms > 0;
    Ok(best)
}

/// Returns the quarter that begins at an instant, or the hour around it if more of that hour is known.
async fn quarter(store: &Store, client: ClientId, metered: &Metered, from: Micros) -> Result<Found, Error> {
    let to = from.plus_millis(QUARTER_MS);
    let fine = energy(store, client, metered, (from, to), Wanted::Of(Resolution::Minute)).await?;
    let total = fine.within(from, to);
    if total.known_ms >= total.span_ms && total.known_ms > 0 {
        return Ok(Found { from, to, total, is_coarse: false, is_late: false });
    }
    let hour = floor(from, HOUR_MS);
    let next = hour.plus_millis(HOUR_MS);
    let coarse = energy(store, client, metered, (hour, next), Wanted::Of(Resolution::Hour)).await?.within(hour, next);
    Ok(if coarse.coverage() > total.coverage() {
        Found { from: hour, to: next, total: coarse, is_coarse: true, is_late: false }
    } else {
        Found { from, to, total, is_coarse: false, is_late: false }
    })
}

/// Returns the efficiency of an area in the latest completed quarter of an hour.
pub async fn newest_quarter(store: &Store, view: &View, area: Area) -> Result<RealTimeEfficiency, Error> {
    let metered = Metered::of(store, view, area).await?;
    let found = newest(store, view.principal.client, &metered).await?;
    Ok(RealTimeEfficiency {
        efficiency: found.total.efficiency(),
        loss: found.total.loss(),
        energy_in: found.total.energy_in,
        energy_out: found.total.energy_out,
        from: iso(found.from),
        to: iso(found.to),
        coverage: found.total.coverage(),
        flags: all_flags([&found.flags()], &metered.missing),
        reported: (found.total.known_ms > 0).then(|| iso(found.to)),
        missing: metered.missing,
    })
}

/// Compares the efficiency of the last quarter of an hour with six earlier times.
pub async fn change_over_time(store: &Store, view: &View, area: Area) -> Result<EfficiencyChange, Error> {
    let (calendar, metered) = (Calendar::of(view, now()), Metered::of(store, view, area).await?);
    let client = view.principal.client;
    let now = newest(store, client, &metered).await?;
    let efficiency = now.total.efficiency();
    let ago = [
        ("15 minutes", now.from.plus_millis(-QUARTER_MS)),
        ("1 hour", now.from.plus_millis(-HOUR_MS)),
        ("1 day", calendar.before(now.from, Span::new().days(1))),
        ("1 week", calendar.before(now.from, Span::new().weeks(1))),
        ("1 month", calendar.before(now.from, Span::new().months(1))),
        ("1 year", calendar.before(now.from, Span::new().years(1))),
    ];
    let mut rows = Vec::with_capacity(ago.len());
    for (interval, from) in ago {
        let then = quarter(store, client, &metered, from).await?;
        rows.push(EfficiencyChangeRow {
            interval: interval.to_owned(),
            efficiency: then.total.efficiency(),
            change_percent: change(efficiency, then.total.efficiency()),
            from: iso(then.from),
            to: iso(then.to),
            coverage: then.total.coverage(),
            flags: then.flags(),
        });
    }
    let flags = all_flags([&now.flags()].into_iter().chain(rows.iter().map(|row| &row.flags)), &metered.missing);
    let (from, to) = (iso(now.from), iso(now.to));
    Ok(EfficiencyChange { efficiency, from, to, flags, missing: metered.missing, rows })
}
