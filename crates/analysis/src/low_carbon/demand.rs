//! The demand for a plan: from a file, from the forecast of the site, or the mean of the same weekday in the last four weeks.

use dispatch::{SLOTS, Slots};
use grid::downsample::floor;
use grid::energy::kilo;
use grid::forecast::Measure;
use grid::{Micros, Point};
use identity::View;
use jiff::civil::Date;
use store::Store;
use store::forecast::ValidForecast;
use store::site::SiteRecord;

use crate::low_carbon::PlanError;
use crate::low_carbon::day::{Day, Time, mean_of};

const HOUR_MS: i64 = 3_600_000;
/// Number of days from which the mean is computed.
const EXAMPLE_DAYS: i64 = 28;
const WEEK_DAYS: i64 = 7;
/// The smallest number of days for a mean.
const DAYS_MIN: usize = 2;
/// The smallest number of known half hours with which gaps are filled.
const KNOWN_MIN: usize = SLOTS / 2;
const NONE: &str = "There is no demand for this site: choose a demand file, or wait for a day of measurements.";

/// The source of the demand of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DemandSource {
    /// A file of the user.
    File,
    /// The forecast of the site.
    Forecast,
    /// The mean of the same weekday in the last four weeks.
    Mean,
}

impl DemandSource {
    /// The text in the answer.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Forecast => "forecast",
            Self::Mean => "mean",
        }
    }
}

/// The expected demand of a site.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ExpectedDemand {
    pub(super) kw: Slots,
    /// The source.
    pub(super) from: DemandSource,
    /// When the latest forecast in it was issued.
    pub(super) issued: Option<Micros>,
    pub(super) warnings: Vec<String>,
}

/// Returns the demand of a day without a file.
pub(super) async fn expected(store: &Store, view: &View, site: &SiteRecord, day: &Day, now: Micros) -> Result<ExpectedDemand, PlanError> {
    let point = site.points.site.and_then(|id| view.field.point(id));
    let Some((point, scale)) = point.and_then(|point| Some((point, kilo(&point.unit)?))) else {
        return Err(PlanError::Impossible(NONE.to_owned()));
    };
    let forecasts = foreseen(store, view, point, day).await?;
    let of_hour = |time: Time| forecasts.iter().find(|one| one.hour == floor(time.middle(), HOUR_MS));
    let times = day.times();
    // Half hours that the clock change skips need no value.
    let slots: Vec<usize> = (0..SLOTS).filter(|slot| !times[*slot].is_empty()).collect();
    let forecast: [Option<f64>; SLOTS] =
        std::array::from_fn(|slot| mean_of(&times[slot], |time| Some(f64::from(of_hour(time)?.forecast.value?) * scale)));
    let known = forecast.iter().flatten().count();
    let example = if known == slots.len() { [None; SLOTS] } else { mean(store, view, point, day, now).await? };
    let mean: [Option<f64>; SLOTS] =
        std::array::from_fn(|slot| example[slot].filter(|_| !times[slot].is_empty()).map(|(mean, _)| mean * scale));
    let issued = forecasts.iter().filter(|one| one.forecast.value.is_some()).map(|one| one.issued).max();
    let (rows, from, issued) = if known >= KNOWN_MIN {
        (std::array::from_fn(|slot| forecast[slot].or(mean[slot])), DemandSource::Forecast, issued)
    } else {
        (mean, DemandSource::Mean, None)
    };
    let mut warnings = Vec::new();
    if from == DemandSource::Forecast && known < slots.len() {
        warnings.push(format!("{} half hours have no forecast; the mean of the last four weeks stands there.", slots.len() - known));
    }
    if from == DemandSource::Forecast {
        let afterwards = slots
            .iter()
            .filter(|slot| forecast[**slot].is_some() && times[**slot].iter().any(|time| of_hour(*time).is_some_and(|one| one.backcast)));
        let afterwards = afterwards.count();
        if afterwards > 0 {
            warnings.push(format!("The forecast of {afterwards} half hours was made afterwards, from what had been measured before them."));
        }
    }
    let is_lone =
        |slot: usize| (from == DemandSource::Mean || forecast[slot].is_none()) && example[slot].is_some_and(|(_, days)| days < DAYS_MIN);
    let lone = slots.iter().filter(|slot| is_lone(**slot)).count();
    if lone > 0 {
        warnings
            .push(format!("The demand of {lone} half hours is that of a single day in the last four weeks: no more such days are known."));
    }
    let (kw, filled) = filled(&rows).ok_or_else(|| PlanError::Impossible(NONE.to_owned()))?;
    // Half hours that the clock change skips are filled too, but not counted.
    let filled = filled - (SLOTS - slots.len());
    if filled > 0 {
        warnings.push(format!("The demand of {filled} half hours is unknown. They have interpolated values."));
    }
    let below = slots.iter().filter(|slot| kw[**slot] < 0.0).count();
    if below > 0 {
        warnings.push(format!("The demand is below 0 in {below} half hours, as if the site generated. They count as 0."));
    }
    Ok(ExpectedDemand { kw: kw.map(|kw| kw.max(0.0)), from, issued, warnings })
}

