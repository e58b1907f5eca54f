//! Tests of packing: arrays by hand, and round trips of random values.

use proptest::prelude::*;

use super::*;
use crate::downsample::collect;

/// 2026-07-01 06:00 UTC, the start of an hour.
const HOUR: Micros = Micros(1_782_885_600_000_000);
const MINUTES: Layout = layout(Resolution::Minute);
const LAYOUTS: [Layout; 3] = [MINUTES, layout(Resolution::TenMinutes), layout(Resolution::Hour)];

const fn layout(of: Resolution) -> Layout {
    match Layout::of(of) {
        Some(layout) => layout,
        None => panic!("not packed"),
    }
}

fn at(ms: i64) -> Micros {
    HOUR.plus_millis(ms)
}

/// Buckets of a minute from values: ms after the hour, value, quality.
fn minutes(values: &[(i64, f64, Quality)]) -> Vec<(Micros, Bucket)> {
    let parts = values.iter().map(|(ms, value, quality)| (at(*ms), Bucket::of(at(*ms), Some(*value), *quality)));
    collect(parts, |at| floor(at, MINUTE_MS), None)
}

fn good(ms: i64, value: f64) -> (i64, f64, Quality) {
    (ms, value, Quality::Good)
}

fn steps(values: &Values) -> (f64, f64, &Figures<i16>) {
    match values {
        Values::Steps { base, step, figures } => (*base, *step, figures),
        other => panic!("{other:?}"),
    }
}

#[test]
fn one_value_per_minute_needs_three_arrays() {
    let row = pack(MINUTES, &minutes(&[good(1_000, 5.0), good(61_002, 9.0), good(121_001, 5.0), good(181_000, 7.5), good(300_000, 5.0)]))
        .unwrap();
    assert_eq!((row.start, &row.n[..]), (HOUR, &[Some(1), Some(1), Some(1), Some(1), None, Some(1)][..]));
    assert_eq!(row.last_at, [Some(500), Some(501), Some(500), Some(500), None, Some(0)], "2 ms, rounded down");
    assert!(row.bad.is_empty() && row.worst.is_empty() && row.first_at.is_empty() && row.held_ms.is_empty());
    assert!(row.received_first.is_empty() && row.received_last.is_empty());
    let (base, step, figures) = steps(&row.values);
    // A range of 4 has 65,534 steps of at least 2^-14.
    assert_eq!(step.to_bits(), 2.0_f64.powi(-13).to_bits());
    assert_eq!(figures.last.first().copied().flatten().map(|steps| base + step * f64::from(steps)), Some(5.0));
    assert!(figures.first.is_empty() && figures.min.is_empty() && figures.max.is_empty() && figures.mean.is_empty());
}

#[test]
fn entries_that_follow_from_others_are_absent() {
    let values = [
        // Two usable values: the mean over time is the first one.
        [good(0, 10.0), good(30_000, 4.0)].as_slice(),
        // Three: the mean is (8 * 10 + 6 * 20) / 30.
        &[good(60_000, 8.0), good(70_000, 6.0), good(90_000, 7.0)],
        // Not usable at both ends.
        &[(120_000, 3.0, Quality::Invalid), good(130_000, 5.0), (150_000, 1.0, Quality::Stale)],
        // None is usable.
        &[(180_000, 3.0, Quality::Never)],
        &[(240_000, 6.0, Quality::Questionable)],
    ]
    .concat();
    let buckets = minutes(&values);
    let row = pack(MINUTES, &buckets).unwrap();
    assert_eq!(row.n, [2, 3, 3, 1, 1].map(Some));
    assert_eq!(row.bad, [None, None, Some(2), Some(1)]);
    assert_eq!(row.worst, [None, None, Some(4), Some(6), Some(2)]);
    assert_eq!(row.last_at, [Some(15_000), Some(15_000), Some(5_000), None, Some(0)]);
    assert_eq!(row.first_at, [Some(0), Some(0)]);
    assert_eq!(row.received_first, [None, None, Some(0), Some(0)]);
    assert_eq!(row.received_last, [None, None, Some(15_000), Some(0)]);
    assert_eq!(row.held_ms, [None, None, Some(20_000)]);
    let (base, step, figures) = steps(&row.values);
    let value = |entry: Option<i16>| entry.map(|steps| base + step * f64::from(steps));
    assert_eq!(figures.last.iter().map(|entry| value(*entry)).collect::<Vec<_>>(), [Some(4.0), Some(7.0), Some(5.0), None, Some(6.0)]);
    assert_eq!(figures.first.iter().map(|entry| value(*entry)).collect::<Vec<_>>(), [Some(10.0), Some(8.0)]);
    assert_eq!(figures.min.iter().map(|entry| value(*entry)).collect::<Vec<_>>(), [None, Some(6.0)]);
    assert!(figures.max.is_empty());
    assert!((value(figures.mean[1]).unwrap() - 20.0 / 3.0).abs() <= step / 2.0 && figures.mean[0].is_none() && figures.mean.len() == 2);
    let unpacked = unpack(MINUTES, &row);
    assert_eq!(unpacked[2].1.lasting(), None);
    assert_eq!(unpacked[2].1.mean(), Some(5.0));
    assert_eq!((unpacked[3].1.n, unpacked[3].1.n_good, unpacked[3].1.last, unpacked[3].1.mean()), (1, 0, None, None));
}

