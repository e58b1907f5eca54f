//! The curves of a feeder: duration curves of load and voltage, and the protection curves of its relay.

use grid::downsample::Bucket;
use grid::fault::FaultRecord;
use grid::protection::{self, Curve, FLAT_FROM, PICKUP_A, Setting};
use grid::{Micros, Point, PointId, Scope};
use identity::View;
use store::Store;
use store::kept::Level;
use store::registry::AssetRecord;
use store::series::{Line, Series};
use wire::curves::{
    FeederCurves, FeederDurationPoint, FeederFaultPoint, FeederLoadPoint, FeederProtection, FeederVoltagePoint, ProtectionCurve,
    RelaySetting,
};
use wire::flag::Flag;
use wire::time::iso;

use crate::calendar::Calendar;
use crate::error::Error;
use crate::fault_trends::word;
use crate::feeder_hours::{self, KW};

const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 60 * MINUTE_MS;
/// Number of steps of a duration curve. The curve has one point more.
const STEPS: usize = 100;
/// Number of points of a protection curve.
const CURVE_POINTS: usize = 60;
/// Maximum number of faults in the answer; the newest ones are used.
const FAULTS_MAX: usize = 500;
/// The curves end at this multiple of the largest fault current.
const BEYOND: f64 = 1.2;
/// Codes of the points that are read: active power and the voltages of the phases.
const CODES: [&str; 4] = ["P", "Vr", "Vy", "Vb"];

/// Returns the curves of a feeder over a span.
///
/// The second value is the time since which the demand or the faults are kept, if the span begins before it.
pub async fn curves(
    store: &Store,
    view: &View,
    asset: &AssetRecord,
    span: (Micros, Micros),
) -> Result<(FeederCurves, Option<Micros>), Error> {
    let client = view.principal.client;
    let (from, to) = span;
    let points = CODES.map(|code| view.field.points_of(asset.id).find(|point| point.code == code));
    let ids: Vec<PointId> = points.iter().flatten().map(|point| point.id).collect();
    let buckets = (to.millis_since(from) / MINUTE_MS).clamp(2, store::series::BUCKETS_MAX as i64) as usize;
    // The queries run one after the other, because a heavy read has one connection.
    let series = store.series(client, &ids, from, to, buckets).await?;
    let settings = store.relay_settings(client, asset.id).await?;
    let mut faults = store.faults_between(client, Some(Scope::Asset(asset.id)), span, FAULTS_MAX as i64 + 1).await?;
    let cut = faults.len() > FAULTS_MAX;
    faults.truncate(FAULTS_MAX);
    let fault_ids: Vec<i64> = faults.iter().map(|fault| fault.id).collect();
    let operated = store.relays_operated(client, &fault_ids).await?;
    let kept_since = series.kept_since.max(store.kept().await?.within(&[Level::Fault], from));
    let [power, vr, vy, vb] = points.map(|point| point.and_then(|point| Some((point, line(&series, point)?))));
    let demand = power.map(|(_, line)| line.cells.as_slice()).unwrap_or_default();
    let coverage = power.map_or(0.0, |(point, line)| coverage(point, line, &series, span));
    let calendar = Calendar::of(view, to);
    let by_hour = feeder_hours::read(store, client, points[0], span, &calendar).await?;
    let duration = durations(demand).unwrap_or_default();
    let voltage = voltages(&[vr, vy, vb].map(|phase| phase.and_then(|(_, line)| durations(&line.cells))));
    let flags = Flag::that_apply([
        (duration.is_empty(), Flag::NoData),
        (points[0].is_none(), Flag::NotMetered),
        (coverage < 100.0 || cut, Flag::Partial),
        (series.bucket_ms.is_some_and(|ms| ms > HOUR_MS), Flag::Coarse),
    ]);
    let curves = FeederCurves {
        asset_id: asset.id.0,
        asset_name: asset.name.clone(),
        unit: "kW".to_owned(),
        voltage_unit: "kV".to_owned(),
        from: iso(from),
        to: iso(to),
        time_zone: calendar.name,
        bucket_ms: series.bucket_ms,
        coverage,
        load: series.times.iter().zip(demand).map(load_point).collect(),
        duration: percents()
            .zip(duration)
            .map(|(percent_of_time, value)| FeederDurationPoint { percent_of_time, demand: value * KW })
            .collect(),
        voltage,
        by_hour_missing: by_hour.as_ref().err().map(|why| (*why).to_owned()),
        by_hour: by_hour.unwrap_or_default(),
        protection: drawn(&settings, &faults),
        faults: faults.iter().map(|record| fault_point(record, operated.get(&record.id).copied(), &settings)).collect(),
        cut,
        flags,
    };
    Ok((curves, kept_since))
}

fn line<'a>(series: &'a Series, point: &Point) -> Option<&'a Line> {
    series.lines.iter().find(|line| line.point == point.id)
}

/// Returns the share of a span that usable values cover, %. If the point has a reporting interval, missing values reduce the share of a
/// bucket.
fn coverage(point: &Point, line: &Line, series: &Series, (from, to): (Micros, Micros)) -> f64 {
    let span_ms = to.millis_since(from).max(1);
    let covered = line.cells.iter().zip(&series.times).enumerate().filter_map(|(at, (cell, start))| {
        let bucket = cell.as_ref().filter(|bucket| bucket.n_good > 0)?;
        let next = series.times.get(at + 1).copied().or(series.bucket_ms.map(|ms| start.plus_millis(ms))).unwrap_or(to);
        let width_ms = next.min(to).millis_since((*start).max(from)).max(0);
        let expected_ms = point.expected_ms.unwrap_or(width_ms);
        Some(width_ms.min(bucket.n_good.saturating_mul(expected_ms)))
    });
    (100.0 * covered.sum::<i64>() as f64 / span_ms as f64).min(100.0)
}

