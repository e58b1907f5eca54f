//! Tests of the quality check on constructed series.

use proptest::prelude::*;

use super::*;
use crate::measure::Quantity;
use crate::point::kind_of_code;
use crate::{AssetId, ClientId, GatewayId, NodeId, Point, PointId};

const SECOND: i64 = 1_000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;

fn point(code: &str, expected_ms: Option<i64>) -> Point {
    let quantity = Quantity::of_code(code);
    Point {
        id: PointId(1),
        client: ClientId(1),
        gateway: GatewayId(1),
        device: "F1".into(),
        metric: format!("F1/{code}"),
        code: code.into(),
        asset: AssetId(1),
        asset_name: "F1".into(),
        asset_type: 1,
        location: NodeId(1),
        kind: kind_of_code(code),
        quantity,
        unit: quantity.unit().into(),
        decimals: quantity.decimals(),
        scale: 1.0,
        expected_ms,
    }
}

fn expectation(code: &str, expected_ms: Option<i64>) -> Expectation {
    Expectation::of(&point(code, expected_ms), Some(11.0))
}

fn value(at_ms: i64, value: impl Into<Option<f64>>, quality: Quality, delay_ms: i64) -> Value {
    let at = Micros::from_millis(at_ms);
    Value { at, received: at.plus_millis(delay_ms), value: value.into(), quality, hour: (at_ms / HOUR % 24) as u8 }
}

fn check(expectation: Expectation, to_ms: i64, values: impl IntoIterator<Item = Value>) -> Report {
    let mut checker = Checker::new(expectation, Micros(0), Micros::from_millis(to_ms));
    for value in values {
        checker.take(&value);
    }
    checker.finish()
}

/// Returns a load that changes with every value.
fn load(at_ms: i64) -> f64 {
    60.0 + (at_ms / (10 * SECOND) % 13) as f64
}

/// Returns currents every ten seconds for a day.
fn day() -> impl Iterator<Item = Value> {
    (0..24 * 360).map(|nth| value(nth * 10 * SECOND, load(nth * 10 * SECOND), Quality::Good, 50))
}

fn anomalies_of(report: &Report) -> Vec<(AnomalyKind, i64, i64)> {
    report.stretches.iter().map(|stretch| (stretch.kind, stretch.from.millis(), stretch.to.millis())).collect()
}

#[test]
fn a_series_without_fault_has_full_marks() {
    let report = check(expectation("Ir", Some(10 * SECOND)), 24 * HOUR, day());
    assert_eq!((report.completeness, report.score, report.values), (Some(100.0), Some(100.0), 8_640));
    assert_eq!((report.gaps, report.longest_gap_ms, report.flat_lines, report.outliers), (Some(0), None, 0, 0));
    assert_eq!((report.bad_quality, report.clock_errors, report.late, report.out_of_limits), (0, Some(0), Some(0), 0));
    assert_eq!((report.stretches.len(), report.cut), (0, 0));
}

#[test]
fn missing_values_beyond_the_age_limit_are_gaps() {
    // Two hours are missing, then one single value: the single value is no gap.
    let missing = |at: i64| (6 * HOUR..8 * HOUR).contains(&at) || at == 9 * HOUR;
    let report = check(expectation("Ir", Some(10 * SECOND)), 24 * HOUR, day().filter(|value| !missing(value.at.millis())));
    let covered = 1.0 - (2 * HOUR + 10 * SECOND) as f64 / (24 * HOUR) as f64;
    assert!((report.completeness.unwrap() - 100.0 * covered).abs() < 1e-9, "{report:?}");
    assert_eq!((report.gaps, report.longest_gap_ms), (Some(1), Some(2 * HOUR + 10 * SECOND)));
    assert_eq!(anomalies_of(&report), [(AnomalyKind::Gap, 6 * HOUR - 10 * SECOND, 8 * HOUR)]);
    // Gaps at both ends.
    let report = check(expectation("Ir", Some(10 * SECOND)), 24 * HOUR, day().filter(|v| (12 * HOUR..13 * HOUR).contains(&v.at.millis())));
    assert_eq!(anomalies_of(&report), [(AnomalyKind::Gap, 0, 12 * HOUR), (AnomalyKind::Gap, 13 * HOUR - 10 * SECOND, 24 * HOUR)]);
    assert!((report.completeness.unwrap() - 100.0 / 24.0).abs() < 1e-9, "{report:?}");
}

