//! Tests of operating times computed by hand, and of properties of all curves.

use proptest::prelude::*;

use super::*;

fn inverse(curve: Curve, pickup_a: f64, tms: f64) -> Setting {
    Setting { element: Element::Time, pickup_a, curve, tms: Some(tms), time_s: None }
}

fn definite(element: Element, pickup_a: f64, time_s: f64) -> Setting {
    Setting { element, pickup_a, curve: Curve::DefiniteTime, tms: None, time_s: Some(time_s) }
}

#[test]
fn times_are_those_worked_out_by_hand() {
    // Curve, multiple of the pickup, multiplier, seconds. At 10 times: 10^0.02 = 1.0471285; 0.14 / 0.0471285 = 2.97060; 13.5 / 9 = 1.5; 80 / 99 = 0.80808;
    // 120 / 9 = 13.3333; 0.0515 / 0.0471285 + 0.114 = 1.20676; 19.61 / 99 + 0.491 = 0.689081; 28.2 / 99 + 0.1217 = 0.406548.
    let cases = [
        (Curve::Standard, 10.0, 1.0, 2.970_60),
        (Curve::Very, 10.0, 1.0, 1.5),
        (Curve::Extremely, 10.0, 1.0, 0.808_081),
        (Curve::Long, 10.0, 1.0, 13.333_333),
        (Curve::IeeeModerately, 10.0, 1.0, 1.206_76),
        (Curve::IeeeVery, 10.0, 1.0, 0.689_081),
        (Curve::IeeeExtremely, 10.0, 1.0, 0.406_548),
        // At 2 times: 2^0.02 = 1.0139595, 0.14 / 0.0139595 = 10.0290; 13.5 / 1; 80 / 3; 19.61 / 3 + 0.491 = 7.027667, half of it.
        (Curve::Standard, 2.0, 1.0, 10.029_0),
        (Curve::Standard, 2.0, 0.1, 1.002_90),
        (Curve::Very, 2.0, 1.0, 13.5),
        (Curve::Extremely, 2.0, 1.0, 26.666_667),
        (Curve::IeeeVery, 2.0, 0.5, 3.513_833),
        // 20 times and beyond: 13.5 / 19 = 0.710526.
        (Curve::Very, 20.0, 1.0, 0.710_526),
        (Curve::Very, 50.0, 1.0, 0.710_526),
    ];
    for (curve, multiple, tms, expected) in cases {
        let found = inverse(curve, 400.0, tms).operates_s(400.0 * multiple).expect("it operates");
        assert!((found / expected - 1.0).abs() < 2e-5, "{curve:?} at {multiple}: {found}, not {expected}");
    }
}

#[test]
fn below_the_pickup_nothing_operates_and_a_definite_time_is_one_from_there_on() {
    let instantaneous = definite(Element::Instantaneous, 2_000.0, 0.05);
    for (amps, expected) in [(1_999.9, None), (2_000.0, Some(0.05)), (90_000.0, Some(0.05)), (f64::NAN, None), (f64::INFINITY, None)] {
        assert_eq!(instantaneous.operates_s(amps), expected, "{amps}");
    }
    let very = inverse(Curve::Very, 400.0, 0.3);
    for amps in [-1.0, 0.0, 399.0, 400.0] {
        assert_eq!(very.operates_s(amps), None, "{amps}");
    }
}

#[test]
fn a_curve_is_sampled_evenly_on_a_logarithmic_axis() {
    let setting = inverse(Curve::Very, 100.0, 1.0);
    let points = setting.sampled(11_000.0, 3);
    let amps: Vec<f64> = points.iter().map(|point| point.0.round()).collect();
    assert_eq!(amps, [110.0, 1_100.0, 11_000.0], "each ten times the one before");
    assert!((points[0].1 - 135.0).abs() < 1e-9 && (points[1].1 - 1.35).abs() < 1e-9, "{points:?}");
    assert_eq!(setting.sampled(110.0, 3), []);
    assert_eq!(setting.sampled(f64::NAN, 3), []);
    let definite = definite(Element::Instantaneous, 1_000.0, 0.04).sampled(4_000.0, 2);
    assert_eq!(definite.iter().map(|point| (point.0.round(), point.1)).collect::<Vec<_>>(), [(1_000.0, 0.04), (4_000.0, 0.04)]);
}

