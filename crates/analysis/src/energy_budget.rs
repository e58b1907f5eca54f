//! The energy of the current month: budget, consumption so far, and expected consumption.

use std::collections::HashSet;

use grid::downsample::Resolution;
use grid::energy::Counted;
use grid::forecast::budget::{DayEnergy, Weekdays, cumulative_bounds, spread};
use grid::{AssetId, ClientId, Micros, NodeId, PointId, Scope};
use identity::{Area, View};
use jiff::ToSpan;
use jiff::civil::Date;
use store::Store;
use store::energy_budget::Month;
use store::registry::AssetRecord;
use store::series::{REGISTERS_MAX, Wanted};
use wire::flag::Flag;
use wire::forecast::{EnergyBudget, EnergyBudgetRow};
use wire::time::{iso, now};

use crate::calendar::{Calendar, days_before, days_between};
use crate::energy_meters::{FEEDER, MISSING_MAX, Meter, meters, substations};
use crate::energy_sums::energy_of_meters;
use crate::error::Error;

/// Number of days before today that are used to estimate the rest of the month and its uncertainty.
const PAST_DAYS: i64 = 84;
/// Days whose mean by weekday is used for the estimate.
const EXAMPLE_DAYS: usize = 28;
/// The share of the same month of last year that must be known to use it as the budget.
const LAST_YEAR_MIN: f64 = 0.9;

/// Returns the meters of an area: those of its feeders that supply customers, or those of the asset itself. Also returns the names of
/// feeders without a meter.
fn own_meters(view: &View, area: Area, feeds: &HashSet<AssetId>) -> (Vec<Meter>, Vec<String>) {
    let all = meters(view);
    let within: HashSet<NodeId> = substations(view, area).into_iter().map(|substation| substation.id).collect();
    let counts = |asset: &&AssetRecord| match area.0 {
        Some(Scope::Asset(id)) => asset.id == id,
        _ => asset.type_id == FEEDER && within.contains(&asset.location) && !feeds.contains(&asset.id),
    };
    let (mut found, mut missing) = (Vec::new(), Vec::new());
    for asset in view.field.assets().filter(counts) {
        match all.get(&asset.id) {
            Some(meter) => found.push(meter.clone()),
            None if missing.len() < MISSING_MAX => missing.push(asset.name.clone()),
            None => {}
        }
    }
    (found, missing)
}

fn weekday(day: Date) -> u8 {
    day.weekday().to_monday_zero_offset().unsigned_abs()
}

/// Returns the midnight of a day. For a day that does not exist, it returns the epoch.
fn midnight(calendar: &Calendar, day: Date) -> Micros {
    calendar.midnight(day).unwrap_or(Micros(0))
}

/// Returns the energy of each meter on each day of a span, kWh from midnight to midnight, as on the Energy tab.
async fn days(
    store: &Store,
    client: ClientId,
    meters: &[Meter],
    calendar: &Calendar,
    (from, to): (Date, Date),
) -> Result<Vec<Vec<Counted>>, Error> {
    let midnights: Vec<Micros> = days_between(from, to).map(|day| midnight(calendar, day)).collect();
    let mut found = Vec::with_capacity(meters.len());
    if midnights.is_empty() {
        return Ok(vec![Vec::new(); meters.len()]);
    }
    for part in meters.chunks(REGISTERS_MAX / 2) {
        let points: Vec<PointId> = part.iter().flat_map(Meter::points).collect();
        let span = (midnight(calendar, from), midnight(calendar, to));
        let registers = store.registers(client, &points, span, Wanted::Of(Resolution::Day)).await?;
        let places: Vec<Option<usize>> = midnights.iter().map(|midnight| registers.edges.binary_search(midnight).ok()).collect();
        for counted in energy_of_meters(&registers, part) {
            let day = |place: &Option<usize>| place.and_then(|place| counted.get(place)).copied().unwrap_or(Counted::Unknown);
            found.push(places.iter().map(day).collect());
        }
    }
    Ok(found)
}

