//! One round of forecasts: determines what is due for each utility, reads its history, and stores the issues.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use forecast::{AHEAD_MAX, HISTORY_MAX};
use grid::downsample::floor;
use grid::forecast::{ASSET_TYPES, Measure};
use grid::{AssetId, ClientId, Micros, PointId};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use registry::{Registry, Utility};
use store::Store;
use store::forecast::Issued;
use store::registry::ClientRecord;
use store::series::POINTS_MAX;
use tokio_util::sync::CancellationToken;

use super::config::ForecastConfig;
use super::make::{AHEAD, Due, Known, Past, Subject, make};

const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;
/// Number of points whose oldest value shows whether older history was added.
const LOOKED_AT: usize = 8;
/// Interval after which backcasts are tried again if no older history was added, ms.
const AGAIN_MS: i64 = DAY_MS;

/// The result of a round.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Done {
    /// Number of forecasts issued for the hour.
    pub issued: u64,
    /// Number of backcasts.
    pub backcast: u64,
    /// Number of days without enough history for a backcast.
    pub waiting: u64,
    /// Number of old forecasts that were deleted.
    pub gone: u64,
}

/// Issues forecasts in rounds.
pub struct Worker {
    config: ForecastConfig,
    store: Store,
    registry: Registry,
    known: Known,
    tried: HashMap<ClientId, Tried>,
}

/// The time of the last attempt to compute backcasts, and the number of days that were waiting then.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Tried {
    since: Option<Micros>,
    at: Micros,
    waiting: u64,
}

impl Worker {
    /// Creates a worker.
    pub fn new(config: ForecastConfig, store: Store, registry: Registry) -> Self {
        Self { config, store, registry, known: Known::new(), tried: HashMap::new() }
    }

    /// Issues the forecasts that are due at `now`. If `stop` is cancelled, it ends early: stored results are kept, and the rest is still due. An error in one
    /// utility does not affect the others; the first error is returned at the end.
    pub async fn turn(&mut self, now: Micros, stop: &CancellationToken) -> store::Result<Done> {
        let hour = floor(now, HOUR_MS);
        let mut done = Done::default();
        let mut failed = None;
        // Includes utilities and feeders that were added before this round.
        self.registry.refresh().await;
        let registry = self.registry.image();
        let utilities: Vec<Utility> = registry.clients().filter_map(|client| registry.utility(client)).collect();
        let ids: HashSet<ClientId> = registry.clients().collect();
        self.tried.retain(|client, _| ids.contains(client));
        // Regular issues of all utilities come before any backcast.
        for afterwards in [false, true] {
            for utility in &utilities {
                if stop.is_cancelled() {
                    return Ok(done);
                }
                if let Err(error) = self.utility(utility, hour, afterwards, &mut done, stop).await {
                    tracing::warn!(client = %utility.client().code, %error, "forecasts of this utility fail; trying again");
                    failed.get_or_insert(error);
                }
            }
        }
        // Bands of subjects that no longer exist are dropped after a day.
        let hours = hour.millis().div_euclid(HOUR_MS);
        self.known.retain(|_, (at, _)| hours - *at <= DAY_MS / HOUR_MS);
        if self.config.keep_days > 0 {
            done.gone = self.store.expire_forecasts(now.plus_millis(-i64::from(self.config.keep_days) * DAY_MS)).await?;
        }
        metrics::counter!("forecast_issued_total").increment(done.issued);
        metrics::counter!("forecast_backcast_total").increment(done.backcast);
        metrics::gauge!("forecast_waiting").set(done.waiting as f64);
        failed.map_or(Ok(done), Err)
    }

    async fn utility(
        &mut self,
        utility: &Utility,
        hour: Micros,
        afterwards: bool,
        done: &mut Done,
        stop: &CancellationToken,
    ) -> store::Result<()> {
        let client = utility.client();
        let subjects = subjects(utility);
        let first_day = hour.plus_millis(-i64::from(self.config.backcast_days) * DAY_MS);
        // The longest forecast extends this far.
        let issued = self.store.issued(client.id, first_day.plus_millis(-(AHEAD_MAX as i64) * HOUR_MS)).await?;
        let since = self.oldest(client.id, &subjects, afterwards).await?;
        if afterwards && let Some(tried) = self.tried.get(&client.id).filter(|tried| tried.holds(since, hour)) {
            done.waiting += tried.waiting;
            return Ok(());
        }
        let due: Vec<Due> = subjects
            .into_iter()
            .map(|subject| {
                let issued = issued.get(&(subject.asset, subject.measure));
                if afterwards {
                    let days = missing(issued, first_day, hour);
                    Due { subject, regular: None, days }
                } else {
                    let regular = regular(issued, hour, self.config.every_h);
                    Due { subject, regular, days: Vec::new() }
                }
            })
            .filter(|due| due.regular.is_some() || !due.days.is_empty())
            .collect();
        let oldest = due.iter().flat_map(|due| &due.days).min().copied().unwrap_or(hour);
        let from = oldest.plus_millis(-(HISTORY_MAX as i64) * HOUR_MS);
        let dropped = Arc::new(holidays(client, from, hour));
        let mut waiting = 0;
        for group in groups(due) {
            if stop.is_cancelled() {
                return Ok(());
            }
            waiting += self.group(client.id, group, (from, hour), &dropped, done, stop).await?;
        }
        if afterwards {
            // Recorded only after success, so that a failure is tried again.
            self.tried.insert(client.id, Tried { since, at: hour, waiting });
            done.waiting += waiting;
        }
        Ok(())
    }

