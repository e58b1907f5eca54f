//! Solar power under a clear sky: position of the sun, irradiance, and power for each half hour of a day (docs/reference/low-carbon.md,
//! Sources of the plan).
//!
//! Angles are in degrees, irradiance in W/m² on a horizontal surface, power in kW. A clear sky gives the maximum, so each display of
//! these figures must say "clear sky".

mod sun;

use std::fmt;

use crate::Micros;

pub use sun::Sun;

/// Number of half-hour slots in a day.
pub const SLOTS: usize = 48;
/// Length of a slot, h.
pub const SLOT_HOURS: f64 = 0.5;
/// Default ratio of the energy at the meter to the energy of the panels. The difference is lost by heat, dirt and the inverter. This is our definition.
pub const PERFORMANCE: f64 = 0.80;
/// Largest accepted peak power of a site, kWp.
pub const KWP_MAX: f64 = 10_000_000.0;

const SLOT_MS: i64 = 1_800_000;
const DAY_MS: i64 = 86_400_000;
/// Largest offset of a time zone from UTC, min.
const OFFSET_MAX_MINUTES: i32 = 18 * 60;

/// A location on the ground.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coordinates {
    lat: f64,
    lon: f64,
}

/// The reason why power cannot be computed for a location and day.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fault {
    /// The location is 0, 0. This is the default of the specification and means that the location is not set.
    PlaceNotSet,
    /// Degrees north.
    Lat(f64),
    /// Degrees east.
    Lon(f64),
    /// Peak power, kWp.
    Kwp(f64),
    /// Performance factor, per unit.
    Performance(f64),
    /// Year, month and day that are no date, or a year outside of 1901 to 2099.
    Day(i32, u8, u8),
    /// Offset of the time zone from UTC, minutes.
    Offset(i32),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PlaceNotSet => f.write_str("lat and lon are 0, which means that they are not set: give the place of the site"),
            Self::Lat(lat) => write!(f, "lat is {lat}; degrees north, from -90 to 90"),
            Self::Lon(lon) => write!(f, "lon is {lon}; degrees east, from -180 to 180"),
            Self::Kwp(kwp) => write!(f, "SolarCapacityKwp is {kwp}; from 0 to {KWP_MAX}"),
            Self::Performance(factor) => write!(f, "the performance factor is {factor}; from 0 to 1"),
            Self::Day(year, month, day) => write!(f, "{year}-{month}-{day} is no day from 1901 to 2099"),
            Self::Offset(minutes) => {
                write!(f, "the zone is {minutes} min ahead of UTC; from -{OFFSET_MAX_MINUTES} to {OFFSET_MAX_MINUTES}")
            }
        }
    }
}

impl std::error::Error for Fault {}

impl Coordinates {
    /// Creates a location from degrees north and east; 0, 0 is refused.
    pub fn new(lat: f64, lon: f64) -> Result<Self, Fault> {
        if !(-90.0..=90.0).contains(&lat) {
            return Err(Fault::Lat(lat));
        }
        if !(-180.0..=180.0).contains(&lon) {
            return Err(Fault::Lon(lon));
        }
        if lat == 0.0 && lon == 0.0 {
            return Err(Fault::PlaceNotSet);
        }
        Ok(Self { lat, lon })
    }

    /// Degrees north.
    pub fn lat(self) -> f64 {
        self.lat
    }

    /// Degrees east.
    pub fn lon(self) -> f64 {
        self.lon
    }

    /// Returns the position of the sun at an instant.
    pub fn sun(self, at: Micros) -> Sun {
        sun::seen_from(self.lat, self.lon, at)
    }
}

