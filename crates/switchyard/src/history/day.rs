//! Generates one day of a utility from its simulation, and for each substation the rollup buckets of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use grid::demand::{QUARTER_MS, Quarter};
use grid::downsample::{Bucket, MINUTE_MS, Resolution, floor};
use grid::{Micros, PointId, Quality};
use simulators::physics::utility::UtilityPhysics;
use simulators::physics::utility_network::UtilityNetwork;

/// The value at which energy registers roll over.
const ROLLOVER: f64 = 1_000_000.0;

/// Codes of the core measurands, which screens show over months. All others have a shorter history.
const CORE: [&str; 28] = [
    "Ir", "Iy", "Ib", "I", "Vr", "Vy", "Vb", "V", "P", "Q", "S", "Pf", "Hz", "EImp", "EExp", "RImp", "OTI", "WTI", "AmbT", "Tap",
    "OilLevel", "BatV", "BatA", "DcuV", "Vry", "Vyb", "Vbr", "EBat",
];
const REGISTERS: [&str; 7] = ["EImp", "EExp", "EImpR", "EImpY", "EImpB", "RImp", "RExp"];

/// Returns whether a metric is a register, by the code at its end.
pub(super) fn is_register(metric: &str) -> bool {
    metric.rsplit('/').next().is_some_and(|code| REGISTERS.contains(&code))
}

/// A measurand of a substation whose history is generated.
#[derive(Debug, Clone)]
pub(super) struct Measurand {
    /// The point.
    pub point: PointId,
    /// Its metric name.
    pub metric: String,
    is_core: bool,
    is_register: bool,
    /// Whether it is the power of an asset, from which demand is computed.
    is_power: bool,
    /// Reporting interval of the RTU, ms.
    expected_ms: i64,
}

impl Measurand {
    /// Returns the measurand; `code` is the last part of its metric name.
    pub(super) fn new(point: PointId, metric: &str, code: &str, expected_ms: i64) -> Self {
        Self {
            point,
            metric: metric.to_owned(),
            is_core: CORE.contains(&code),
            is_register: is_register(code),
            is_power: code == "P",
            expected_ms,
        }
    }

    /// Returns the number of RTU readings that one generated value represents, if a value is generated each `step_ms`. It is needed because the coverage of a
    /// period is computed from the number of readings.
    fn readings(&self, step_ms: i64) -> i64 {
        (step_ms / self.expected_ms.max(1)).max(1)
    }
}

/// The start of each resolution. Before it, only coarser ones are generated. Hours and days of core measurands are generated for the whole history.
#[derive(Debug, Clone, Copy)]
pub(super) struct Windows {
    /// Start of the minute buckets.
    pub minutes: Micros,
    /// Start of the ten-minute buckets.
    pub ten_minutes: Micros,
    /// Start of the hour and day buckets of all other measurands.
    pub rest: Micros,
}

impl Windows {
    /// Returns the windows for a history up to `until`: one day of minutes, two weeks of ten minutes, a month of the other measurands.
    pub(super) fn before(until: Micros) -> Self {
        const DAY_MS: i64 = 24 * 60 * MINUTE_MS;
        let back = |days: i64| until.plus_millis(-days * DAY_MS);
        Self { minutes: back(1), ten_minutes: back(14), rest: back(30) }
    }

    /// Returns the time between two values of a day: a minute, five minutes, or a quarter of an hour.
    fn step_ms(&self, to: Micros) -> i64 {
        if to > self.minutes {
            MINUTE_MS
        } else if to > self.ten_minutes {
            5 * MINUTE_MS
        } else {
            15 * MINUTE_MS
        }
    }
}

/// Buckets of one resolution.
pub(super) type Buckets = Vec<(PointId, Micros, Bucket)>;

/// A generated day, or the part of it before the end of the history.
#[derive(Debug)]
pub(super) struct Day {
    /// Its buckets, by resolution.
    pub buckets: Vec<(Resolution, Buckets)>,
    /// The quarters of an hour of its powers, with their starts. Demand is computed from them.
    pub quarters: Vec<(PointId, Micros, Quarter)>,
    /// Values of the registers at its start, by metric.
    pub registers: BTreeMap<String, f64>,
}

/// The values of a simulated day.
#[derive(Debug)]
pub(super) struct Course {
    from: Micros,
    step_ms: i64,
    times: Vec<Micros>,
    /// For each substation.
    stations: Vec<StationCourse>,
}