#[test]
fn unusable_value_in_the_same_unit_still_ends_validity() {
    let values = [(Micros(HOUR.0 + 100), Some(1.0), Quality::Good), (Micros(HOUR.0 + 300), Some(1.0), Quality::Invalid)];
    let buckets = collect(values.map(|(at, value, quality)| (at, Bucket::of(at, value, quality))), |at| floor(at, MINUTE_MS), None);
    assert_eq!(buckets[0].1.lasting(), None);
    assert_eq!(unpack(MINUTES, &pack(MINUTES, &buckets).unwrap())[0].1.lasting(), None);
}

#[test]
fn no_buckets_are_an_empty_row() {
    let row = pack(MINUTES, &[]).unwrap();
    assert_eq!((row.n.len(), &row.values), (0, &Values::Absent));
    assert!(unpack(MINUTES, &row).is_empty());
    let row = pack(MINUTES, &minutes(&[(0, 1.0, Quality::Invalid)])).unwrap();
    assert_eq!((row.n.len(), &row.values), (1, &Values::Absent));
}

#[test]
fn equal_values_are_exact() {
    for value in [0.0, 230.1, -1e-300, 1e300] {
        let buckets = minutes(&(0..600).map(|nth| good(nth * 6_000, value)).collect::<Vec<_>>());
        let Ok(row) = pack(MINUTES, &buckets) else { panic!("{value}") };
        let (base, step, figures) = steps(&row.values);
        assert_eq!((base, step), (value, 0.0));
        assert!(figures.last.len() == 60 && figures.first.is_empty() && figures.mean.is_empty());
        assert!(unpack(MINUTES, &row).iter().all(|(_, bucket)| bucket.mean() == Some(value) && bucket.min == Some(value)));
    }
}

#[test]
fn counters_and_spikes_are_exact() {
    let is_exact = |value: &dyn Fn(i64) -> f64| {
        let buckets = minutes(&(0..360).map(|nth| good(nth * 10_000, value(nth))).collect::<Vec<_>>());
        let row = pack(MINUTES, &buckets).unwrap();
        let exact = matches!(row.values, Values::Exact(_));
        let same =
            unpack(MINUTES, &row).iter().zip(&buckets).all(|(a, b)| a.1.first == b.1.first && a.1.min == b.1.min && a.1.last == b.1.last);
        assert!(same || !exact);
        exact
    };
    let noise = |nth: i64| (nth * 7_919 % 101) as f64 / 50.0;
    assert!(is_exact(&|nth| 412_345.678 + nth as f64 * 0.001), "a register");
    assert!(is_exact(&|nth| (999_999.9 + nth as f64 * 0.001) % 1_000_000.0), "a register that rolls over");
    assert!(!is_exact(&|nth| 230.0 + noise(nth)), "a voltage");
    assert!(!is_exact(&|nth| if nth % 90 == 7 { 7.2 + noise(nth) } else { 0.0 }), "mostly zero");
    assert!(!is_exact(&|nth| if nth == 99 { 500.0 } else { 230.0 + noise(nth) }), "a spike of twice the value");
    assert!(is_exact(&|nth| if nth == 99 { 1e6 } else { 230.0 + noise(nth) }), "a spike that would make steps coarse");
    assert!(is_exact(&|nth| if nth == 99 { 1e300 } else { noise(nth) }), "and a larger one");
}

