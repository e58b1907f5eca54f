//! The position of the sun, to 0.01° (Meeus, Astronomical Algorithms, chapters 12, 13, 16, 22 and 25).

use crate::Micros;

/// 2000-01-01 12:00 UTC, s after the epoch.
const J2000_SECONDS: f64 = 946_728_000.0;
const DAY_SECONDS: f64 = 86_400.0;
const CENTURY_DAYS: f64 = 36_525.0;
/// Terrestrial time minus UTC, s. It changes by a second in some years, in which the sun moves by 0.00001°.
const AHEAD_SECONDS: f64 = 69.2;
/// Altitude below which the sun is not visible: half of its disc plus the refraction at the horizon. Below it, refraction is not
/// applied.
const SEEN_FROM_DEG: f64 = -0.833_37;
/// Seen from the ground, the sun appears lower by this angle than from the centre of the earth.
const PARALLAX_DEG: f64 = 0.002_44;

/// The position of the sun.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sun {
    /// Apparent zenith angle, including refraction (1,013 hPa, 12 °C), 0 to 180.
    pub zenith_deg: f64,
    /// Azimuth from north towards east, 0 to 360.
    pub azimuth_deg: f64,
}

/// Returns the position of the sun as seen from a latitude and longitude in degrees.
pub(super) fn seen_from(lat: f64, lon: f64, at: Micros) -> Sun {
    let days = (at.0 as f64 / 1e6 - J2000_SECONDS) / DAY_SECONDS;
    let centuries = (days + AHEAD_SECONDS / DAY_SECONDS) / CENTURY_DAYS;
    let Sky { ascension, declination, nutation } = sky(centuries);
    let sidereal = 280.460_618_37 + 360.985_647_366_29 * days + 0.000_387_933 * centuries * centuries + nutation;
    let hour_angle = (sidereal + lon - ascension).rem_euclid(360.0).to_radians();
    let lat = lat.to_radians();
    let sine = lat.sin() * declination.sin() + lat.cos() * declination.cos() * hour_angle.cos();
    let height = sine.clamp(-1.0, 1.0).asin();
    let south = hour_angle.sin().atan2(hour_angle.cos() * lat.sin() - declination.tan() * lat.cos());
    let height_deg = height.to_degrees() - PARALLAX_DEG * height.cos();
    Sun { zenith_deg: 90.0 - height_deg - refraction(height_deg), azimuth_deg: (south.to_degrees() + 180.0).rem_euclid(360.0) }
}

/// Equatorial coordinates of the sun.
struct Sky {
    /// Right ascension, degrees.
    ascension: f64,
    /// Declination, radians.
    declination: f64,
    /// Correction of sidereal time by nutation, degrees.
    nutation: f64,
}

fn sky(centuries: f64) -> Sky {
    let t = centuries;
    let mean_longitude = 280.466_46 + 36_000.769_83 * t + 0.000_303_2 * t * t;
    let anomaly = (357.529_11 + 35_999.050_29 * t - 0.000_153_7 * t * t).to_radians();
    let centre = (1.914_602 - 0.004_817 * t - 0.000_014 * t * t) * anomaly.sin()
        + (0.019_993 - 0.000_101 * t) * (2.0 * anomaly).sin()
        + 0.000_289 * (3.0 * anomaly).sin();
    let node = (125.04 - 1_934.136 * t).to_radians();
    // Aberration, and the largest term of nutation.
    let longitude = (mean_longitude + centre - 0.005_69 - 0.004_78 * node.sin()).to_radians();
    let tilt = (23.439_291 - 0.013_004_2 * t + 0.002_56 * node.cos()).to_radians();
    Sky {
        ascension: (tilt.cos() * longitude.sin()).atan2(longitude.cos()).to_degrees(),
        declination: (tilt.sin() * longitude.sin()).asin(),
        nutation: -0.004_78 * node.sin() * tilt.cos(),
    }
}

/// Returns the refraction at an altitude, degrees.
fn refraction(height_deg: f64) -> f64 {
    if height_deg < SEEN_FROM_DEG {
        return 0.0;
    }
    let of_this_air = 1_013.25 / 1_010.0 * 283.0 / 285.0;
    of_this_air * 1.02 / 60.0 / (height_deg + 10.3 / (height_deg + 5.11)).to_radians().tan()
}