/// Returns the instant of local midnight in a zone that is `offset_minutes` ahead of UTC (330 in India). In a zone with summer time the
/// caller passes the offset of that day.
pub fn midnight(year: i32, month: u8, day: u8, offset_minutes: i32) -> Result<Micros, Fault> {
    if !(-OFFSET_MAX_MINUTES..=OFFSET_MAX_MINUTES).contains(&offset_minutes) {
        return Err(Fault::Offset(offset_minutes));
    }
    // From 1901 to 2099 every fourth year is a leap year, and the formulas for the sun are valid.
    let leap = year % 4 == 0;
    let months: [u8; 12] = [31, if leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let length = usize::from(month).checked_sub(1).and_then(|index| months.get(index)).copied().unwrap_or(0);
    if !(1901..=2099).contains(&year) || day == 0 || day > length {
        return Err(Fault::Day(year, month, day));
    }
    let years = i64::from(year - 1901);
    // 1901-01-01 is 25,202 days before the epoch.
    let before = years * 365 + years / 4 - 25_202;
    let in_year: i64 = months.iter().take(usize::from(month) - 1).map(|length| i64::from(*length)).sum();
    let days = before + in_year + i64::from(day) - 1;
    Ok(Micros::from_millis(days * DAY_MS - i64::from(offset_minutes) * 60_000))
}

/// Returns the clear-sky irradiance on a horizontal surface (Haurwitz), from the apparent zenith angle of the sun. The 0.059 in the exponent is the value of
/// pvlib, from which our test vectors come. With 0.057, as in other publications, the energy of a day is 0.3 % higher.
pub fn clear_sky(zenith_deg: f64) -> f64 {
    let cos = zenith_deg.to_radians().cos();
    if cos > 0.0 { 1_098.0 * cos * (-0.059 / cos).exp() } else { 0.0 }
}

/// Horizontal solar panels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Panels {
    kwp: f64,
    performance: f64,
}

impl Panels {
    /// Creates panels with a peak power in kWp and a performance ratio, per unit. Use [`PERFORMANCE`] if it is not known.
    pub fn new(kwp: f64, performance: f64) -> Result<Self, Fault> {
        if !(0.0..=KWP_MAX).contains(&kwp) {
            return Err(Fault::Kwp(kwp));
        }
        if !(0.0..=1.0).contains(&performance) {
            return Err(Fault::Performance(performance));
        }
        Ok(Self { kwp, performance })
    }

    /// Returns the power at an irradiance, kW.
    pub fn kw(self, irradiance: f64) -> f64 {
        self.kwp * irradiance / 1_000.0 * self.performance
    }

    /// Returns the mean power of each half hour of the day that begins at `midnight`, kW, computed for the middle of the half hour.
    pub fn day(self, place: Coordinates, midnight: Micros) -> [f64; SLOTS] {
        std::array::from_fn(|slot| self.kw(clear_sky(place.sun(middle(midnight, slot)).zenith_deg)))
    }
}

/// Returns the middle of a half hour of a day.
pub fn middle(midnight: Micros, slot: usize) -> Micros {
    midnight.plus_millis(slot as i64 * SLOT_MS + SLOT_MS / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_begins_where_its_zone_has_it() {
        assert_eq!(midnight(1970, 1, 1, 0), Ok(Micros(0)));
        assert_eq!(midnight(2026, 6, 21, 330), Ok(Micros::from_millis(1_781_980_200_000)));
        assert_eq!(midnight(2000, 3, 1, 0), Ok(Micros::from_millis(951_868_800_000)));
        assert_eq!(midnight(1901, 1, 1, 0), Ok(Micros::from_millis(-2_177_452_800_000)));
        for (year, month, day) in [(2026, 2, 29), (2026, 0, 1), (2026, 13, 1), (2026, 4, 31), (2026, 4, 0), (1900, 1, 1), (2100, 1, 1)] {
            assert_eq!(midnight(year, month, day, 0), Err(Fault::Day(year, month, day)));
        }
        assert!(midnight(2024, 2, 29, 0).is_ok());
        assert_eq!(midnight(2026, 1, 1, 1_081), Err(Fault::Offset(1_081)));
    }

    #[test]
    fn what_makes_no_sense_is_told() {
        assert_eq!(Coordinates::new(0.0, 0.0), Err(Fault::PlaceNotSet));
        assert!(Coordinates::new(0.0, 83.2).is_ok() && Coordinates::new(51.5, 0.0).is_ok(), "one of them may well be 0");
        assert!(matches!(Coordinates::new(90.1, 0.0), Err(Fault::Lat(_))) && matches!(Coordinates::new(f64::NAN, 0.0), Err(Fault::Lat(_))));
        assert_eq!(Coordinates::new(0.0, 181.0).unwrap_err().to_string(), "lon is 181; degrees east, from -180 to 180");
        assert!(matches!(Panels::new(-1.0, 0.8), Err(Fault::Kwp(_))) && matches!(Panels::new(f64::NAN, 0.8), Err(Fault::Kwp(_))));
        assert!(matches!(Panels::new(1.0, 1.1), Err(Fault::Performance(_))));
    }
}