    /// Processes subjects whose points fit into one query. It reads their history, computes on a separate thread, and stores the results. Returns the number of
    /// days that wait for history.
    async fn group(
        &mut self,
        client: ClientId,
        due: Vec<Due>,
        (from, to): (Micros, Micros),
        dropped: &Arc<Vec<bool>>,
        done: &mut Done,
        stop: &CancellationToken,
    ) -> store::Result<u64> {
        let points: Vec<PointId> = due.iter().flat_map(|due| due.subject.points.iter().copied()).collect();
        let hours = self.store.hourly(client, &points, from, to).await?;
        let past = Past { first_hour: from.millis().div_euclid(HOUR_MS), hours, dropped: dropped.to_vec() };
        let (mut known, stop) = (std::mem::take(&mut self.known), stop.clone());
        let made = tokio::task::spawn_blocking(move || {
            let made = make(&due, &past, &mut known, &stop);
            (made, known)
        });
        let Ok((made, known)) = made.await else {
            tracing::error!("a forecast panicked; the others go on");
            return Ok(0);
        };
        self.known = known;
        self.store.put_forecasts(client, &made.issues).await?;
        let afterwards = made.issues.iter().filter(|issue| issue.backcast).count() as u64;
        done.backcast += afterwards;
        done.issued += made.issues.len() as u64 - afterwards;
        Ok(made.waiting)
    }

    /// Returns the start of the history of some subjects. It does not read the database if there are no backcasts.
    async fn oldest(&self, client: ClientId, subjects: &[Subject], afterwards: bool) -> store::Result<Option<Micros>> {
        if !afterwards || self.config.backcast_days == 0 {
            return Ok(None);
        }
        let apart = (subjects.len() / LOOKED_AT).max(1);
        let looked_at: Vec<PointId> = subjects.iter().step_by(apart).filter_map(|subject| subject.points.first().copied()).collect();
        self.store.since(client, &looked_at).await
    }
}

impl Tried {
    /// Returns whether another attempt would have the same result, because no older history was added and the last attempt was recent.
    fn holds(&self, since: Option<Micros>, hour: Micros) -> bool {
        self.since == since && hour.millis_since(self.at) < AGAIN_MS
    }
}

/// Returns the subjects of a utility, in the order of its assets.
fn subjects(utility: &Utility) -> Vec<Subject> {
    let mut by_code: HashMap<(AssetId, &str), PointId> = HashMap::new();
    for point in utility.points().filter(|point| ASSET_TYPES.contains(&point.asset_type) && point.encoding().is_none()) {
        // If an asset has two meters, the point with the lower id is used.
        let first = by_code.entry((point.asset, point.code.as_str())).or_insert(point.id);
        *first = (*first).min(point.id);
    }
    let mut subjects = Vec::new();
    for asset in utility.assets().filter(|asset| ASSET_TYPES.contains(&asset.type_id)) {
        for measure in Measure::ALL {
            let points: Vec<PointId> = measure.codes().iter().filter_map(|code| by_code.get(&(asset.id, *code)).copied()).collect();
            if !points.is_empty() {
                subjects.push(Subject { asset: asset.id, measure, points });
            }
        }
    }
    subjects
}

/// Returns the number of hours of the issue of this hour; `None` if no issue is due.
fn regular(issued: Option<&Issued>, hour: Micros, every_h: u32) -> Option<usize> {
    let Some(issued) = issued else { return Some(AHEAD_MAX) };
    if hour.millis_since(issued.newest) < i64::from(every_h.max(1)) * HOUR_MS {
        return None;
    }
    let is_first_of_day = issued.newest < floor(hour, DAY_MS);
    Some(if is_first_of_day { AHEAD_MAX } else { AHEAD })
}

/// Returns the starts of the days (UTC) from `first` to before `hour` that have no backcast yet and were not covered completely by forecasts that were issued
/// in time. They are in chronological order.
fn missing(issued: Option<&Issued>, first: Micros, hour: Micros) -> Vec<Micros> {
    let mut days = Vec::new();
    let mut day = floor(first, DAY_MS).plus_millis(DAY_MS);
    while day < hour {
        let next = day.plus_millis(DAY_MS);
        let is_covered = |issued: &Issued| issued.covered.iter().any(|(from, to)| *from <= day && next <= *to);
        if issued.is_none_or(|issued| !issued.days.contains(&day) && !is_covered(issued)) {
            days.push(day);
        }
        day = next;
    }
    days
}

