//! Compares sun, clear sky and solar power with figures of pvlib (method: vectors/pv_clearsky.json), and checks properties of every
//! location and day.

use grid::solar::{Coordinates, Fault, PERFORMANCE, Panels, SLOT_HOURS, clear_sky, middle, midnight};
use proptest::prelude::*;
use serde_json::Value;

/// Offset of India from UTC, min.
const INDIA: i32 = 330;
const ANGLE_DEG: f64 = 0.05;
const RELATIVE: f64 = 0.005;

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

fn within(what: &str, ours: f64, theirs: f64, tolerance: f64) {
    assert!((ours - theirs).abs() <= tolerance, "{what}: {ours}, expected {theirs}");
}

#[test]
fn three_days_of_two_places_in_india() {
    let vectors: Value = serde_json::from_str(include_str!("../vectors/pv_clearsky.json")).unwrap();
    let cases = vectors["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 3);
    for case in cases {
        assert_eq!(case["tz"], "Asia/Kolkata");
        let place = Coordinates::new(number(&case["lat"]), number(&case["lon"])).unwrap();
        let date: Vec<i32> = case["date"].as_str().unwrap().split('-').map(|part| part.parse().unwrap()).collect();
        let begin = midnight(date[0], date[1] as u8, date[2] as u8, INDIA).unwrap();
        let powers = Panels::new(100.0, PERFORMANCE).unwrap().day(place, begin);
        let mut lit = 0;
        for (slot, power) in powers.into_iter().enumerate() {
            let what = format!("{} {} slot {slot}", case["site"], case["date"]);
            let sun = place.sun(middle(begin, slot));
            within(&format!("{what}, zenith"), sun.zenith_deg, number(&case["apparent_zenith_deg"][slot]), ANGLE_DEG);
            let turned = (sun.azimuth_deg - number(&case["azimuth_deg"][slot]) + 180.0).rem_euclid(360.0) - 180.0;
            within(&format!("{what}, azimuth"), turned, 0.0, ANGLE_DEG);
            let irradiance = number(&case["ghi_haurwitz"][slot]);
            within(&format!("{what}, irradiance"), clear_sky(sun.zenith_deg), irradiance, RELATIVE * irradiance);
            let expected = number(&case["p_simple_kw"][slot]);
            // The published powers have four decimals.
            within(&format!("{what}, power"), power, expected, RELATIVE * expected + 1e-4);
            lit += usize::from(power > 0.0);
        }
        assert!((20..=28).contains(&lit), "{lit} half hours of day");
        let expected = number(&case["energy_simple_kwh"]);
        within("energy of the day", powers.iter().sum::<f64>() * SLOT_HOURS, expected, RELATIVE * expected);
    }
}

fn place() -> impl Strategy<Value = Coordinates> {
    (-90.0..=90.0_f64, -180.0..=180.0_f64).prop_filter_map("0, 0 is none", |(lat, lon)| Coordinates::new(lat, lon).ok())
}

proptest! {
    #[test]
    fn the_sun_stands_somewhere_and_shines_only_above_the_horizon(
        place in place(), year in 1901..=2099, month in 1..=12_u8, day in 1..=28_u8, offset in -1_080..=1_080, kwp in 0.0..1e6_f64,
    ) {
        let begin = midnight(year, month, day, offset).unwrap();
        let powers = Panels::new(kwp, PERFORMANCE).unwrap().day(place, begin);
        for (slot, power) in powers.into_iter().enumerate() {
            let sun = place.sun(middle(begin, slot));
            prop_assert!((0.0..=180.0).contains(&sun.zenith_deg) && (0.0..=360.0).contains(&sun.azimuth_deg), "{sun:?}");
            prop_assert!((0.0..=kwp).contains(&power) && (power == 0.0 || sun.zenith_deg < 90.0), "{power} kW at {sun:?}");
        }
    }

    #[test]
    fn a_higher_sun_gives_more(zenith in 0.0..89.0_f64, lower in 0.01..1.0_f64) {
        prop_assert!(clear_sky(zenith) > clear_sky(zenith + lower));
    }

    #[test]
    fn no_number_makes_a_place_of_nowhere(lat in any::<f64>(), lon in any::<f64>()) {
        match Coordinates::new(lat, lon) {
            Ok(place) => prop_assert!(place.lat().abs() <= 90.0 && place.lon().abs() <= 180.0),
            Err(Fault::PlaceNotSet) => prop_assert!(lat == 0.0 && lon == 0.0),
            Err(fault) => prop_assert!(matches!(fault, Fault::Lat(_) | Fault::Lon(_))),
        }
    }
}
