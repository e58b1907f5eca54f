//! Phasors of three phases, their symmetrical components, and the three definitions of unbalance in use.
//!
//! For the same voltages, the results of the definitions can differ by a factor of two and more. So each display must name the definition that it uses.

use std::ops::{Add, Sub};

/// A voltage or current with its angle, as a complex number.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Phasor {
    re: f64,
    im: f64,
}

/// Half of the square root of three: the imaginary part of the operator a, a rotation by 120°.
const SIN_120: f64 = 0.866_025_403_784_438_6;

impl Phasor {
    /// Creates a phasor from magnitude and angle, in degrees counter-clockwise.
    pub fn polar(magnitude: f64, degrees: f64) -> Self {
        let angle = degrees.to_radians();
        Self { re: magnitude * angle.cos(), im: magnitude * angle.sin() }
    }

    /// Returns its magnitude, in the unit of its creation.
    pub fn magnitude(self) -> f64 {
        self.re.hypot(self.im)
    }

    /// Returns its angle in degrees counter-clockwise, -180 to 180; 0 for a magnitude of 0.
    pub fn degrees(self) -> f64 {
        self.im.atan2(self.re).to_degrees()
    }

    /// Returns the phasor rotated by 120° counter-clockwise (operator a).
    fn ahead(self) -> Self {
        Self { re: -0.5 * self.re - SIN_120 * self.im, im: SIN_120 * self.re - 0.5 * self.im }
    }

    /// Returns the phasor rotated by 120° clockwise (a²).
    fn behind(self) -> Self {
        Self { re: -0.5 * self.re + SIN_120 * self.im, im: -SIN_120 * self.re - 0.5 * self.im }
    }

    fn third(self) -> Self {
        Self { re: self.re / 3.0, im: self.im / 3.0 }
    }
}

impl Add for Phasor {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { re: self.re + other.re, im: self.im + other.im }
    }
}

impl Sub for Phasor {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self { re: self.re - other.re, im: self.im - other.im }
    }
}

/// Normalises an angle to -180 (excluded) to 180 degrees.
pub fn wrapped(degrees: f64) -> f64 {
    let turned = degrees.rem_euclid(360.0);
    if turned > 180.0 { turned - 360.0 } else { turned }
}

/// Returns active and reactive power of one phase: kV and A give kW and kVAr. The reactive power of an inductive load is positive.
pub fn power(voltage: Phasor, current: Phasor) -> (f64, f64) {
    (voltage.re * current.re + voltage.im * current.im, voltage.im * current.re - voltage.re * current.im)
}

/// Returns the voltages between lines: R to Y, Y to B and B to R.
pub fn between_lines(phases: [Phasor; 3]) -> [Phasor; 3] {
    let [r, y, b] = phases;
    [r - y, y - b, b - r]
}

/// The symmetrical components of three phases, referred to phase R.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sequence {
    /// Zero sequence V0, the same in all phases.
    pub zero: Phasor,
    /// Positive sequence V1, which rotates with the network.
    pub positive: Phasor,
    /// Negative sequence V2, which rotates against it.
    pub negative: Phasor,
}

impl Sequence {
    /// Computes the components of three phases in the order R, Y, B.
    pub fn of(phases: [Phasor; 3]) -> Self {
        let [r, y, b] = phases;
        Self { zero: (r + y + b).third(), positive: (r + y.ahead() + b.behind()).third(), negative: (r + y.behind() + b.ahead()).third() }
    }

    /// Returns V2/V1, percent (EN 50160, IEC 61000-4-30); `None` if V1 is 0.
    pub fn vuf_percent(&self) -> Option<f64> {
        percent(self.negative.magnitude(), self.positive.magnitude())
    }

    /// Returns the phase rotation; `None` if V1 and V2 are equal.
    pub fn rotation(&self) -> Option<Rotation> {
        let (forward, backward) = (self.positive.magnitude(), self.negative.magnitude());
        if forward > backward {
            Some(Rotation::Ryb)
        } else if backward > forward {
            Some(Rotation::Rby)
        } else {
            None
        }
    }
}

/// The order of the phases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rotation {
    /// R, Y, B: correct.
    Ryb,
    /// R, B, Y: two phases are swapped.
    Rby,
}

impl Rotation {
    /// Returns the text for users.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ryb => "R-Y-B",
            Self::Rby => "R-B-Y",
        }
    }
}

fn percent(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| 100.0 * part / whole)
}

/// Returns V2/V1 in percent from the magnitudes of the three voltages between lines only (CIGRE). The result equals that from phasors, because these
/// three voltages form a triangle. `None` if they cannot form one.
///
/// With the squared voltages x, y and z, d = ((x-y)² + (y-z)² + (z-x)²)/(x+y+z)² equals 3β - 1 of the published formula. This form avoids cancellation near
/// balance.
pub fn vuf_of_lines_percent(lines: [f64; 3]) -> Option<f64> {
    let [x, y, z] = lines.map(|line| line * line);
    let sum = x + y + z;
    if sum <= 0.0 {
        return None;
    }
    let d = ((x - y).powi(2) + (y - z).powi(2) + (z - x).powi(2)) / (sum * sum);
    let rest = 1.0 - 2.0 * d;
    // Rounding can bring three voltages in line slightly below zero.
    (rest > -1e-12).then(|| 100.0 * (2.0 * d).sqrt() / (1.0 + rest.max(0.0).sqrt()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lost_phase_is_half_unbalanced_and_exchanged_phases_turn_back() {
        let lost = Sequence::of([Phasor::default(), Phasor::polar(1.0, -120.0), Phasor::polar(1.0, 120.0)]);
        assert!((lost.vuf_percent().unwrap() - 50.0).abs() < 1e-9);
        let exchanged = Sequence::of([Phasor::polar(1.0, 0.0), Phasor::polar(1.0, 120.0), Phasor::polar(1.0, -120.0)]);
        assert_eq!(exchanged.rotation().map(Rotation::as_str), Some("R-B-Y"));
        let dead = Sequence::of([Phasor::default(); 3]);
        assert_eq!((dead.vuf_percent(), dead.rotation()), (None, None));
    }

    #[test]
    fn lines_that_close_no_triangle_have_no_unbalance() {
        assert_eq!(vuf_of_lines_percent([1.0, 1.0, 3.0]), None);
        assert_eq!(vuf_of_lines_percent([0.0; 3]), None);
        assert!((vuf_of_lines_percent([1.0, 1.0, 2.0]).unwrap() - 100.0).abs() < 1e-3, "all in one direction");
    }

    #[test]
    fn angles_are_wrapped_into_one_turn() {
        for (angle, expected) in [(0.0, 0.0), (190.0, -170.0), (-190.0, 170.0), (180.0, 180.0), (-180.0, 180.0), (725.0, 5.0)] {
            assert!((wrapped(angle) - expected).abs() < 1e-9, "{angle}");
        }
    }
}
