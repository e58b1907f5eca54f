//! Computes forecasts from the history. The computation occupies its thread, so it must run outside of the async
//! threads.

use std::collections::HashMap;

use forecast::History;
use grid::forecast::band::Bands;
use grid::forecast::{Measure, Method};
use grid::{AssetId, Micros, PointId};
use store::forecast::{HourForecast, Issue};
use tokio_util::sync::CancellationToken;

const HOUR_MS: i64 = 3_600_000;
/// Number of hours of a regular issue. The first issue of each day (UTC) covers a week instead.
pub(super) const AHEAD: usize = 48;
/// Number of hours of a backcast. The next day has a backcast of its own.
const AHEAD_AFTERWARDS: usize = 24;
/// Bands are computed again after this number of hours. They are derived from the errors of two weeks, so they change
/// slowly.
const BANDS_HOURS: i64 = 24;
/// The same interval for backcasts, hours: one week.
const BANDS_HOURS_AFTERWARDS: i64 = 7 * 24;

/// The subject of a forecast: a measure of an asset, and the points whose mean it is.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Subject {
    pub(super) asset: AssetId,
    pub(super) measure: Measure,
    pub(super) points: Vec<PointId>,
}

/// The issues that are due for a subject.
#[derive(Debug, Clone)]
pub(super) struct Due {
    pub(super) subject: Subject,
    /// Hours of the regular issue, if it is due.
    pub(super) regular: Option<usize>,
    /// The starts of the backcasts that are due, in chronological order.
    pub(super) days: Vec<Micros>,
}

/// Cached bands of subjects, with the end of their data as hours since 1970.
pub(super) type Known = HashMap<(AssetId, Measure, Method), (i64, Bands)>;

/// Hourly histories of the points of some subjects, all over the same span.
pub(super) struct Past {
    /// The hour of the first entry, since 1970.
    pub(super) first_hour: i64,
    /// The values by point.
    pub(super) hours: HashMap<PointId, Vec<Option<f64>>>,
    /// Whether each hour is in a holiday; empty if there are none.
    pub(super) dropped: Vec<bool>,
}

/// The computed issues.
#[derive(Default)]
pub(super) struct Made {
    pub(super) issues: Vec<Issue>,
    /// Number of days without enough history for a backcast.
    pub(super) waiting: u64,
}

/// Computes all due issues, until `stop` is cancelled.
pub(super) fn make(due: &[Due], past: &Past, known: &mut Known, stop: &CancellationToken) -> Made {
    let mut made = Made::default();
    for due in due {
        let lines: Vec<&[Option<f64>]> = due.subject.points.iter().filter_map(|point| past.hours.get(point)).map(Vec::as_slice).collect();
        let hours = grid::forecast::mean_of(&lines);
        let end = past.first_hour + hours.len() as i64;
        let mut afterwards = Known::new();
        for day in &due.days {
            if stop.is_cancelled() {
                return made;
            }
            let at = day.millis().div_euclid(HOUR_MS);
            match until(&hours, past, at).and_then(|history| issue(&due.subject, history, Kind::Afterwards, &mut afterwards)) {
                Some(issue) => made.issues.push(issue),
                None => made.waiting += 1,
            }
        }
        if stop.is_cancelled() {
            return made;
        }
        if let Some(ahead) = due.regular {
            made.issues.extend(until(&hours, past, end).and_then(|history| issue(&due.subject, history, Kind::Regular(ahead), known)));
        }
    }
    made
}

#[derive(Clone, Copy)]
enum Kind {
    Regular(usize),
    Afterwards,
}

/// Returns the history before the start of an hour, without values of that hour or later.
fn until<'a>(hours: &'a [Option<f64>], past: &'a Past, hour: i64) -> Option<History<'a>> {
    let end = usize::try_from(hour - past.first_hour).ok().filter(|end| *end <= hours.len())?;
    Some(History { hours: &hours[..end], dropped: past.dropped.get(..end).unwrap_or_default(), next: hour })
}

