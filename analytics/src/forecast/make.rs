//! From a history to what is issued. Takes processor and no time to wait: called off the async threads.

use std::collections::HashMap;

use forecast::History;
use grid::forecast::band::Bands;
use grid::forecast::{Measure, Method};
use grid::{AssetId, Micros, PointId};
use store::forecast::{Issue, Told};
use tokio_util::sync::CancellationToken;

const HOUR_MS: i64 = 3_600_000;
/// Hours that a regular issue tells of; the first of each day (UTC) tells of a week.
pub(super) const AHEAD: usize = 48;
/// Hours that an issue made afterwards tells of: the next day has its own.
const AHEAD_AFTERWARDS: usize = 24;
/// Bounds are worked out anew after so many hours: they are made of two weeks.
const BANDS_HOURS: i64 = 24;
/// And for what is made afterwards, by the week.
const BANDS_HOURS_AFTERWARDS: i64 = 7 * 24;

/// What is forecast: a measure of an asset, by the points whose mean it is.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Subject {
    pub(super) asset: AssetId,
    pub(super) measure: Measure,
    pub(super) points: Vec<PointId>,
}

/// What is due of a subject.
#[derive(Debug, Clone)]
pub(super) struct Due {
    pub(super) subject: Subject,
    /// Hours of the regular issue, if that is due.
    pub(super) regular: Option<usize>,
    /// Instants for which one is to be made up, in order.
    pub(super) days: Vec<Micros>,
}

/// The bounds of subjects, with the hour since 1970 up to which they know the past.
pub(super) type Known = HashMap<(AssetId, Measure, Method), (i64, Bands)>;

/// Hourly histories of the points of some subjects, all over one span.
pub(super) struct Past {
    /// Of the first entry, since 1970.
    pub(super) first_hour: i64,
    /// By point.
    pub(super) hours: HashMap<PointId, Vec<Option<f64>>>,
    /// Hours of holidays; empty where there are none.
    pub(super) dropped: Vec<bool>,
}

/// What came of it.
#[derive(Default)]
pub(super) struct Made {
    pub(super) issues: Vec<Issue>,
    /// Days that could not be made up for want of history.
    pub(super) waiting: u64,
}

/// Makes all that is due, until `stop`.
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

/// What was known at the start of an hour: nothing that was measured in it or later.
fn until<'a>(hours: &'a [Option<f64>], past: &'a Past, hour: i64) -> Option<History<'a>> {
    let end = usize::try_from(hour - past.first_hour).ok().filter(|end| *end <= hours.len())?;
    Some(History { hours: &hours[..end], dropped: past.dropped.get(..end).unwrap_or_default(), next: hour })
}

fn issue(subject: &Subject, history: History<'_>, kind: Kind, known: &mut Known) -> Option<Issue> {
    let (ahead, keep, is_afterwards) = match kind {
        Kind::Regular(ahead) => (ahead, BANDS_HOURS, false),
        Kind::Afterwards => (AHEAD_AFTERWARDS, BANDS_HOURS_AFTERWARDS, true),
    };
    let said = forecast::forecast(history, ahead)?;
    // Who makes it up afterwards can wait until there is a history worth the name.
    if is_afterwards && said.method == Method::Day {
        return None;
    }
    let key = (subject.asset, subject.measure, said.method);
    let bands = match known.get(&key) {
        // Bounds that know more than the forecast may are never taken.
        Some((at, bands)) if (0..keep).contains(&(history.next - at)) => *bands,
        _ => {
            let bands = forecast::bands(said.method, history);
            known.insert(key, (history.next, bands));
            bands
        }
    };
    // A current is never below zero, nor is a power that never was.
    let is_never_negative = history.hours.iter().flatten().all(|hour| *hour >= 0.0);
    let single = |value: f64| if is_never_negative { value.max(0.0) as f32 } else { value as f32 };
    let told = |(hour, value): (usize, &Option<f64>)| {
        let bounds = value.and_then(|value| bands.around(history.next + hour as i64, value));
        Told { value: value.map(single), q10: bounds.map(|bounds| single(bounds[0])), q90: bounds.map(|bounds| single(bounds[1])) }
    };
    let hours: Vec<Told> = said.hours.iter().enumerate().map(told).collect();
    let issued = Micros::from_millis(history.next * HOUR_MS);
    let (asset, measure, method) = (subject.asset, subject.measure, said.method);
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

    /// Six weeks of a load by hour of day, from hour 0 of 1970.
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
        // From then on all is different.
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