#[test]
fn the_fastest_element_of_the_phases_is_first() {
    let settings = [
        inverse(Curve::Standard, 400.0, 0.1),
        definite(Element::Instantaneous, 2_000.0, 0.04),
        definite(Element::EarthInstantaneous, 40.0, 0.0),
    ];
    assert_eq!(first(&settings, 300.0), None, "what the residual current is nobody knows");
    assert_eq!(first(&settings, 1_000.0).map(|(element, _)| element), Some(Element::Time));
    assert_eq!(first(&settings, 2_500.0), Some((Element::Instantaneous, 0.04)));
    assert_eq!(first(&[], 2_500.0), None);
}

#[test]
fn what_cannot_be_set_is_named() {
    let good = inverse(Curve::Standard, 400.0, 0.1);
    let cases = [
        (good, None),
        (definite(Element::Instantaneous, 2_000.0, 0.0), None),
        (definite(Element::Time, 400.0, 1.0), None),
        (Setting { pickup_a: 0.5, ..good }, Some("pickupA ")),
        (Setting { pickup_a: f64::NAN, ..good }, Some("pickupA ")),
        (Setting { element: Element::EarthInstantaneous, ..good }, Some("curve of a 50N ")),
        (Setting { tms: None, ..good }, Some("tms must be given")),
        (Setting { tms: Some(0.0), ..good }, Some("tms must lie")),
        (Setting { tms: Some(f64::INFINITY), ..good }, Some("tms must lie")),
        (Setting { time_s: Some(1.0), ..good }, Some("timeS has no place")),
        (Setting { curve: Curve::DefiniteTime, ..good }, Some("tms has no place")),
        (Setting { curve: Curve::DefiniteTime, tms: None, ..good }, Some("timeS must be given")),
        (definite(Element::Time, 400.0, -1.0), Some("timeS must lie")),
    ];
    for (setting, expected) in cases {
        let found = setting.wrong();
        assert!(
            found.as_deref().zip(expected).map_or(found.is_none() && expected.is_none(), |(a, b)| a.starts_with(b)),
            "{setting:?}: {found:?}"
        );
    }
}

#[test]
fn words_are_unique_and_found() {
    for curve in Curve::ALL {
        assert_eq!(Curve::parse(curve.as_str()), Some(curve));
    }
    for element in Element::ALL {
        assert_eq!(Element::parse(element.as_str()), Some(element));
    }
    assert_eq!((Curve::parse("flat"), Element::parse("79")), (None, None));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn more_current_is_never_slower_and_the_multiplier_is_one(
        curve in proptest::sample::select(Curve::ALL.to_vec()), pickup in 1.0..5_000.0_f64, tms in 0.01..15.0_f64,
        one in 1.000_1..60.0_f64, other in 1.000_1..60.0_f64,
    ) {
        let setting = match curve {
            Curve::DefiniteTime => definite(Element::Time, pickup, tms),
            _ => inverse(curve, pickup, tms),
        };
        let (low, high) = (one.min(other), one.max(other));
        let (slow, fast) = (setting.operates_s(pickup * low).unwrap(), setting.operates_s(pickup * high).unwrap());
        prop_assert!(slow >= fast && fast >= 0.0, "{slow} s at {low}, {fast} s at {high}");
        if curve != Curve::DefiniteTime {
            let doubled = inverse(curve, pickup, tms * 2.0).operates_s(pickup * low).unwrap();
            prop_assert!((doubled / slow - 2.0).abs() < 1e-9);
            // The result depends on the multiple of the pickup only.
            let larger = inverse(curve, pickup * 3.0, tms).operates_s(pickup * 3.0 * low).unwrap();
            prop_assert!((larger / slow - 1.0).abs() < 1e-6);
        }
    }

    #[test]
    fn a_sampled_curve_rises_in_current_and_never_in_time(
        curve in proptest::sample::select(Curve::ALL[1..].to_vec()), pickup in 1.0..5_000.0_f64, to in 1.0..200_000.0_f64, count in 0_usize..200,
    ) {
        let points = inverse(curve, pickup, 0.2).sampled(to, count);
        prop_assert!(points.len() <= count);
        prop_assert!(points.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 >= pair[1].1));
        prop_assert!(points.iter().all(|point| point.0 <= to * 1.000_001 && point.1.is_finite()));
    }
}
