//! The phasors of an asset: magnitudes and angles of voltages and currents, phase rotation and unbalance.
//!
//! Phase a is R, b is Y, c is B. Angles are degrees from the voltage of phase R, counter-clockwise, -180 to 180, as received.

use super::shortest;
use crate::point::{Point, PointKind};
use crate::power_quality::{Phasor, Rotation, Sequence};
use crate::{Micros, PointId, Quality, Reading};

/// Codes of R, Y and B: voltages, their angles, currents, their angles.
const CODES: [[&str; 3]; 4] = [["Vr", "Vy", "Vb"], ["AVr", "AVy", "AVb"], ["Ir", "Iy", "Ib"], ["AIr", "AIy", "AIb"]];
/// The points of an asset's phasors.
#[derive(Debug, Clone, PartialEq)]
pub struct Layout {
    /// In the order of [`CODES`].
    points: [[Option<PointId>; 3]; 4],
    /// Shortest age limit of the points, ms; `None` if all report by exception.
    pub age_limit_ms: Option<i64>,
}

/// The present phasors.
#[derive(Debug, Clone, PartialEq)]
pub struct Phasors {
    /// Voltages to earth, kV.
    pub volts: [Option<f64>; 3],
    /// Angles of the voltages, degrees.
    pub volt_angles: [Option<f64>; 3],
    /// Currents, A.
    pub amps: [Option<f64>; 3],
    /// Angles of the currents, degrees.
    pub amp_angles: [Option<f64>; 3],
    /// Phase rotation; `None` if the voltages do not determine it.
    pub sequence: Option<Rotation>,
    /// Negative sequence voltage in percent of the positive sequence voltage (EN 50160; IEC 61000-4-30); `None` without a rotation.
    pub vuf_percent: Option<f64>,
    /// Worst quality of the asset's points, including those without a value.
    pub quality: Quality,
    /// Source time of the newest value.
    pub reported: Option<Micros>,
}

/// Returns the points of an asset's phasors.
pub fn layout<'a>(points: impl Iterator<Item = &'a Point>) -> Layout {
    let mut layout = Layout { points: [[None; 3]; 4], age_limit_ms: None };
    for point in points.filter(|point| point.kind == PointKind::Measurand) {
        for (codes, places) in CODES.iter().zip(&mut layout.points) {
            if let Some(phase) = codes.iter().position(|code| *code == point.code) {
                places[phase].get_or_insert(point.id);
                layout.age_limit_ms = shortest(layout.age_limit_ms, point.age_limit_ms());
            }
        }
    }
    layout
}

/// Returns the present phasors, reading each point with `latest`. The qualities that `latest` returns must be those to display.
pub fn row(layout: &Layout, latest: impl Fn(PointId) -> Option<Reading>) -> Phasors {
    let readings = layout.points.map(|places| places.map(|point| point.map(&latest)));
    let all = || readings.iter().flatten().flatten();
    let values = |of: usize| readings[of].map(|reading| reading.flatten().and_then(|reading| reading.value));
    let (volts, volt_angles) = (values(0), values(1));
    let turning = turning(volts, volt_angles);
    Phasors {
        volts,
        volt_angles,
        amps: values(2),
        amp_angles: values(3),
        sequence: turning.map(|(sequence, _)| sequence),
        vuf_percent: turning.map(|(_, vuf)| vuf),
        quality: all().map(|reading| reading.map_or(Quality::Never, |reading| reading.quality)).max().unwrap_or(Quality::Never),
        reported: all().flatten().map(|reading| reading.source).max(),
    }
}

/// Returns the rotation of the voltages, and their unbalance in percent.
fn turning(volts: [Option<f64>; 3], angles: [Option<f64>; 3]) -> Option<(Rotation, f64)> {
    let phasor = |phase: usize| Some(Phasor::polar(volts[phase]?, angles[phase]?));
    let sequence = Sequence::of([phasor(0)?, phasor(1)?, phasor(2)?]);
    let rotation = sequence.rotation()?;
    // If two phases are swapped, the component called negative is the one that rotates with the network.
    let turned = match rotation {
        Rotation::Ryb => sequence,
        Rotation::Rby => Sequence { positive: sequence.negative, negative: sequence.positive, ..sequence },
    };
    Some((rotation, turned.vuf_percent()?))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{point, reading};
    use super::*;

    fn now(values: &[(&str, f64)]) -> Phasors {
        let points: Vec<Point> = values.iter().enumerate().map(|(id, (code, _))| point(id as i64, 10, 1, code)).collect();
        row(&layout(points.iter()), |id| values.get(id.0 as usize).map(|(_, value)| reading(*value, id.0)))
    }

    #[test]
    fn the_direction_and_the_unbalance_follow_from_the_voltages() {
        let of = |volts: [f64; 3], angles: [f64; 3]| {
            let [r, y, b] = volts;
            now(&[("Vr", r), ("Vy", y), ("Vb", b), ("AVr", angles[0]), ("AVy", angles[1]), ("AVb", angles[2])])
        };
        let right = of([6.35; 3], [0.0, -120.0, 120.0]);
        assert_eq!(right.sequence, Some(Rotation::Ryb));
        assert!(right.vuf_percent.expect("a figure") < 1e-9);
        assert_eq!(of([6.35; 3], [0.0, 120.0, -120.0]).sequence.map(Rotation::as_str), Some("R-B-Y"));
        // 230, 225 and 235 V at 0°, -120° and 120°: V1 = 230 V, and V2 = |230 + 225∠120° + 235∠240°|/3 = 2.886751 V.
        let tilted = of([230.0, 225.0, 235.0], [0.0, -120.0, 120.0]);
        assert!((tilted.vuf_percent.expect("a figure") - 1.255_109_3).abs() < 1e-6, "{tilted:?}");
        let exchanged = of([230.0, 235.0, 225.0], [0.0, 120.0, -120.0]);
        assert!((exchanged.vuf_percent.expect("a figure") - 1.255_109_3).abs() < 1e-6, "the same with two phases exchanged: {exchanged:?}");
        let lost = of([6.35, 6.35, 0.0], [0.0, -120.0, 120.0]);
        assert!((lost.vuf_percent.expect("a figure") - 50.0).abs() < 1e-9, "one phase lost");
        assert_eq!(of([0.0; 3], [0.0; 3]).sequence, None, "a dead bay turns in no direction");
    }

    #[test]
    fn what_is_not_measured_is_not_there() {
        let phasors = now(&[("Ir", 61.0), ("AIr", -12.0), ("Vr", 6.3), ("P", 1.0)]);
        assert_eq!((phasors.amps, phasors.amp_angles[0], phasors.volts[0]), ([Some(61.0), None, None], Some(-12.0), Some(6.3)));
        assert_eq!((phasors.sequence, phasors.quality, phasors.reported), (None, Quality::Good, Some(Micros::from_millis(2_000))));
        let never = row(&layout([point(1, 10, 1, "Ir")].iter()), |_| None);
        assert_eq!((never.quality, never.reported), (Quality::Never, None));
        assert_eq!(row(&layout([].iter()), |_| None).quality, Quality::Never);
    }
}