#[test]
fn nothing_at_all_is_nothing_and_not_good() {
    let report = check(expectation("Ir", Some(10 * SECOND)), HOUR, []);
    assert_eq!((report.completeness, report.score, report.gaps), (Some(0.0), Some(0.0), Some(1)));
    let report = check(expectation("Ir", None), HOUR, []);
    assert_eq!((report.completeness, report.score, report.gaps), (None, None, None), "nothing was expected");
}

#[test]
fn how_long_a_value_may_stay_depends_on_what_it_measures() {
    // Code, value, hours at that value, whether that is a flat line.
    let cases = [
        ("Vr", 6.35, 2, true),
        ("Vr", 0.0, 20, false),
        ("Hz", 50.01, 1, true),
        ("Ir", 61.0, 3, true),
        ("Ir", 61.0, 2, false),
        ("Ir", 1.0, 20, false),
        ("Ir", 0.0, 20, false),
        ("P", 0.0, 20, false),
        ("P", 1.25, 3, true),
        ("OTI", 55.0, 5, false),
        ("OTI", 55.0, 7, true),
        ("Tap", 9.0, 23, false),
        ("BatV", 123.0, 20, false),
        ("EImp", 5_000.0, 20, false),
        ("AVr", 0.0, 20, false),
        ("FIr", 0.0, 20, false),
        ("Pos", 2.0, 20, false),
    ];
    for (code, stays, hours, is_flat) in cases {
        let flat = (0..=hours * 60).map(|minute| value(minute * MINUTE, stays, Quality::Good, 0));
        let report = check(expectation(code, Some(MINUTE)), hours * HOUR + MINUTE, flat);
        let expected: &[(AnomalyKind, i64, i64)] = if is_flat { &[(AnomalyKind::Flat, 0, hours * HOUR)] } else { &[] };
        assert_eq!(anomalies_of(&report), expected, "{code} at {stays} for {hours} h: {report:?}");
        assert_eq!(report.score.unwrap() < 5.0, is_flat, "{code}: {report:?}");
    }
    let report = check(expectation("Vr", Some(MINUTE)), 3 * HOUR, (0..180).map(|m| value(m * MINUTE, 6.35, Quality::Invalid, 0)));
    assert_eq!(report.flat_lines, 0, "of what is not good nobody says that it should move");
    assert_eq!(report.stretches[0].note, "invalid");
}

#[test]
fn a_spike_is_an_outlier_and_what_cannot_be_is_beyond_the_limits() {
    let spiked = day().map(|v| match v.at.millis() {
        at if at == 5 * HOUR => Value { value: Some(700.0), ..v },
        at if at == 6 * HOUR => Value { value: Some(-3.0), ..v },
        _ => v,
    });
    let report = check(expectation("Ir", Some(10 * SECOND)), 24 * HOUR, spiked);
    assert_eq!((report.outliers, report.out_of_limits), (1, 1));
    assert_eq!(anomalies_of(&report), [(AnomalyKind::Outlier, 5 * HOUR, 5 * HOUR), (AnomalyKind::Limit, 6 * HOUR, 6 * HOUR)]);
    assert_eq!((&*report.stretches[0].note, &*report.stretches[1].note), ("700, usual 66", "-3 cannot be"));
    assert!((report.score.unwrap() - 100.0 * (1.0 - 20.0 / 8_640.0)).abs() < 1e-9);
    let not_a_number = check(expectation("X", Some(SECOND)), 2 * SECOND, [value(0, f64::NAN, Quality::Good, 0)]);
    assert_eq!(not_a_number.out_of_limits, 1);
}