/// The values of a substation.
#[derive(Debug)]
struct StationCourse {
    /// For each measurand its value at each time; NaN if it could not be measured.
    values: Vec<Vec<f64>>,
    /// The registers at the end, by metric.
    registers: BTreeMap<String, f64>,
}

/// Simulates a utility from the midnight `from` to `to`. `measurands` are the measurands of each substation.
pub(super) fn simulate(
    network: &Arc<UtilityNetwork>,
    seed_of: impl Fn(usize) -> u64,
    measurands: &[Vec<Measurand>],
    (from, to): (Micros, Micros),
    windows: &Windows,
) -> Course {
    let mut physics = UtilityPhysics::new(network.clone(), seed_of, from).settled();
    let step_ms = windows.step_ms(to);
    let mut times = Vec::new();
    let mut values: Vec<Vec<Vec<f64>>> = measurands.iter().map(|measurands| vec![Vec::new(); measurands.len()]).collect();
    let mut at = from;
    while at < to {
        times.push(at);
        for (station, (known, measurands)) in values.iter_mut().zip(measurands).enumerate() {
            let present = physics.station(station).values();
            for (known, measurand) in known.iter_mut().zip(measurands) {
                known.push(present.get(&measurand.metric).copied().unwrap_or(f64::NAN));
            }
        }
        at = at.plus_millis(step_ms).min(to);
        physics.step(at);
    }
    let registers = |station: usize| {
        let present = physics.station(station).values().iter().filter(|(metric, _)| is_register(metric));
        present.map(|(metric, value)| (metric.clone(), *value)).collect()
    };
    let stations =
        values.into_iter().enumerate().map(|(station, values)| StationCourse { values, registers: registers(station) }).collect();
    Course { from, step_ms, times, stations }
}

/// Creates the buckets of a substation. `ends` are the values of its registers at the end, by metric. The registers are shifted so that they end with these
/// values.
pub(super) fn make(course: &Course, station: usize, measurands: &[Measurand], windows: &Windows, ends: &BTreeMap<String, f64>) -> Day {
    let Course { from, step_ms, times, stations } = course;
    let (from, step_ms, station) = (*from, *step_ms, &stations[station]);
    let mut day =
        Day { buckets: Resolution::BUCKETS.map(|of| (of, Buckets::new())).into(), quarters: Vec::new(), registers: BTreeMap::new() };
    // A metric that the simulation does not have gets no history.
    for (values, measurand) in station.values.iter().zip(measurands) {
        let mut known: Vec<Option<f64>> = values.iter().map(|value| (!value.is_nan()).then_some(*value)).collect();
        if known.iter().all(Option::is_none) {
            continue;
        }
        if measurand.is_register
            && let (Some(first), Some(last)) = (known.first().copied().flatten(), station.registers.get(&measurand.metric))
        {
            let shift = ends.get(&measurand.metric).map_or(0.0, |end| end - last);
            for value in known.iter_mut().flatten() {
                *value = (*value + shift).rem_euclid(ROLLOVER);
            }
            day.registers.insert(measurand.metric.clone(), (first + shift).rem_euclid(ROLLOVER));
        }
        let Measurand { point, is_core, is_power, .. } = *measurand;
        if is_power {
            day.quarters.extend(quarters(point, step_ms, times, &known));
        }
        for (of, buckets) in &mut day.buckets {
            let since = match of {
                Resolution::Minute => windows.minutes,
                Resolution::TenMinutes => windows.ten_minutes,
                _ if is_core => Micros(i64::MIN),
                _ => windows.rest,
            };
            let is_kept = is_core || *of >= Resolution::Hour;
            if is_kept {
                fold((point, measurand.readings(step_ms)), *of, from, since, times, &known, buckets);
            }
        }
    }
    day
}

/// Returns the quarters of an hour of a point's values, one for each step. The quarter in which the history ends is left out, because live values will fill it.
fn quarters(point: PointId, step_ms: i64, times: &[Micros], values: &[Option<f64>]) -> Vec<(PointId, Micros, Quarter)> {
    let mut found: Vec<(PointId, Micros, Quarter)> = Vec::new();
    let whole = (QUARTER_MS / step_ms) as usize;
    let known: Vec<(Micros, f64)> = times.iter().zip(values).filter_map(|(at, value)| Some((*at, (*value)?))).collect();
    for values in known.chunk_by(|one, other| floor(one.0, QUARTER_MS) == floor(other.0, QUARTER_MS)).filter(|values| values.len() == whole)
    {
        let mean = values.iter().map(|(_, value)| value).sum::<f64>() / whole as f64;
        found.push((point, floor(values[0].0, QUARTER_MS), Quarter { mean, minutes: 15 }));
    }
    found
}