fn load_point((start, cell): (&Micros, &Option<Bucket>)) -> FeederLoadPoint {
    let of = |value: Option<f64>| value.map(|value| value * KW);
    let [demand, min, max] = cell.map_or([None; 3], |bucket| [bucket.mean(), bucket.min, bucket.max]);
    FeederLoadPoint { time_ms: start.millis(), demand: of(demand), min: of(min), max: of(max) }
}

/// Returns the positions of a duration curve, 0 to 100 %.
fn percents() -> impl Iterator<Item = f64> {
    (0..=STEPS).map(|step| 100.0 * step as f64 / STEPS as f64)
}

/// Returns a duration curve: the means of the buckets are sorted from the largest to the smallest, and the mean at each percent of their number is returned.
/// `None` without any mean.
fn durations(cells: &[Option<Bucket>]) -> Option<Vec<f64>> {
    let mut means: Vec<f64> = cells.iter().flatten().filter_map(Bucket::mean).collect();
    means.sort_unstable_by(|a, b| b.total_cmp(a));
    let last = means.len().checked_sub(1)?;
    Some((0..=STEPS).map(|step| means[(step * last + STEPS / 2) / STEPS]).collect())
}

fn voltages(phases: &[Option<Vec<f64>>; 3]) -> Vec<FeederVoltagePoint> {
    if phases.iter().all(Option::is_none) {
        return Vec::new();
    }
    let at = |step: usize| {
        let [vr, vy, vb] = [0, 1, 2].map(|phase: usize| phases[phase].as_ref().and_then(|values| values.get(step).copied()));
        (vr, vy, vb)
    };
    let point = |(step, percent_of_time)| {
        let (vr, vy, vb) = at(step);
        FeederVoltagePoint { percent_of_time, vr, vy, vb }
    };
    percents().enumerate().map(point).collect()
}

/// Returns the largest fault current of a phase, A.
fn amps(record: &FaultRecord) -> Option<f64> {
    record.fault.currents.iter().flatten().copied().reduce(f64::max).filter(|amps| *amps > 0.0)
}

/// Returns the relay settings with their curves. The curves extend beyond the largest fault current, the range of inverse curves and each
/// pickup.
fn drawn(settings: &[Setting], faults: &[FaultRecord]) -> FeederProtection {
    let reach = |setting: &Setting| setting.pickup_a * if setting.curve == Curve::DefiniteTime { 2.0 } else { FLAT_FROM };
    let largest = faults.iter().filter_map(amps).map(|amps| amps * BEYOND).chain(settings.iter().map(reach));
    let to_a = largest.fold(0.0, f64::max).min(*PICKUP_A.end());
    let curve = |setting: &Setting| {
        let points: Vec<[f64; 2]> = setting.sampled(to_a, CURVE_POINTS).into_iter().map(|(amps, seconds)| [amps, seconds]).collect();
        (!points.is_empty()).then(|| ProtectionCurve { element: setting.element.as_str().to_owned(), points })
    };
    FeederProtection { settings: settings.iter().map(RelaySetting::from).collect(), curves: settings.iter().filter_map(curve).collect() }
}

fn fault_point(record: &FaultRecord, operated: Option<Micros>, settings: &[Setting]) -> FeederFaultPoint {
    let amps = amps(record);
    let expected = amps.and_then(|amps| protection::first(settings, amps));
    FeederFaultPoint {
        id: record.id,
        amps,
        breaker_opening_s: operated.map(|operated| record.fault.start.0.saturating_sub(operated.0) as f64 / 1e6),
        fault_type: word(record.fault.fault_type()).to_owned(),
        time: iso(record.fault.start),
        time_ms: record.fault.start.millis(),
        element: expected.map(|(element, _)| element.as_str().to_owned()),
        expected_s: expected.map(|(_, seconds)| seconds),
    }
}

#[cfg(test)]
mod tests {
    use grid::Quality;

    use super::*;

    fn cells(values: &[Option<f64>]) -> Vec<Option<Bucket>> {
        values.iter().enumerate().map(|(at, value)| value.map(|value| Bucket::of(Micros(at as i64), Some(value), Quality::Good))).collect()
    }

    #[test]
    fn a_duration_curve_falls_from_the_largest_to_the_smallest() {
        assert_eq!(durations(&cells(&[None, None])), None);
        assert_eq!(durations(&cells(&[None, Some(2.0)])), Some(vec![2.0; 101]));
        let values: Vec<Option<f64>> = (0..201).map(|value| Some(f64::from(value))).collect();
        let curve = durations(&cells(&values)).expect("a curve");
        assert_eq!((curve[0], curve[1], curve[50], curve[100]), (200.0, 198.0, 100.0, 0.0));
        let two = durations(&cells(&[Some(1.0), Some(3.0)])).expect("a curve");
        assert_eq!((two[0], two[49], two[50], two[100]), (3.0, 3.0, 1.0, 1.0), "half of the time each");
    }

    #[test]
    fn a_phase_that_is_not_measured_is_absent() {
        assert_eq!(voltages(&[None, None, None]), []);
        let rows = voltages(&[None, Some(vec![6.3; 101]), None]);
        assert_eq!((rows.len(), rows[100].percent_of_time, rows[7].vr, rows[7].vy), (101, 100.0, None, Some(6.3)));
    }
}