/// Returns the days of a meter from `first` on, with their weekdays.
fn dated(days: &[Counted], first: Date) -> Vec<DayEnergy> {
    days.iter().zip(first.series(1.day())).map(|(counted, day)| (weekday(day), counted.known())).collect()
}

/// Returns the total energy of each day on which at least half of the meters are known. For unknown meters the mean of the weekday is used, so that all days
/// include the same meters.
fn filled(meters: &[Vec<DayEnergy>]) -> Vec<DayEnergy> {
    let means: Vec<Weekdays> = meters.iter().map(|days| Weekdays::of(days)).collect();
    let count = meters.iter().map(Vec::len).max().unwrap_or(0);
    let day = |at: usize| {
        let weekday = meters.iter().find_map(|days| days.get(at)).map_or(0, |day| day.0);
        let of = |(days, mean): (&Vec<DayEnergy>, &Weekdays)| days.get(at).and_then(|day| day.1).or_else(|| mean.get(weekday));
        let known = meters.iter().filter(|days| days.get(at).is_some_and(|day| day.1.is_some())).count();
        let sum: f64 = meters.iter().zip(&means).filter_map(of).sum();
        (weekday, (known > 0 && known * 2 >= meters.len()).then_some(sum))
    };
    (0..count).map(day).collect()
}