#[test]
fn figures_that_are_no_numbers_are_refused() {
    for wrong in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        // Such a value is not usable; it does not become part of a figure.
        let bucket = Bucket::of(HOUR, Some(wrong), Quality::Good);
        assert_eq!((bucket.n, bucket.n_good, bucket.mean()), (1, 0, None));
        let bucket = Bucket { max: Some(wrong), ..Bucket::of(HOUR, Some(1.0), Quality::Good) };
        assert_eq!(pack(MINUTES, &[(HOUR, bucket)]), Err(Unpackable::NotFinite(HOUR)));
    }
    // Their integral exceeds the range of a double.
    let buckets = minutes(&[good(60_000, 1.7e308), good(70_000, -1.7e308), good(80_000, 1.7e308)]);
    assert_eq!(pack(MINUTES, &buckets), Err(Unpackable::NotFinite(at(60_000))));
}

#[test]
fn buckets_of_other_blocks_are_refused() {
    let one = Bucket::of(HOUR, Some(1.0), Quality::Good);
    for other in [at(0), at(-60_000), at(3_600_000), at(500)] {
        assert_eq!(pack(MINUTES, &[(HOUR, one), (other, one)]), Err(Unpackable::Misplaced(other)));
    }
    assert_eq!(LAYOUTS.map(Layout::block_ms), [3_600_000, 86_400_000, 7 * 86_400_000]);
    // 2000-01-01 was a Saturday, and so is 2026-06-27.
    assert_eq!(LAYOUTS[2].block(HOUR), Micros(1_782_518_400_000_000));
}

#[test]
fn counts_are_limited_by_their_column() {
    let one = Bucket::of(HOUR, Some(1.0), Quality::Good);
    for (n, n_good, expected) in [(40_000, 40_000, (32_767, 32_767)), (100_000, 1, (32_767, 1)), (100_000, 0, (32_767, 0))] {
        let one = if n_good > 0 { one } else { Bucket::of(HOUR, None, Quality::Good) };
        let row = pack(MINUTES, &[(HOUR, Bucket { n, n_good, ..one })]).unwrap();
        let bucket = unpack(MINUTES, &row)[0].1;
        assert_eq!((bucket.n, bucket.n_good), expected);
    }
}

/// Values of an hour, day or week, in µs after its start, and how they are scaled.
fn values() -> impl Strategy<Value = (usize, Vec<(i64, Option<f64>, Quality)>)> {
    let value = prop_oneof![8 => (-1.0..1.0_f64).prop_map(Some), 1 => Just(None), 1 => Just(Some(0.0))];
    let quality = prop_oneof![8 => Just(Quality::Good), 1 => (0..7_u8).prop_map(|code| Quality::from_code(code).unwrap_or(Quality::Never))];
    let shape = (0..3_usize, prop_oneof![Just(1.0), Just(230.0), Just(1e-9), Just(4e5)], prop_oneof![Just(0.0), Just(1e4), -1e3..1e3_f64]);
    shape.prop_flat_map(move |(which, scale, offset)| {
        let span = LAYOUTS[which].block_ms() * 1_000;
        prop::collection::btree_map(0..span, (value.clone(), quality.clone()), 0..400).prop_map(move |values| {
            let values = values.into_iter().map(|(us, (value, quality))| (us, value.map(|value| offset + scale * value), quality));
            (which, values.collect())
        })
    })
}