/// Adds the buckets of one point's values. Each value represents `readings` readings. The day bucket starts at `day`.
fn fold(
    (point, readings): (PointId, i64),
    of: Resolution,
    day: Micros,
    since: Micros,
    times: &[Micros],
    values: &[Option<f64>],
    buckets: &mut Buckets,
) {
    let begin = buckets.len();
    for (at, value) in times.iter().zip(values).filter(|(at, _)| **at >= since) {
        // A value that could not be measured was reported as null.
        let one = Bucket::of(*at, *value, Quality::Good);
        let one = Bucket { n: readings, n_good: one.n_good * readings, sum: one.sum.map(|sum| sum * readings as f64), ..one };
        let start = if of == Resolution::Day { day } else { floor(*at, of.ms()) };
        match buckets[begin..].last_mut() {
            Some((_, last, bucket)) if *last == start => bucket.merge(&one),
            _ => buckets.push((point, start, one)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first_station() -> (Arc<UtilityNetwork>, Vec<Measurand>) {
        let mut client = simulators::utility::demo(33).clients.swap_remove(0);
        let substation = client.substations.swap_remove(5);
        client.substations = vec![substation.clone()];
        let measurands = substation.points.iter().filter(|point| point.expected_ms.is_some()).enumerate();
        let measurands = measurands
            .map(|(id, point)| Measurand::new(PointId(id as i64), &point.metric(), &point.code, point.expected_ms.unwrap_or(MINUTE_MS)))
            .collect();
        (Arc::new(UtilityNetwork::new(&client)), measurands)
    }

    #[test]
    fn days_join_and_registers_go_on_from_one_to_the_next() {
        let (network, measurands) = first_station();
        let day_ms = 24 * 60 * MINUTE_MS;
        // A midnight in India: 2026-06-30 18:30 UTC.
        let midnight = Micros::from_millis(1_782_844_200_000);
        let windows = Windows::before(midnight.plus_millis(day_ms));
        let start = UtilityPhysics::new(network.clone(), |_| 1, midnight);
        let ends: BTreeMap<String, f64> = start.station(0).values().iter().map(|(metric, value)| (metric.clone(), *value)).collect();
        let day = |seed: u64, from: Micros, ends: &BTreeMap<String, f64>| {
            let course = simulate(&network, |_| seed, std::slice::from_ref(&measurands), (from, from.plus_millis(day_ms)), &windows);
            make(&course, 0, &measurands, &windows, ends)
        };
        let newer = day(7, midnight, &ends);
        let older = day(8, midnight.plus_millis(-day_ms), &newer.registers);
        let register = measurands.iter().find(|measurand| measurand.metric == "F1/EImp").expect("a register");
        let days: Vec<Bucket> = [&older, &newer]
            .iter()
            .map(|day| day.buckets[3].1.iter().find(|(point, ..)| *point == register.point).expect("a day").2)
            .collect();
        let (first, last) = (days[0].last.expect("a reading").1, days[1].first.expect("a reading").1);
        assert!(last >= first && last - first < 0.5, "{first} {last}: five minutes apart");
        assert!((last - newer.registers["F1/EImp"]).abs() < 1e-9);
        assert!(days[1].last.expect("a reading").1 < ends["F1/EImp"], "and they end where the field begins");
        // A value per five minutes counts as the readings of those five minutes.
        let known = |day: &Day, of: usize| {
            day.buckets[of].1.iter().filter(|(point, ..)| *point == register.point).map(|(.., one)| one.n_good).sum::<i64>()
        };
        assert_eq!([known(&older, 3), known(&newer, 3)], [day_ms / register.expected_ms; 2]);
        let counts = |day: &Day| {
            day.buckets.iter().map(|(_, buckets)| buckets.iter().filter(|(point, ..)| *point == register.point).count()).collect::<Vec<_>>()
        };
        let quarters = |day: &Day| (day.quarters.len(), day.quarters.len() % 96);
        assert!(quarters(&older).0 > 0 && quarters(&older) == quarters(&newer) && quarters(&newer).1 == 0, "96 of each power");
        assert_eq!(counts(&newer), [1_440, 144, 25, 1], "hours are of UTC");
        assert_eq!(counts(&older), [0, 144, 25, 1]);
    }
}
