//! What the sun gives to solar panels under a clear sky: the sun's place, irradiance, and power for each half hour of a day (domain.md
//! section 4).
//!
//! Angles are degrees, irradiance W/m² on a level surface, power kW. A clear sky is the most that can come: whoever shows these figures
//! says "clear sky".

mod sun;

use std::fmt;

use crate::Micros;

pub use sun::Sun;

/// Slots of a day.
pub const SLOTS: usize = 48;
/// Length of a slot, h.
pub const SLOT_HOURS: f64 = 0.5;
/// What comes out at the meter of what the panels could give, where nobody says better: heat, dirt, inverter (domain.md section 4).
pub const PERFORMANCE: f64 = 0.80;
/// More solar panels than any site has, kWp.
pub const KWP_MAX: f64 = 10_000_000.0;

const SLOT_MS: i64 = 1_800_000;
const DAY_MS: i64 = 86_400_000;
/// Zones lie no further from UTC than this, min.
const OFFSET_MAX_MINUTES: i32 = 18 * 60;

/// A place on the ground.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Place {
    lat: f64,
    lon: f64,
}

/// Why there is no power of a place and day.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fault {
    /// 0, 0, which the specification has as the default: nobody has said where the site is.
    PlaceNotSet,
    /// Degrees north.
    Lat(f64),
    /// Degrees east.
    Lon(f64),
    /// Peak power, kWp.
    Kwp(f64),
    /// Performance factor, per unit.
    Performance(f64),
    /// Year, month and day that no calendar has, or a year that is out of reach.
    Day(i32, u8, u8),
    /// Minutes by which the zone is ahead of UTC.
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

impl Place {
    /// A place by degrees north and east; 0, 0 is none.
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

    /// Where the sun stands at an instant.
    pub fn sun(self, at: Micros) -> Sun {
        sun::seen_from(self.lat, self.lon, at)
    }
}

/// The instant at which a day begins in a zone so many minutes ahead of UTC (330 in India). A zone with summer time has another number in
/// summer: the caller, who knows the zone, brings it.
pub fn midnight(year: i32, month: u8, day: u8, offset_minutes: i32) -> Result<Micros, Fault> {
    if !(-OFFSET_MAX_MINUTES..=OFFSET_MAX_MINUTES).contains(&offset_minutes) {
        return Err(Fault::Offset(offset_minutes));
    }
    // Within 1901 to 2099 each fourth year is a leap year, and the sun's formulas hold.
    let leap = year % 4 == 0;
    let months: [u8; 12] = [31, if leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let length = usize::from(month).checked_sub(1).and_then(|index| months.get(index)).copied().unwrap_or(0);
    if !(1901..=2099).contains(&year) || day == 0 || day > length {
        return Err(Fault::Day(year, month, day));
    }
    let years = i64::from(year - 1901);
    // 1901-01-01 lies 25,202 days before the epoch.
    let before = years * 365 + years / 4 - 25_202;
    let in_year: i64 = months.iter().take(usize::from(month) - 1).map(|length| i64::from(*length)).sum();
    let days = before + in_year + i64::from(day) - 1;
    Ok(Micros::from_millis(days * DAY_MS - i64::from(offset_minutes) * 60_000))
}

/// Haurwitz: irradiance on a level surface under a clear sky, by the apparent zenith angle of the sun. The exponent's 0.059 is
/// that of pvlib, whose figures are our vectors; with the 0.057 that domain.md section 4 names, the energy of a day is 0.3 % too high.
pub fn clear_sky(zenith_deg: f64) -> f64 {
    let cos = zenith_deg.to_radians().cos();
    if cos > 0.0 { 1_098.0 * cos * (-0.059 / cos).exp() } else { 0.0 }
}

/// Solar panels, lying level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Panels {
    kwp: f64,
    performance: f64,
}

impl Panels {
    /// Panels of so many kWp; of what they could give, `performance` (per unit) comes out. [`PERFORMANCE`] where nobody knows better.
    pub fn new(kwp: f64, performance: f64) -> Result<Self, Fault> {
        if !(0.0..=KWP_MAX).contains(&kwp) {
            return Err(Fault::Kwp(kwp));
        }
        if !(0.0..=1.0).contains(&performance) {
            return Err(Fault::Performance(performance));
        }
        Ok(Self { kwp, performance })
    }

    /// Power at an irradiance, kW.
    pub fn kw(self, irradiance: f64) -> f64 {
        self.kwp * irradiance / 1_000.0 * self.performance
    }

    /// Mean power of each half hour of a day that begins at `midnight`, kW, taken at the middle of the half hour.
    pub fn day(self, place: Place, midnight: Micros) -> [f64; SLOTS] {
        std::array::from_fn(|slot| self.kw(clear_sky(place.sun(middle(midnight, slot)).zenith_deg)))
    }
}

/// The middle of a half hour of a day.
pub fn middle(midnight: Micros, slot: usize) -> Micros {
    midnight.plus_millis(slot as i64 * SLOT_MS + SLOT_MS / 2)
}

/// Energy of a day of half hours, kWh.
pub fn energy_kwh(slots_kw: &[f64; SLOTS]) -> f64 {
    slots_kw.iter().sum::<f64>() * SLOT_HOURS
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
        assert_eq!(Place::new(0.0, 0.0), Err(Fault::PlaceNotSet));
        assert!(Place::new(0.0, 83.2).is_ok() && Place::new(51.5, 0.0).is_ok(), "one of them may well be 0");
        assert!(matches!(Place::new(90.1, 0.0), Err(Fault::Lat(_))) && matches!(Place::new(f64::NAN, 0.0), Err(Fault::Lat(_))));
        assert_eq!(Place::new(0.0, 181.0).unwrap_err().to_string(), "lon is 181; degrees east, from -180 to 180");
        assert!(matches!(Panels::new(-1.0, 0.8), Err(Fault::Kwp(_))) && matches!(Panels::new(f64::NAN, 0.8), Err(Fault::Kwp(_))));
        assert!(matches!(Panels::new(1.0, 1.1), Err(Fault::Performance(_))));
    }
}