/// Builds the answer. Its inputs are the days of each meter from `from` to yesterday, the days of the same month of last year, and the budget that a user has
/// entered, kWh. An entered budget is spread over the days like an estimated one.
fn budget(calendar: &Calendar, from: Date, past: &[Vec<Counted>], last_year: &[Vec<Counted>], entered: Option<f64>) -> EnergyBudget {
    let first = calendar.today().first_of_month();
    let month: Vec<Date> = days_between(first, first.saturating_add(1.month())).collect();
    let weekdays: Vec<u8> = month.iter().map(|day| weekday(*day)).collect();
    let begun = days_between(from, first).count();
    let over = days_between(first, calendar.today()).count();
    let days: Vec<Vec<DayEnergy>> = past.iter().map(|days| dated(days, from)).collect();
    // The mean is taken per meter. A sum per day would be too small on days on which a meter is unknown.
    let used = |meters: &[Vec<DayEnergy>], begin: usize, end: usize| {
        let means: Vec<Weekdays> = meters.iter().map(|days| Weekdays::of(&days[begin.min(days.len())..end.min(days.len())])).collect();
        Weekdays::sum(&means)
    };

    let year_ago: Vec<Vec<DayEnergy>> = last_year.iter().map(|days| dated(days, first.saturating_sub(1.year()))).collect();
    let known = year_ago.iter().flatten().filter(|day| day.1.is_some()).count() as f64;
    let all = year_ago.iter().flatten().count() as f64;
    let has_year = all > 0.0 && known >= LAST_YEAR_MIN * all;
    let example = if has_year { used(&year_ago, 0, usize::MAX) } else { used(&days, begun.saturating_sub(EXAMPLE_DAYS), begun) };
    let total = entered.or_else(|| example.total(&weekdays));
    let planned = total.map(|total| spread(total, &weekdays, &example));

    let now = begun + over;
    let recent = used(&days, now.saturating_sub(EXAMPLE_DAYS), now);
    let all_days = filled(&days);
    let bounds = cumulative_bounds(&all_days[all_days.len().saturating_sub(PAST_DAYS as usize)..], month.len() - over);
    let this_month: Vec<Vec<Counted>> =
        (begun..now).map(|at| past.iter().map(|days| days.get(at).copied().unwrap_or(Counted::Unknown)).collect()).collect();
    let mut sum = 0.0;
    let mut rows = Vec::with_capacity(month.len());
    for (at, day) in month.iter().enumerate() {
        let (consumption, [q10, q90], kind) = if at < over {
            let counted: Vec<f64> = this_month[at].iter().filter_map(|counted| counted.known()).collect();
            sum += counted.iter().sum::<f64>();
            ((!counted.is_empty()).then_some(sum), [None; 2], "actual")
        } else {
            let expected = recent.get(weekdays[at]);
            sum += expected.unwrap_or(0.0);
            let bound = bounds[at - over].filter(|_| expected.is_some());
            (expected.map(|_| sum), [0, 1].map(|end| bound.map(|bound| sum + bound[end])), "forecast")
        };
        rows.push(EnergyBudgetRow {
            day: day.day(),
            month: day.month(),
            year: day.year(),
            time_ms: midnight(calendar, *day).millis(),
            budget: planned.as_ref().map(|planned| planned[at]),
            consumption,
            kind: kind.to_owned(),
            q10,
            q90,
        });
    }
    let of = this_month.iter().flatten().count();
    let known = this_month.iter().flatten().filter(|counted| counted.known().is_some()).count();
    let has_reset = this_month.iter().flatten().any(|counted| *counted == Counted::Reset);
    let has_refused = this_month.iter().flatten().any(|counted| counted.has_refused());
    let is_empty = days.iter().flatten().all(|day| day.1.is_none());
    let flags = Flag::that_apply([
        (is_empty, Flag::NoData),
        (known < of && !is_empty, Flag::Partial),
        (has_reset, Flag::RegisterReset),
        (has_refused, Flag::RegisterStep),
    ]);
    let (last, both) = (rows.last(), |row: &EnergyBudgetRow| row.consumption.zip(row.budget));
    let so_far = rows[..over].iter().rev().find_map(both);
    let difference = |consumption: Option<f64>| Some(consumption? - total?);
    let expected = last.and_then(|row| row.consumption);
    let [low, high] = last.map_or([None; 2], |row| [row.q10, row.q90]);
    let basis = match entered {
        Some(_) => "entered",
        None if has_year => "last_year",
        None => "four_weeks",
    };
    EnergyBudget {
        budget_kwh: total,
        basis: total.map(|_| basis.to_owned()),
        variance_kwh: so_far.map(|(consumption, budget)| consumption - budget),
        variance_percent: so_far.and_then(|(consumption, budget)| (budget > 0.0).then(|| 100.0 * (consumption - budget) / budget)),
        expected_kwh: expected,
        overrun_kwh: difference(expected),
        overrun_low_kwh: difference(low),
        overrun_high_kwh: difference(high),
        forecast_values: rows,
        method: recent.get(0).map(|_| grid::forecast::Method::FourWeeks.as_str().to_owned()),
        issued_at: iso(midnight(calendar, calendar.today())),
        time_zone: String::new(),
        coverage: (of > 0).then(|| 100.0 * known as f64 / of as f64),
        flags,
        missing: Vec::new(),
    }
}

