//! The expected behaviour of a point, by quantity: the possible range, how long a value may stay the same, and whether outliers are meaningful. All
//! limits are our definition.

use crate::measure::Quantity;
use crate::{Point, freshness};

const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 60 * MINUTE_MS;
const DAY_MS: i64 = 24 * HOUR_MS;

/// The expected behaviour of a point's values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Expectation {
    /// Reporting interval, ms; `None` for report by exception.
    pub expected_ms: Option<i64>,
    /// How long a good value may stay exactly the same, ms; `None` for any time.
    pub flat_after_ms: Option<i64>,
    /// A value at most this far from zero may stay the same for any time, such as the current of a feeder without load or the voltage of a dead line.
    pub rests_at: Option<f64>,
    /// The possible range, both limits included; `None` if any value is possible.
    pub range: Option<(f64, f64)>,
    /// Whether values far from the usual ones of their hour of the day are reported as outliers.
    pub scatters: bool,
    /// Number of decimals to display.
    pub decimals: u8,
}

impl Expectation {
    /// Returns the expectation for a point. `kv` is the asset's voltage between lines in kV, if known.
    pub fn of(point: &Point, kv: Option<f64>) -> Self {
        let quantity = if point.encoding().is_some() { Quantity::Status } else { point.quantity };
        let flat_after_ms = match quantity {
            // The frequency changes with every load, a voltage with every tap change and feeder.
            Quantity::Frequency => Some(30 * MINUTE_MS),
            Quantity::Voltage => Some(HOUR_MS),
            // These are displayed without decimals, and change little at night.
            Quantity::Current | Quantity::ActivePower | Quantity::ReactivePower | Quantity::ApparentPower => Some(2 * HOUR_MS),
            Quantity::PowerFactor => Some(3 * HOUR_MS),
            // Oil has a time constant of hours, and the air temperature changes at least by day and night.
            Quantity::Temperature | Quantity::Distortion => Some(6 * HOUR_MS),
            // Flicker has a new value every ten minutes (Pst) or two hours (Plt); a charger keeps its voltage constant.
            Quantity::Flicker | Quantity::DcVoltage | Quantity::DcCurrent => Some(DAY_MS),
            // Within a month the load has its peaks, and the oil expands and contracts.
            Quantity::Tap | Quantity::Percent => Some(30 * DAY_MS),
            // Registers do not change without load, and the angle of the reference never does. Counts, fault currents and positions change only with
            // an event.
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

    /// Returns the time between two values above which there is a gap, ms; `None` for report by exception.
    pub fn gap_ms(&self) -> Option<i64> {
        freshness::age_limit_ms(self.expected_ms)
    }
}

/// Returns the physically possible range, in the quantity's unit. A value outside is a measuring error.
fn range(quantity: Quantity, code: &str, kv: Option<f64>) -> Option<(f64, f64)> {
    /// Highest voltage that a system can sustain, also with an earth fault, in multiples of its voltage.
    const OVERVOLTAGE: f64 = 1.5;
    Some(match quantity {
        Quantity::Voltage => {
            let kv = kv.filter(|kv| *kv > 0.0)?;
            let is_of_phase = matches!(code, "Vr" | "Vy" | "Vb");
            // With an earth fault in a network with isolated neutral, the healthy phases have the voltage between lines.
            (0.0, kv * if is_of_phase { 1.1 } else { OVERVOLTAGE })
        }
        Quantity::Current | Quantity::FaultCurrent => (0.0, 100_000.0),
        Quantity::ActivePower | Quantity::ReactivePower => (-5_000.0, 5_000.0),
        Quantity::ApparentPower => (0.0, 5_000.0),
        Quantity::PowerFactor => (-1.0, 1.0),
        Quantity::ActiveEnergy | Quantity::ReactiveEnergy | Quantity::Count => (0.0, f64::MAX),
        Quantity::Temperature => (-50.0, 250.0),
        // The distortion of a current with a small fundamental can be far above 100 %.
        Quantity::DcVoltage | Quantity::Distortion => (0.0, 500.0),
        Quantity::DcCurrent => (-2_000.0, 2_000.0),
        Quantity::Tap => (-50.0, 50.0),
        Quantity::Percent | Quantity::Flicker => (0.0, 100.0),
        Quantity::Angle => (-360.0, 360.0),
        // A meter reports 0 for a dead line; the upper limit leaves room for networks of 60 Hz.
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
