//! Loads of feeders over the day: a curve by class, season and weekday, plus autocorrelated noise (AR(1), φ = 0.9).

use grid::Micros;
use rand::RngExt;
use rand::rngs::StdRng;

/// Class of load.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// Peaks in the evening.
    Residential,
    /// High from 10 to 18 h.
    Commercial,
    /// Pumps, supplied for some hours per day.
    Agriculture,
    /// Nearly flat, less on Sundays.
    Industry,
}

/// Offset of Indian Standard Time from UTC, ms. All utilities of the demo are in this zone.
const UTC_OFFSET_MS: i64 = 19_800_000;
const DAY_MS: i64 = 86_400_000;

/// Returns the hour of the local day, 0 to 24.
pub fn local_hour(at: Micros) -> f64 {
    (at.millis() + UTC_OFFSET_MS).rem_euclid(DAY_MS) as f64 / 3_600_000.0
}

/// Returns the local day, counted from 1970.
pub fn day(at: Micros) -> i64 {
    (at.millis() + UTC_OFFSET_MS).div_euclid(DAY_MS)
}

/// Returns the day of the week, 0 for Sunday.
pub fn weekday(at: Micros) -> i64 {
    // 1970-01-01 was a Thursday.
    (day(at) + 4).rem_euclid(7)
}

/// Returns the share of the peak of a class at every second hour; values in between are interpolated linearly.
fn knots(class: Class) -> [f64; 12] {
    match class {
        Class::Residential => [0.42, 0.36, 0.36, 0.55, 0.62, 0.52, 0.50, 0.52, 0.60, 0.92, 1.00, 0.70],
        Class::Commercial => [0.22, 0.20, 0.20, 0.28, 0.55, 0.95, 1.00, 0.97, 0.98, 0.85, 0.55, 0.30],
        Class::Agriculture => [0.85, 0.85, 0.90, 1.00, 0.95, 0.40, 0.20, 0.20, 0.25, 0.20, 0.15, 0.60],
        Class::Industry => [0.78, 0.76, 0.76, 0.82, 0.97, 1.00, 0.94, 0.99, 0.98, 0.92, 0.88, 0.82],
    }
}

/// Returns the expected share of the peak at an instant.
pub fn shape(class: Class, at: Micros) -> f64 {
    let position = local_hour(at) / 2.0;
    let (index, part) = (position.floor() as usize % 12, position.fract());
    let knots = knots(class);
    let share = knots[index] * (1.0 - part) + knots[(index + 1) % 12] * part;
    let sunday = match class {
        Class::Industry => 0.62,
        Class::Commercial => 0.70,
        Class::Residential => 1.05,
        Class::Agriculture => 1.0,
    };
    if weekday(at) == 0 { share * sunday } else { share }
}

/// Returns the power factor of a class.
pub fn power_factor(class: Class) -> f64 {
    match class {
        Class::Residential => 0.95,
        Class::Commercial => 0.93,
        Class::Agriculture => 0.85,
        Class::Industry => 0.90,
    }
}

/// Autocorrelated noise.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Noise(f64);

impl Noise {
    /// Returns the next value, with mean 0 and standard deviation 3 percent. The correlation decreases by a tenth per
    /// minute.
    pub fn step(&mut self, rng: &mut StdRng, minutes: f64) -> f64 {
        const SIGMA: f64 = 0.03;
        let keep = 0.9_f64.powf(minutes);
        // The sum of four uniform numbers is close enough to a normal distribution for a load.
        let normal = (0..4).map(|_| rng.random_range(-1.0..1.0)).sum::<f64>() * 3f64.sqrt() / 2.0;
        self.0 = keep * self.0 + SIGMA * (1.0 - keep * keep).sqrt() * normal;
        self.0
    }

    /// Returns the present value.
    pub fn value(&self) -> f64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_their_shape() {
        let at = |hour: f64| Micros::from_millis((4.0 * 86_400_000.0 + hour * 3_600_000.0) as i64 - UTC_OFFSET_MS);
        assert_eq!(weekday(at(12.0)), 1, "1970-01-05 was a Monday");
        assert!((local_hour(at(20.0)) - 20.0).abs() < 1e-9);
        assert!(shape(Class::Residential, at(20.0)) > shape(Class::Residential, at(3.0)) * 2.0);
        assert!(shape(Class::Commercial, at(12.0)) > shape(Class::Commercial, at(2.0)) * 4.0);
        for class in [Class::Residential, Class::Commercial, Class::Agriculture, Class::Industry] {
            assert!((0..96).all(|quarter| (0.1..=1.05).contains(&shape(class, at(f64::from(quarter) / 4.0)))));
        }
    }
}