fn issue(subject: &Subject, history: History<'_>, kind: Kind, known: &mut Known) -> Option<Issue> {
    let (ahead, keep, is_afterwards) = match kind {
        Kind::Regular(ahead) => (ahead, BANDS_HOURS, false),
        Kind::Afterwards => (AHEAD_AFTERWARDS, BANDS_HOURS_AFTERWARDS, true),
    };
    let computed = forecast::forecast(history, ahead)?;
    // A backcast can wait until there is more history.
    if is_afterwards && computed.method == Method::Day {
        return None;
    }
    let key = (subject.asset, subject.measure, computed.method);
    let bands = match known.get(&key) {
        // Bands from data that the forecast may not know are not used.
        Some((at, bands)) if (0..keep).contains(&(history.next - at)) => *bands,
        _ => {
            let bands = forecast::bands(computed.method, history);
            known.insert(key, (history.next, bands));
            bands
        }
    };
    // A current is never negative, and neither is a power without negative values in its history.
    let is_never_negative = history.hours.iter().flatten().all(|hour| *hour >= 0.0);
    let single = |value: f64| if is_never_negative { value.max(0.0) as f32 } else { value as f32 };
    let hour_forecast = |(hour, value): (usize, &Option<f64>)| {
        let bounds = value.and_then(|value| bands.around(history.next + hour as i64, value));
        HourForecast { value: value.map(single), q10: bounds.map(|bounds| single(bounds[0])), q90: bounds.map(|bounds| single(bounds[1])) }
    };
    let hours: Vec<HourForecast> = computed.hours.iter().enumerate().map(hour_forecast).collect();
    let issued = Micros::from_millis(history.next * HOUR_MS);
    let (asset, measure, method) = (subject.asset, subject.measure, computed.method);
    (!hours.is_empty()).then_some(Issue { asset, measure, issued, method, backcast: is_afterwards, hours })
}

#[cfg(test)]
mod tests {
    use super::*;

    const WEEK: usize = 168;
    const POINT: PointId = PointId(1);

    fn due(regular: Option<usize>, days: &[i64]) -> Due {
        let subject = Subject { asset: AssetId(7), measure: Measure::Demand, points: vec![POINT] };
        Due { subject, regular, days: days.iter().map(|hour| Micros::from_millis(hour * HOUR_MS)).collect() }
    }

    /// Returns six weeks of a load by hour of the day, from hour 0 of 1970.
    fn load() -> Vec<Option<f64>> {
        (0..6 * WEEK).map(|hour| Some(2.0 + (hour % 24) as f64 / 24.0 + (hour * 7 % 11) as f64 / 100.0)).collect()
    }

    fn past(hours: Vec<Option<f64>>) -> Past {
        Past { first_hour: 0, hours: HashMap::from([(POINT, hours)]), dropped: Vec::new() }
    }

    #[test]
    fn what_is_made_afterwards_knows_nothing_of_what_came_after() {
        let (stop, day) = (CancellationToken::new(), 5 * WEEK as i64);
        let whole = past(load());
        let mut other = load();
        // From this hour on all values are different.
        other[5 * WEEK..].fill(Some(900.0));
        let order = [due(None, &[day])];
        let honest = make(&order, &whole, &mut Known::new(), &stop);
        let same = make(&order, &past(other), &mut Known::new(), &stop);
        assert_eq!(
            (honest.issues.len(), honest.issues[0].issued, honest.issues[0].backcast),
            (1, Micros::from_millis(day * HOUR_MS), true)
        );
        assert_eq!(honest.issues, same.issues);
        let cut = past(load()[..5 * WEEK].to_vec());
        assert_eq!(make(&order, &cut, &mut Known::new(), &stop).issues, honest.issues, "nor of how much came after");
    }

    #[test]
    fn a_day_without_a_history_waits_and_the_regular_issue_does_what_it_can() {
        let stop = CancellationToken::new();
        let made = make(&[due(Some(AHEAD), &[30])], &past(load()[..60].to_vec()), &mut Known::new(), &stop);
        assert_eq!((made.waiting, made.issues.len()), (1, 1));
        let issue = &made.issues[0];
        assert_eq!((issue.method, issue.backcast, issue.issued), (Method::Day, false, Micros::from_millis(60 * HOUR_MS)));
        assert_eq!((issue.hours.len(), issue.hours[0].q10), (AHEAD, None), "two days say nothing of how far they are off");
        let nothing = make(&[due(Some(AHEAD), &[])], &past(vec![None; 100]), &mut Known::new(), &stop);
        assert!(nothing.issues.is_empty());
    }

    #[test]
    fn bounds_are_kept_for_a_day_and_never_taken_from_the_future() {
        let stop = CancellationToken::new();
        let mut known = Known::new();
        let issue = make(&[due(Some(AHEAD), &[])], &past(load()), &mut known, &stop).issues.remove(0);
        assert!(issue.hours.iter().all(|hour| hour.q10 <= hour.value && hour.value <= hour.q90 && hour.q10.is_some()));
        let (key, (at, _)) = known.iter().next().map(|(key, known)| (*key, *known)).expect("kept");
        assert_eq!((known.len(), at), (1, 6 * WEEK as i64));
        known.insert(key, (at + 1, Bands::default()));
        let again = make(&[due(Some(AHEAD), &[])], &past(load()), &mut known, &stop).issues.remove(0);
        assert_eq!(again, issue, "bounds of an hour later are not taken");
    }

    #[test]
    fn nothing_is_made_after_the_end() {
        let stop = CancellationToken::new();
        stop.cancel();
        assert!(make(&[due(Some(AHEAD), &[900])], &past(load()), &mut Known::new(), &stop).issues.is_empty());
    }
}