proptest! {
    #[test]
    fn round_trip_is_within_half_a_step((which, values) in values(), limit in prop::option::of(30_000..90_000_i64)) {
        let layout = LAYOUTS[which];
        let start = layout.block(HOUR);
        let parts = values.iter().map(|(us, value, quality)| {
            let at = Micros(start.0 + us);
            (at, Bucket::of(at, *value, *quality))
        });
        let buckets = collect(parts, |at| floor(at, layout.bucket_ms), limit);
        let row = pack(layout, &buckets).expect("finite values");
        let half = match &row.values {
            Values::Steps { step, .. } => step / 2.0,
            Values::Absent | Values::Exact(_) => 0.0,
        };
        let found = unpack(layout, &row);
        prop_assert_eq!(found.len(), buckets.len());
        let unit = layout.unit_us();
        for ((start, found), (expected_start, expected)) in found.iter().zip(&buckets) {
            prop_assert_eq!(start, expected_start);
            prop_assert_eq!((found.n, found.n_good, found.worst), (expected.n, expected.n_good, expected.worst));
            let close = |a: Option<f64>, b: Option<f64>| a.is_some() == b.is_some() && a.zip(b).is_none_or(|(a, b)| (a - b).abs() <= half + b.abs() * 1e-12);
            prop_assert!(close(found.min, expected.min) && close(found.max, expected.max), "{:?} for {:?}", found, expected);
            prop_assert!(close(found.mean(), expected.mean()), "{:?} for {:?}", found, expected);
            let value = |pair: Option<(Micros, f64)>| pair.map(|pair| pair.1);
            prop_assert!(close(value(found.first), value(expected.first)) && close(value(found.last), value(expected.last)));
            let early = |a: Micros, b: Micros| (0..unit).contains(&(b.0 - a.0));
            let time = |pair: Option<(Micros, f64)>| pair.map(|pair| pair.0);
            prop_assert!(time(found.first).zip(time(expected.first)).is_none_or(|(a, b)| early(a, b)));
            prop_assert!(time(found.last).zip(time(expected.last)).is_none_or(|(a, b)| early(a, b)));
            prop_assert_eq!(found.lasting().is_some(), expected.lasting().is_some());
            let (a, b) = (found.held.expect("times"), expected.held.expect("times"));
            prop_assert!((a.ms - b.ms).abs() <= 0.5 + unit as f64 / 1_000.0, "{:?} for {:?}", a, b);
            prop_assert!((a.from.0 - b.from.0).abs() < unit && (a.to.0 - b.to.0).abs() <= unit, "{:?} for {:?}", a, b);
        }
        // The order of the buckets does not matter, and packing what was unpacked keeps the same figures.
        let reversed: Vec<_> = buckets.iter().rev().copied().collect();
        prop_assert_eq!(&pack(layout, &reversed).expect("finite values"), &row);
        let again = unpack(layout, &pack(layout, &found).expect("finite values"));
        for ((_, again), (_, found)) in again.iter().zip(&found) {
            prop_assert_eq!((again.n, again.n_good, again.worst, again.first.map(|first| first.0)), (found.n, found.n_good, found.worst, found.first.map(|first| first.0)));
            prop_assert!(again.last.zip(found.last).is_none_or(|(a, b)| (a.1 - b.1).abs() <= half + b.1.abs() * 1e-12));
        }
    }
}

#[test]
fn counter_that_restarts_is_exact() {
    // Hours of a week, 20 kWh each, of a register that reads 0 three times.
    const HOUR_MS: i64 = 60 * MINUTE_MS;
    let hours = layout(Resolution::Hour);
    let start = hours.block(HOUR);
    let mut blocks = Vec::new();
    let mut register = 900_000.0;
    for hour in 0..168 {
        register += 20.0;
        let value = if hour % 50 == 40 { 0.0 } else { register };
        let at = start.plus_millis(hour * HOUR_MS);
        blocks.push((at, Bucket::of(at, Some(value), Quality::Good)));
    }
    let row = pack(hours, &blocks).unwrap();
    assert!(matches!(row.values, Values::Exact(_)), "{:?}", row.values);
}