#[test]
fn quality_that_is_told_is_counted_and_shown_up_to_the_next_good_value() {
    let values = [
        value(0, 61.0, Quality::Good, 0),
        value(10 * SECOND, 62.0, Quality::Questionable, 0),
        value(20 * SECOND, None, Quality::Invalid, 0),
        value(30 * SECOND, 60.0, Quality::Substituted, 0),
        value(40 * SECOND, None, Quality::Good, 0),
    ];
    let report = check(expectation("Ir", Some(10 * SECOND)), 50 * SECOND, values);
    assert_eq!(report.bad_quality, 3);
    assert_eq!(anomalies_of(&report), [(AnomalyKind::Quality, 10 * SECOND, 30 * SECOND), (AnomalyKind::Quality, 40 * SECOND, 50 * SECOND)]);
    assert_eq!((&*report.stretches[0].note, &*report.stretches[1].note), ("invalid", "no number"));
    assert!((report.completeness.unwrap() - 60.0).abs() < 1e-9, "what is questionable counts, what is invalid does not: {report:?}");
    let by_exception = check(expectation("Pos", None), 50 * SECOND, values);
    assert_eq!((by_exception.completeness, by_exception.score), (None, Some(40.0)));
}

#[test]
fn wrong_clocks_are_distinguished_from_delayed_values() {
    let nth = |nth: i64, delay: i64| value(nth * 10 * SECOND, 60.0 + nth as f64, Quality::Good, delay);
    let clocks = |values: Vec<Value>| {
        let report = check(expectation("Ir", Some(10 * SECOND)), HOUR, values);
        let notes = report.stretches.iter().filter(|s| s.kind == AnomalyKind::Clock).map(|s| s.note.clone()).collect::<Vec<_>>();
        (report.clock_errors.unwrap(), report.late.unwrap(), notes)
    };
    assert_eq!(clocks((0..10).map(|n| nth(n, -7_500 - n)).collect()), (10, 0, vec!["clock ahead by 7.5 s".to_owned()]));
    assert_eq!(clocks((0..10).map(|n| nth(n, 120 * SECOND)).collect()), (9, 1, vec!["clock behind by 120.0 s".to_owned()]));
    // A link that was down for a quarter of an hour: all values arrive at once.
    assert_eq!(clocks((0..90).map(|n| nth(n, 900 * SECOND - n * 10 * SECOND)).collect()), (0, 84, vec![]));
    // The clock is four seconds ahead and then corrected: two values from before and after the step are in swapped
    // order.
    let back = vec![nth(0, -4_000), value(10_000, 1.0, Quality::Good, 0), value(10_500, 2.0, Quality::Good, -4_000), nth(2, 0)];
    assert_eq!(clocks(back), (1, 0, vec!["clock set back by 3.5 s".to_owned()]));
    // A value overtook another one that was delayed for a moment: that is no clock error.
    assert_eq!(clocks(vec![nth(0, 0), nth(1, 30 * SECOND), nth(2, 100)]), (0, 0, vec![]));
}

#[test]
fn of_many_stretches_the_longest_are_told() {
    // Thirty gaps, each ten seconds longer than the one before.
    let mut at = 0;
    let values: Vec<Value> = (0..31)
        .map(|nth| {
            let value = value(at, load(nth * 10 * SECOND), Quality::Good, 0);
            at += MINUTE + nth * 10 * SECOND;
            value
        })
        .collect();
    let report = check(expectation("Ir", Some(10 * SECOND)), at, values);
    assert_eq!((report.gaps, report.stretches.len(), report.cut), (Some(31), KEPT, 11));
    assert!(report.stretches.iter().all(|gap| gap.to.millis_since(gap.from) > MINUTE + 100 * SECOND));
    assert!(report.stretches.is_sorted_by_key(|gap| gap.from));
}