/// Returns the forecast for the hours of a day; empty if the forecast of the asset belongs to a different point.
async fn foreseen(store: &Store, view: &View, point: &Point, day: &Day) -> Result<Vec<ValidForecast>, PlanError> {
    if !Measure::Demand.codes().contains(&point.code.as_str()) {
        return Ok(Vec::new());
    }
    let (from, to) = (floor(day.begin(), HOUR_MS), day.end());
    Ok(store.foreseen(view.principal.client, point.asset, Measure::Demand, from, to).await?)
}

/// Returns days that are excluded from means, as for the forecasts: `holidays` of the utility's configuration.
fn holidays(view: &View) -> Vec<Date> {
    let listed = view.field.client().config.get("holidays").and_then(serde_json::Value::as_array);
    listed.into_iter().flatten().filter_map(|day| day.as_str()?.parse().ok()).collect()
}

/// Returns the mean of each half hour over the same weekday of the last four weeks, or over all their days if that is unknown, without
/// holidays. The unit is that of the point. Also returns the number of days.
async fn mean(store: &Store, view: &View, point: &Point, day: &Day, now: Micros) -> Result<[Option<(f64, usize)>; SLOTS], PlanError> {
    let holidays = holidays(view);
    let from = floor(day.plus(-EXAMPLE_DAYS).begin(), HOUR_MS);
    let to = day.begin().min(now);
    let client = view.principal.client;
    let hours = match point.expected_ms {
        Some(_) => store.hourly(client, &[point.id], from, to).await?.remove(&point.id).unwrap_or_default(),
        // The last value of a point that reports by exception is valid until the next one.
        None => store.holding(client, point.id, (from, to), HOUR_MS).await?,
    };
    let known = |time: Time| {
        let hour = usize::try_from(time.middle().millis_since(from).div_euclid(HOUR_MS)).ok()?;
        hours.get(hour).copied().flatten()
    };
    let examples: Vec<[Option<f64>; SLOTS]> = (1..=EXAMPLE_DAYS)
        .map(|back| {
            let example = day.plus(-back);
            let is_one = !holidays.contains(&example.date);
            example.times().map(|times| mean_of(&times, |time| known(time).filter(|_| is_one)))
        })
        .collect();
    let of = |back: i64, slot: usize| usize::try_from(back - 1).ok().and_then(|back| examples.get(back)?[slot]);
    Ok(std::array::from_fn(|slot| {
        let mean = |every: i64| {
            let known: Vec<f64> = (1..=EXAMPLE_DAYS / every).filter_map(|nth| of(nth * every, slot)).collect();
            (!known.is_empty()).then(|| (known.iter().sum::<f64>() / known.len() as f64, known.len()))
        };
        mean(WEEK_DAYS).or_else(|| mean(1))
    }))
}

/// Fills gaps by linear interpolation, which can also pass midnight. Returns the number of filled half hours; `None` if too few half hours are known.
fn filled(rows: &[Option<f64>; SLOTS]) -> Option<(Slots, usize)> {
    let known = rows.iter().flatten().count();
    if known < KNOWN_MIN {
        return None;
    }
    let look = |slot: usize, ahead: bool| {
        let at = |steps: usize| if ahead { (slot + steps) % SLOTS } else { (slot + SLOTS - steps) % SLOTS };
        (0..SLOTS).find_map(|steps| rows[at(steps)].map(|kw| (steps as f64, kw)))
    };
    let mut kw = [0.0; SLOTS];
    for (slot, kw) in kw.iter_mut().enumerate() {
        let ((back, before), (ahead, after)) = (look(slot, false)?, look(slot, true)?);
        *kw = if back + ahead > 0.0 { (before * ahead + after * back) / (back + ahead) } else { before };
    }
    Some((kw, SLOTS - known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_filled_by_straight_lines_over_midnight() {
        let mut rows: [Option<f64>; SLOTS] = std::array::from_fn(|slot| Some(slot as f64));
        assert_eq!(filled(&rows), Some((std::array::from_fn(|slot| slot as f64), 0)));
        rows[10..13].fill(None);
        rows[0] = None;
        rows[47] = None;
        let (kw, gaps) = filled(&rows).expect("enough is known");
        assert_eq!(gaps, 5);
        assert_eq!(&kw[9..14], [9.0, 10.0, 11.0, 12.0, 13.0]);
        // From 46 to 1 in three steps.
        assert!((kw[47] - 31.0).abs() < 1e-9 && (kw[0] - 16.0).abs() < 1e-9, "{kw:?}");
        rows[..25].fill(None);
        assert_eq!(filled(&rows), None);
    }
}
