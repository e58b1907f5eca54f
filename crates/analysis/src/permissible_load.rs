//! The permissible loading of a transformer, and the share of its life that was used.

use grid::thermal::{LoadingRow, Sample, UsedLife, course, used_life};
use grid::{AssetId, ClientId, Micros, Point, PointId};
use identity::View;
use jiff::Span;
use store::Store;
use store::rating::RatingRecord;
use store::registry::AssetRecord;
use store::series::{BUCKETS_MAX, Series};
use wire::loading::PermissibleLoadRow;
use wire::time::{iso, now};

use crate::calendar::Calendar;
use crate::error::Error;

/// Maximum number of rows. Most screens have fewer pixels in a row, so a chart can hardly show more.
pub const ROWS_MAX: usize = 2_000;
/// Used life is always computed from hourly means, independently of the resolution of the chart, so that it is the same on every chart.
const HOUR_MS: i64 = 3_600_000;
/// Distance of stored states of used life, ms. Temperatures expire at a midnight in UTC, so there is always a state at the time since which temperatures are
/// kept.
const STATE_MS: i64 = 24 * HOUR_MS;
/// Age from which used life does not change any more, ms. It is longer than seven days, for which late values are accepted.
const SETTLES_MS: i64 = 8 * 24 * HOUR_MS;
/// The longest span for used life: twenty years, ms.
pub const LIFE_MAX_MS: i64 = 20 * 365 * 24 * HOUR_MS;
/// The allowed values of `months`; 0 is the whole history.
pub const MONTHS: [i64; 4] = [0, 1, 6, 12];

/// Returns the hourly means of the whole history. Reads it in parts of the size that one query allows.
pub async fn hours(store: &Store, client: ClientId, points: &Points, since: Micros, now: Micros) -> Result<Vec<Sample>, Error> {
    let mut all = Vec::new();
    let mut from = grid::downsample::floor(since, HOUR_MS);
    while from < now {
        let to = from.plus_millis((BUCKETS_MAX as i64 - 1) * HOUR_MS).min(now.plus_millis(1));
        // One hour more, because a span may begin within an hour.
        let buckets = to.millis_since(from) / HOUR_MS + 2;
        all.extend(points.samples(&store.series(client, &points.all(), from, to, buckets as usize).await?));
        from = to;
    }
    Ok(all)
}

/// The points of a transformer that determine its loading.
#[derive(Debug, Default)]
pub struct Points {
    oil: Option<PointId>,
    winding: Option<PointId>,
    /// The ambient temperature at the transformer, or else at its substation.
    ambient: Option<PointId>,
    apparent: Option<PointId>,
    active: Option<PointId>,
    reactive: Option<PointId>,
}

impl Points {
    fn of(view: &View, asset: &AssetRecord) -> Self {
        Self::among(&view.field.points_at(asset.location), asset)
    }

    /// Finds the points of an asset among the points of its substation.
    pub fn among<'a>(points: &(impl Iterator<Item = &'a Point> + Clone), asset: &AssetRecord) -> Self {
        let own = |code: &str| points.clone().find(|point| point.asset == asset.id && point.code == code).map(|point| point.id);
        let near = |code: &str| points.clone().find(|point| point.code == code).map(|point| point.id);
        Self {
            oil: own("OTI"),
            winding: own("WTI"),
            ambient: own("AmbT").or_else(|| near("AmbT")),
            apparent: own("S"),
            active: own("P"),
            reactive: own("Q"),
        }
    }

    fn is_of_transformer(&self) -> bool {
        self.oil.or(self.winding).is_some()
    }

    fn all(&self) -> Vec<PointId> {
        [self.oil, self.winding, self.ambient, self.apparent, self.active, self.reactive].into_iter().flatten().collect()
    }

    /// Returns the sample of one instant, from the newest values.
    pub fn sample(&self, at: Micros, newest: impl Fn(PointId) -> Option<f64>) -> Sample {
        let [oil, winding, ambient, apparent, active, reactive] =
            [self.oil, self.winding, self.ambient, self.apparent, self.active, self.reactive].map(|point| point.and_then(&newest));
        let mva = apparent.or_else(|| Some(active?.hypot(reactive?)));
        Sample { at, length_ms: 0, ambient, oil, winding, mva }
    }

    /// Returns the means of each bucket. Apparent power is computed from active and reactive power if it is not measured.
    fn samples(&self, series: &Series) -> Vec<Sample> {
        let line = |point: Option<PointId>| series.lines.iter().find(|line| Some(line.point) == point);
        let lines = [self.oil, self.winding, self.ambient, self.apparent, self.active, self.reactive].map(line);
        let sample = |(index, at): (usize, &Micros)| {
            let [oil, winding, ambient, apparent, active, reactive] =
                lines.map(|line| line.and_then(|line| line.cells.get(index)).and_then(|cell| cell.as_ref()?.mean()));
            let mva = apparent.or_else(|| Some(active?.hypot(reactive?)));
            Sample { at: *at, length_ms: series.bucket_ms.unwrap_or(0), ambient, oil, winding, mva }
        };
        series.times.iter().enumerate().map(sample).collect()
    }
}