#[test]
fn rollups_tell_what_they_can() {
    let bucket = |hour: i64, low: f64, high: f64, n_good: i64, worst: Quality| {
        let at = Micros::from_millis(hour * HOUR);
        let mut bucket = Bucket::of(at, Some(low), Quality::Good);
        bucket.merge(&Bucket::of(at.plus_millis(1), Some(high), Quality::Good));
        (at, Bucket { n: 360, n_good, worst, ..bucket })
    };
    let mut checker = Checker::new(expectation("Ir", Some(10 * SECOND)), Micros(0), Micros::from_millis(48 * HOUR));
    for hour in (0..48).filter(|hour| *hour != 20 && *hour != 21) {
        let (low, high, n_good, worst) = match hour {
            5..=10 => (61.0, 61.0, 360, Quality::Good),
            30 => (55.0, 65.0, 180, Quality::Invalid),
            40 => (55.0, 200_000.0, 360, Quality::Good),
            _ => (55.0, 65.0, 360, Quality::Good),
        };
        let (at, bucket) = bucket(hour, low, high, n_good, worst);
        checker.take_bucket(at, HOUR, &bucket, (hour % 24) as u8);
    }
    let report = checker.finish();
    let expected = [
        (AnomalyKind::Flat, 5 * HOUR, 11 * HOUR),
        (AnomalyKind::Gap, 20 * HOUR, 22 * HOUR),
        (AnomalyKind::Quality, 30 * HOUR, 31 * HOUR),
        (AnomalyKind::Limit, 40 * HOUR, 41 * HOUR),
    ];
    assert_eq!(anomalies_of(&report), expected);
    assert_eq!((report.clock_errors, report.late, report.bad_quality), (None, None, 180));
    assert!((report.completeness.unwrap() - 100.0 * 45.5 / 48.0).abs() < 1e-9, "{report:?}");
}

fn any_value() -> impl Strategy<Value = (i64, Option<f64>, u8, i64)> {
    let number = prop_oneof![Just(None), Just(Some(f64::NAN)), (-1e6..1e6).prop_map(Some), Just(Some(60.0)), Just(Some(0.0))];
    (1_i64..40_000, number, 0_u8..7, -10_000_i64..200_000)
}

fn series() -> impl Strategy<Value = Vec<Value>> {
    proptest::collection::vec(any_value(), 0..400).prop_map(|steps| {
        let mut at = 0;
        let step = |(after, number, quality, delay): (i64, Option<f64>, u8, i64)| {
            at += after;
            value(at, number, Quality::from_code(quality).unwrap(), delay)
        };
        steps.into_iter().map(step).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn whatever_comes_the_report_is_bounded_and_adds_up(
        values in series(), expected in prop_oneof![Just(None), (1_i64..60_000).prop_map(Some)],
        code in proptest::sample::select(vec!["Ir", "Vr", "OTI", "Hz", "Pos"]),
    ) {
        let to = HOUR;
        let within = values.iter().filter(|value| value.at.millis() < to).count() as u64;
        let report = check(expectation(code, expected), to, values);
        prop_assert_eq!(report.values, within);
        prop_assert!(report.completeness.is_none_or(|share| (0.0..=100.0).contains(&share)), "{report:?}");
        prop_assert!(report.score.is_none_or(|score| (0.0..=100.0).contains(&score)), "{report:?}");
        prop_assert_eq!(report.completeness.is_some(), expected.is_some());
        let single = report.bad_quality <= within && report.late.unwrap() + report.clock_errors.unwrap() <= within;
        prop_assert!(single && report.out_of_limits <= within && report.outliers <= within, "{report:?}");
        for kind in AnomalyKind::ALL {
            prop_assert!(report.stretches.iter().filter(|stretch| stretch.kind == kind).count() <= KEPT);
        }
        let (from, to) = (Micros(0), Micros::from_millis(to));
        prop_assert!(report.stretches.iter().all(|stretch| from <= stretch.from && stretch.from <= stretch.to && stretch.to <= to), "{report:?}");
    }

    #[test]
    fn less_is_never_more_complete(values in series(), kept in proptest::collection::vec(any::<bool>(), 400), expected in 1_i64..60_000) {
        let all = check(expectation("Ir", Some(expected)), HOUR, values.clone());
        let part = values.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(value, _)| *value);
        let fewer = check(expectation("Ir", Some(expected)), HOUR, part);
        let (all, fewer) = (all.completeness.unwrap(), fewer.completeness.unwrap());
        prop_assert!(fewer <= all + 1e-9, "{all} with all, {fewer} with some");
    }
}