/// Groups subjects so that the points of each group fit into one query.
fn groups(due: Vec<Due>) -> Vec<Vec<Due>> {
    let mut groups: Vec<Vec<Due>> = Vec::new();
    let mut points = POINTS_MAX;
    for due in due {
        points += due.subject.points.len();
        if points > POINTS_MAX || groups.is_empty() {
            points = due.subject.points.len();
            groups.push(Vec::new());
        }
        if let Some(group) = groups.last_mut() {
            group.push(due);
        }
    }
    groups
}

/// Returns whether each hour is in a holiday of the utility: local days in `holidays` of its configuration. Empty if there are none.
fn holidays(client: &ClientRecord, from: Micros, to: Micros) -> Vec<bool> {
    let listed = client.config.get("holidays").and_then(|days| days.as_array());
    let days: HashSet<Date> = listed.into_iter().flatten().filter_map(|day| day.as_str()?.parse().ok()).collect();
    if days.is_empty() {
        return Vec::new();
    }
    let zone = jiff::tz::TimeZoneDatabase::bundled().get(&client.time_zone).unwrap_or(TimeZone::UTC);
    let count = to.millis_since(from) / HOUR_MS;
    let is_holiday = |hour: i64| {
        let at = Timestamp::from_microsecond(from.plus_millis(hour * HOUR_MS).0).ok();
        at.is_some_and(|at| days.contains(&at.to_zoned(zone.clone()).date()))
    };
    (0..count).map(is_holiday).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the time of an hour, counted from a midnight (UTC).
    fn at(hour: i64) -> Micros {
        Micros::from_millis((20_000 * 24 + hour) * HOUR_MS)
    }

    fn issued(newest: i64, days: &[i64]) -> Issued {
        Issued { newest: at(newest), days: days.iter().map(|hour| at(*hour)).collect(), covered: Vec::new() }
    }

    #[test]
    fn the_first_issue_of_a_day_tells_of_a_week() {
        for (newest, hour, every, expected) in [
            (9, 10, 1, Some(AHEAD)),
            (10, 10, 1, None),
            (8, 10, 3, None),
            (7, 10, 3, Some(AHEAD)),
            (-1, 0, 1, Some(AHEAD_MAX)),
            (-40, 7, 1, Some(AHEAD_MAX)),
        ] {
            assert_eq!(regular(Some(&issued(newest, &[])), at(hour), every), expected, "{newest} {hour} {every}");
        }
        assert_eq!(regular(None, at(3), 1), Some(AHEAD_MAX));
    }

    #[test]
    fn the_days_of_a_pause_are_made_up_and_no_more_than_asked_for() {
        assert_eq!(missing(Some(&issued(50, &[24])), at(-6), at(78)), [at(0), at(48), at(72)]);
        let issued_days = Issued { covered: vec![(at(-9), at(30)), (at(40), at(72))], ..issued(50, &[]) };
        assert_eq!(
            missing(Some(&issued_days), at(-6), at(78)),
            [at(24), at(72)],
            "what was told in time is not made up, but for days that it has a part of"
        );
        assert_eq!(missing(None, at(-6), at(0)), [], "the day that begins now has its regular issue");
        assert_eq!(missing(None, at(10), at(10)), [], "no days are asked for");
    }

    #[test]
    fn a_question_has_no_more_points_than_one_takes() {
        let due = |points: usize| Due {
            subject: Subject { asset: AssetId(1), measure: Measure::Demand, points: vec![PointId(1); points] },
            regular: None,
            days: Vec::new(),
        };
        let sizes = |counts: &[usize]| groups(counts.iter().map(|count| due(*count)).collect()).iter().map(Vec::len).collect::<Vec<_>>();
        assert_eq!(sizes(&[60, 3, 1, 3, 61, 1]), [3, 2, 1]);
        assert_eq!(sizes(&[]), [] as [usize; 0]);
    }

    #[test]
    fn holidays_are_days_by_the_utilitys_clock() {
        let config = serde_json::json!({ "holidays": ["2026-10-02", "no day", 7] });
        let record =
            |config| ClientRecord { id: ClientId(1), code: "A".into(), name: "A".into(), time_zone: "Asia/Kolkata".into(), config };
        let from = Micros(Timestamp::from_second(1_790_870_400).expect("a time").as_microsecond());
        // 2026-10-01 16:00 UTC is 21:30 in Kolkata; its midnight is at 18:30 UTC.
        let found = holidays(&record(config), from, from.plus_millis(36 * HOUR_MS));
        let expected: Vec<bool> = (0..36).map(|hour| (3..27).contains(&hour)).collect();
        assert_eq!(found, expected);
        assert!(holidays(&record(serde_json::json!({})), from, from.plus_millis(HOUR_MS)).is_empty());
    }
}