fn row(sample: &Sample, rating: Option<&RatingRecord>, of: Option<&LoadingRow>, life: Option<&UsedLife>) -> PermissibleLoadRow {
    let base = rating.map(|rating| rating.rating.mva);
    let continuous = of.and_then(|of| of.continuous);
    PermissibleLoadRow {
        reported: iso(sample.at),
        oil_c: sample.oil,
        winding_c: sample.winding,
        ambient_c: sample.ambient,
        continuous,
        present: sample.mva,
        two_hours: of.and_then(|of| of.two_hours_mva),
        base,
        available: continuous.zip(base).map(|(load, base)| load * base),
        unit: "MVA".to_owned(),
        used_life_years: life.map(UsedLife::years),
        missing_hours: life.map(UsedLife::missing_hours),
        status: of.map_or(grid::thermal::Status::Unknown, |of| of.status).as_str().to_owned(),
    }
}

/// Returns the used life at each sample. The computation continues from the last stored state before the first sample, and stores states that are final. So the
/// used life stays the same when the temperatures from which it was computed have expired, and never decreases.
async fn lives(
    store: &Store,
    (client, asset): (ClientId, AssetId),
    rating: &RatingRecord,
    points: &Points,
    (since, now): (Micros, Micros),
    (shown, has_states): (&[Sample], bool),
) -> Result<Vec<UsedLife>, Error> {
    let Some(first) = shown.first().map(|sample| sample.at) else { return Ok(Vec::new()) };
    // A state depends on the hot spots, and these on rated power and gradients. The regime changes nothing.
    let basis = format!("{} {} {:?}", rating.rating.paper.as_str(), rating.rating.mva, rating.rating.parameters);
    let mut start = if has_states { store.used_life_before(client, asset, first, Some(&basis)).await? } else { None };
    if start.is_none() && has_states {
        // After a change of the rating, what is not kept any more cannot be computed again.
        start = store.used_life_before(client, asset, since, None).await?;
    }
    let initial = rating.used_life_years;
    let life =
        start.map_or_else(|| UsedLife::new(rating.rating.paper, initial), |state| UsedLife::resume(rating.rating.paper, initial, &state));
    let from = start.map_or(since, |state| state.at.max(since));
    let hours = hours(store, client, points, from, now).await?;
    let settled = now.plus_millis(-SETTLES_MS);
    let mut at = grid::downsample::floor(from, STATE_MS).plus_millis(STATE_MS);
    let mut times: Vec<(Micros, bool)> = shown.iter().map(|sample| (sample.at, false)).collect();
    while at <= settled {
        times.push((at, true));
        at = at.plus_millis(STATE_MS);
    }
    times.sort_unstable();
    let lives = used_life(&rating.rating, life, &hours, times.iter().map(|(at, _)| *at));
    let (mut of_samples, mut states) = (Vec::with_capacity(shown.len()), Vec::new());
    for ((at, is_state), life) in times.iter().zip(lives) {
        if *is_state {
            states.push(life.state(*at, initial));
        } else {
            of_samples.push(life);
        }
    }
    let newest = if has_states { store.used_life_before(client, asset, settled, Some(&basis)).await? } else { None };
    states.retain(|state| newest.is_none_or(|newest| state.at > newest.at));
    if !states.is_empty()
        && let Err(error) = store.put_used_life(client, asset, &basis, &states).await
    {
        // The next request computes them again.
        error.log();
    }
    Ok(of_samples)
}

/// Returns loading, permissible loading and used life of a transformer over the last 1, 6 or 12 months; 0 is the whole history.
pub async fn rows(store: &Store, view: &View, asset: &AssetRecord, months: Option<i64>) -> Result<Vec<PermissibleLoadRow>, Error> {
    let client = view.principal.client;
    let rating = store.rating(client, asset.id).await?;
    // A transformer whose life was never computed has no states to look for.
    let has_states = store.used_life_before(client, asset.id, now(), None).await?.is_some();
    let points = Points::of(view, asset);
    let since = store.since(client, &points.all()).await?;
    let months = months.filter(|months| MONTHS.contains(months));
    let months = months.ok_or_else(|| Error::BadRequest("months must be 1, 6, 12, or 0 for all there is".to_owned()))?;
    let now = now();
    let Some(since) = since.filter(|since| *since < now).filter(|_| points.is_of_transformer()) else {
        return Ok(Vec::new());
    };
    let since = since.max(now.plus_millis(-LIFE_MAX_MS));
    let months_ago = || Calendar::of(view, now).before(now, Span::new().months(months));
    let from = if months == 0 { since } else { months_ago().max(since) };
    let shown = points.samples(&store.series(client, &points.all(), from, now, ROWS_MAX).await?);
    let shown: Vec<Sample> = shown.into_iter().filter(Sample::has_any).collect();
    let rows = match &rating {
        None => shown.iter().map(|sample| row(sample, None, None, None)).collect(),
        Some(rating) => {
            let lives = lives(store, (client, asset.id), rating, &points, (since, now), (&shown, has_states)).await?;
            let course = course(&rating.rating, &shown);
            course.iter().zip(&lives).map(|(of, life)| row(&of.sample, Some(rating), Some(of), Some(life))).collect()
        }
    };
    Ok(rows)
}
