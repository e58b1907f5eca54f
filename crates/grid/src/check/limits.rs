//! What may be expected of a point, by what it measures: between which values it can lie, how long it may stay at one value, and whether its values scatter.
//! All of these are ours.

use crate::measure::Quantity;
use crate::{Point, freshness};

const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 60 * MINUTE_MS;
const DAY_MS: i64 = 24 * HOUR_MS;

/// What is expected of the values of a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Expectation {
    /// How often a value is expected, ms; `None` for report by exception.
    pub expected_ms: Option<i64>,
    /// So long may a good value stay exactly the same, ms; `None` where it may for ever.
    pub flat_after_ms: Option<i64>,
    /// A value that is not farther from zero than this may stay as it is: a feeder without load, a dead line.
    pub rests_at: Option<f64>,
    /// Between which values it can lie, both included; `None` where anything can be.
    pub range: Option<(f64, f64)>,
    /// Whether values that lie far from the usual ones of the hour of the day are worth telling.
    pub scatters: bool,
    /// Decimals to show.
    pub decimals: u8,
}

impl Expectation {
    /// What is expected of a point of an asset for `kv` kilovolt between lines, if that is known.
    pub fn of(point: &Point, kv: Option<f64>) -> Self {
        let quantity = if point.encoding().is_some() { Quantity::Status } else { point.quantity };
        let flat_after_ms = match quantity {
            // The grid's frequency moves with every load; a voltage with every tap and feeder.
            Quantity::Frequency => Some(30 * MINUTE_MS),
            Quantity::Voltage => Some(HOUR_MS),
            // Shown without decimals, and calm at night.
            Quantity::Current | Quantity::ActivePower | Quantity::ReactivePower | Quantity::ApparentPower => Some(2 * HOUR_MS),
            Quantity::PowerFactor => Some(3 * HOUR_MS),
            // Oil has a time constant of hours, and air its dawn.
            Quantity::Temperature | Quantity::Distortion => Some(6 * HOUR_MS),
            // Flicker has a new value each ten minutes, or two hours; a charger holds its voltage well.
            Quantity::Flicker | Quantity::DcVoltage | Quantity::DcCurrent => Some(DAY_MS),
            // In a month the load has had its peaks, and the oil its seasons.
            Quantity::Tap | Quantity::Percent => Some(30 * DAY_MS),
            // Registers stand still without load, angles of the reference always; counts, fault currents and positions wait for something to happen.
            Quantity::ActiveEnergy
            | Quantity::ReactiveEnergy
            | Quantity::Angle
            | Quantity::Count
            | Quantity::FaultCurrent
            | Quantity::Status
            | Quantity::Other => None,
        };
        let rests_at = match quantity {
            Quantity::Current => Some(2.0),
            Quantity::Voltage
            | Quantity::ActivePower
            | Quantity::ReactivePower
            | Quantity::ApparentPower
            | Quantity::PowerFactor
            | Quantity::Frequency
            | Quantity::Distortion
            | Quantity::Flicker
            | Quantity::DcCurrent => Some(0.0),
            _ => None,
        };
        let scatters = matches!(
            quantity,
            Quantity::Current
                | Quantity::Voltage
                | Quantity::ActivePower
                | Quantity::ReactivePower
                | Quantity::ApparentPower
                | Quantity::PowerFactor
                | Quantity::Frequency
                | Quantity::Temperature
                | Quantity::DcVoltage
                | Quantity::DcCurrent
        );
        let range = range(quantity, &point.code, kv);
        Self { expected_ms: point.expected_ms.filter(|ms| *ms > 0), flat_after_ms, rests_at, range, scatters, decimals: point.decimals }
    }

    /// Two values farther apart than this have a gap between them, ms; `None` for report by exception.
    pub fn gap_ms(&self) -> Option<i64> {
        freshness::age_limit_ms(self.expected_ms)
    }
}

/// Beyond this nothing of the kind can be, in the quantity's unit: what lies there is a fault of the measuring.
fn range(quantity: Quantity, code: &str, kv: Option<f64>) -> Option<(f64, f64)> {
    /// No system stays at more than one and a half times its voltage, also with an earth fault.
    const OVERVOLTAGE: f64 = 1.5;
    Some(match quantity {
        Quantity::Voltage => {
            let kv = kv.filter(|kv| *kv > 0.0)?;
            let is_of_phase = matches!(code, "Vr" | "Vy" | "Vb");
            // With an earth fault on a network without earthed neutral the sound phases have the voltage between lines.
            (0.0, kv * if is_of_phase { 1.1 } else { OVERVOLTAGE })
        }
        Quantity::Current | Quantity::FaultCurrent => (0.0, 100_000.0),
        Quantity::ActivePower | Quantity::ReactivePower => (-5_000.0, 5_000.0),
        Quantity::ApparentPower => (0.0, 5_000.0),
        Quantity::PowerFactor => (-1.0, 1.0),
        Quantity::ActiveEnergy | Quantity::ReactiveEnergy | Quantity::Count => (0.0, f64::MAX),
        Quantity::Temperature => (-50.0, 250.0),
        // Of a current without much fundamental the distortion is far above 100 %.
        Quantity::DcVoltage | Quantity::Distortion => (0.0, 500.0),
        Quantity::DcCurrent => (-2_000.0, 2_000.0),
        Quantity::Tap => (-50.0, 50.0),
        Quantity::Percent | Quantity::Flicker => (0.0, 100.0),
        Quantity::Angle => (-360.0, 360.0),
        // 0 is what a meter tells of a dead line; a network of 60 Hz swings around it.
        Quantity::Frequency => (0.0, 75.0),
        Quantity::Status | Quantity::Other => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_of_60_hz_may_run_fast() {
        let within = |hz: f64| range(Quantity::Frequency, "F", None).is_some_and(|(least, most)| (least..=most).contains(&hz));
        assert_eq!([0.0, 50.0, 60.4, 76.0].map(within), [true, true, true, false]);
    }
}