/// Returns the energy budget of the current month for an area or an asset: the consumption up to yesterday and the expected consumption of
/// the rest.
pub async fn of_month(store: &Store, view: &View, area: Area) -> Result<EnergyBudget, Error> {
    let client = view.principal.client;
    let feeds: HashSet<AssetId> = store.feeds(client).await?.into_iter().map(|(feeder, _)| feeder).collect();
    let (meters, missing) = own_meters(view, area, &feeds);
    let calendar = Calendar::of(view, now());
    let first = calendar.today().first_of_month();
    // From before the month and from before today, whichever reaches further back.
    let from = days_before(calendar.today(), PAST_DAYS).min(days_before(first, EXAMPLE_DAYS as i64));
    let past = days(store, client, &meters, &calendar, (from, calendar.today())).await?;
    let year_ago = first.saturating_sub(1.year());
    let last_year = days(store, client, &meters, &calendar, (year_ago, year_ago.saturating_add(1.month()))).await?;
    let month = Month { year: first.year(), month: first.month() };
    let entered = store.energy_budgets(client, area.0).await?.into_iter().find(|entered| entered.month == month);
    let mut budget = budget(&calendar, from, &past, &last_year, entered.map(|entered| entered.kwh));
    budget.time_zone.clone_from(&calendar.name);
    if !missing.is_empty() || meters.is_empty() {
        budget.flags.push(Flag::NotMetered);
    }
    budget.missing = missing;
    Ok(budget)
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    fn calendar(today: Date) -> Calendar {
        let midnight = Calendar::named("Asia/Kolkata", Micros(0)).midnight(today).unwrap();
        Calendar::named("Asia/Kolkata", midnight)
    }

    /// Returns the days of two meters: one with 60 kWh on each day, and one with 40 kWh, except for −20 kWh on Sundays.
    fn used(from: Date, days: usize) -> Vec<Vec<Counted>> {
        let of = |day: Date| if weekday(day) == 6 { -20.0 } else { 40.0 };
        let second = from.series(1.day()).take(days).map(|day| Counted::Known(of(day))).collect();
        vec![vec![Counted::Known(60.0); days], second]
    }

    #[test]
    fn the_rest_of_the_month_goes_on_from_what_was_used() {
        // November 2026 begins on a Sunday and has five Sundays.
        let calendar = calendar(date(2026, 11, 22));
        let from = date(2026, 8, 30);
        let past = used(from, 84);
        let found = budget(&calendar, from, &past, &[], None);
        let whole = 25.0 * 100.0 + 5.0 * 40.0;
        assert_eq!((found.basis.as_deref(), found.method.as_deref()), (Some("four_weeks"), Some("mean_of_4_weeks")));
        assert!((found.budget_kwh.unwrap() - whole).abs() < 1e-9);
        let rows = &found.forecast_values;
        assert_eq!((rows.len(), rows[20].kind.as_str(), rows[21].kind.as_str()), (30, "actual", "forecast"));
        assert_eq!((rows[0].day, rows[0].month, rows[0].year, rows[0].time_ms), (1, 11, 2026, 1_793_471_400_000), "midnight in Kolkata");
        assert!((rows[0].consumption.unwrap() - 40.0).abs() < 1e-9 && (rows[20].consumption.unwrap() - 1_920.0).abs() < 1e-9);
        assert!((rows[21].consumption.unwrap() - 1_960.0).abs() < 1e-9, "a Sunday more");
        assert!((rows[29].consumption.unwrap() - whole).abs() < 1e-9 && (rows[29].budget.unwrap() - whole).abs() < 1e-9);
        assert!(rows[29].q10.is_some_and(|low| (low - whole).abs() < 1e-6) && rows[20].q10.is_none());
        assert_eq!((found.coverage, found.flags.len()), (Some(100.0), 0));
        assert_eq!(found.issued_at, "2026-11-21T18:30:00.000Z");
    }

    #[test]
    fn the_same_month_of_last_year_is_the_budget_where_it_is_known() {
        let calendar = calendar(date(2026, 11, 2));
        let from = date(2026, 8, 10);
        let mut year_ago = used(date(2025, 11, 1), 30);
        let double = |counted: &mut Counted| *counted = counted.known().map_or(Counted::Unknown, |kwh| Counted::Known(kwh * 2.0));
        year_ago.iter_mut().flatten().for_each(double);
        let past = used(from, 84);
        let found = budget(&calendar, from, &past, &year_ago, None);
        assert_eq!(found.basis.as_deref(), Some("last_year"));
        assert!((found.budget_kwh.unwrap() - 5_400.0).abs() < 1e-9, "by the weekdays of this year's month");
        for days in &mut year_ago {
            days[..4].fill(Counted::Unknown);
        }
        assert_eq!(budget(&calendar, from, &past, &year_ago, None).basis.as_deref(), Some("four_weeks"), "26 of 30 days are too few");
    }

    #[test]
    fn what_is_not_known_is_no_zero() {
        let calendar = calendar(date(2026, 11, 4));
        let from = date(2026, 8, 12);
        let empty = vec![vec![Counted::Unknown; 84]; 2];
        let none = budget(&calendar, from, &empty, &[], None);
        assert_eq!((none.budget_kwh, none.basis, none.method, none.flags), (None, None, None, vec![Flag::NoData]));
        assert!(none.forecast_values.iter().all(|row| row.consumption.is_none() && row.budget.is_none()));
        let mut past = used(from, 84);
        for days in &mut past {
            days[82] = Counted::Unknown;
        }
        past[1][83] = Counted::Reset;
        let found = budget(&calendar, from, &past, &[], None);
        let rows = &found.forecast_values;
        assert_eq!((rows[0].consumption, rows[1].consumption, rows[2].consumption), (Some(40.0), None, Some(100.0)));
        assert_eq!((found.coverage, found.flags), (Some(50.0), vec![Flag::Partial, Flag::RegisterReset]));
        let first = budget(&self::calendar(date(2026, 11, 1)), from, &used(from, 81), &[], None);
        assert_eq!((first.coverage, first.forecast_values[0].kind.as_str()), (None, "forecast"));
    }

    #[test]
    fn a_meter_that_is_not_heard_on_some_days_makes_the_others_no_smaller() {
        let calendar = calendar(date(2026, 11, 22));
        let from = date(2026, 8, 30);
        let mut past = used(from, 84);
        // The second meter is silent in every second week.
        for (at, counted) in past[1].iter_mut().enumerate().filter(|(at, _)| at / 7 % 2 == 0) {
            *counted = if at == 0 { Counted::Reset } else { Counted::Unknown };
        }
        let found = budget(&calendar, from, &past, &[], None);
        assert!((found.budget_kwh.unwrap() - 2_700.0).abs() < 1e-9, "{:?}", found.budget_kwh);
        let rows = &found.forecast_values;
        let day = rows[23].consumption.unwrap() - rows[22].consumption.unwrap();
        assert!(
            (day - 100.0).abs() < 1e-9 && rows[23].q10.is_some_and(|low| (low - rows[23].consumption.unwrap()).abs() < 1e-6),
            "{:?}",
            rows[23]
        );
    }

    #[test]
    fn entered_budget_is_spread_and_compared() {
        let calendar = calendar(date(2026, 11, 22));
        let from = date(2026, 8, 30);
        let past = used(from, 84);
        // 2,700 kWh are expected of the month, of which 1,920 kWh were used in three weeks.
        let found = budget(&calendar, from, &past, &[], Some(2_500.0));
        let close = |value: Option<f64>, expected: f64| assert!((value.unwrap() - expected).abs() < 1e-6, "{value:?}: {expected}");
        assert_eq!((found.basis.as_deref(), found.budget_kwh), (Some("entered"), Some(2_500.0)));
        close(found.forecast_values[20].budget, 1_920.0 / 2_700.0 * 2_500.0);
        close(found.forecast_values[29].budget, 2_500.0);
        close(found.variance_kwh, 1_920.0 - 1_920.0 / 2_700.0 * 2_500.0);
        close(found.variance_percent, 8.0);
        close(found.expected_kwh, 2_700.0);
        close(found.overrun_kwh, 200.0);
        assert!(
            found.overrun_low_kwh.is_some_and(|low| low <= 200.0 + 1e-6) && found.overrun_high_kwh.is_some_and(|high| high >= 200.0 - 1e-6)
        );
        let under = budget(&calendar, from, &past, &[], Some(3_000.0));
        close(under.overrun_kwh, -300.0);
        assert!(under.variance_kwh.unwrap() < 0.0);
    }

    #[test]
    fn entered_budget_needs_no_history() {
        let calendar = calendar(date(2026, 11, 4));
        let empty = vec![vec![Counted::Unknown; 84]; 2];
        let found = budget(&calendar, date(2026, 8, 12), &empty, &[], Some(300.0));
        assert_eq!((found.budget_kwh, found.variance_kwh, found.expected_kwh, found.overrun_kwh), (Some(300.0), None, None, None));
        assert!((found.forecast_values[2].budget.unwrap() - 30.0).abs() < 1e-9, "the same for each day");
    }
}
