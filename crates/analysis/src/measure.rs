//! The measures of charts: the points of each measure, and how their values are aggregated in a bucket.

use grid::Micros;
use grid::downsample::Bucket;
use grid::register::{self, Bound};

/// How the values of a bucket are aggregated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shows {
    /// Mean, minimum and maximum.
    Values,
    /// The last reading of a register.
    Reading,
    /// The amount that a register counted in the bucket.
    Consumed,
    /// The amount that a register counted since the start of the span.
    Accumulated,
}

/// A point of a measure: its code, its display name, and its phase.
type Entry = (&'static str, &'static str, Option<&'static str>);

const R: Option<&str> = Some("R");
const Y: Option<&str> = Some("Y");
const B: Option<&str> = Some("B");

const ENERGY: &[Entry] = &[
    ("EImpR", "Active energy imported, R", R),
    ("EImpY", "Active energy imported, Y", Y),
    ("EImpB", "Active energy imported, B", B),
    ("EImp", "Active energy imported", None),
    ("EExp", "Active energy exported", None),
];
const REACTIVE_ENERGY: &[Entry] = &[("RImp", "Reactive energy imported", None), ("RExp", "Reactive energy exported", None)];
const REGISTERS: &[Entry] = &[ENERGY[0], ENERGY[1], ENERGY[2], ENERGY[3], ENERGY[4], REACTIVE_ENERGY[0], REACTIVE_ENERGY[1]];

/// All measures, in the order in which error messages list them.
const MEASURES: [(&str, Shows, &[Entry]); 19] = [
    (
        "current",
        Shows::Values,
        &[
            ("Ir", "Current R", R),
            ("Iy", "Current Y", Y),
            ("Ib", "Current B", B),
            ("In", "Current of the neutral", None),
            ("I", "Current", None),
        ],
    ),
    ("voltage", Shows::Values, &[("Vr", "Voltage R", R), ("Vy", "Voltage Y", Y), ("Vb", "Voltage B", B)]),
    (
        "voltage_ll",
        Shows::Values,
        &[("Vry", "Voltage R-Y", None), ("Vyb", "Voltage Y-B", None), ("Vbr", "Voltage B-R", None), ("V", "Voltage between lines", None)],
    ),
    ("frequency", Shows::Values, &[("Hz", "Frequency", None)]),
    (
        "active",
        Shows::Values,
        &[("Pr", "Active power R", R), ("Py", "Active power Y", Y), ("Pb", "Active power B", B), ("P", "Active power", None)],
    ),
    (
        "reactive",
        Shows::Values,
        &[("Qr", "Reactive power R", R), ("Qy", "Reactive power Y", Y), ("Qb", "Reactive power B", B), ("Q", "Reactive power", None)],
    ),
    (
        "apparent",
        Shows::Values,
        &[("Sr", "Apparent power R", R), ("Sy", "Apparent power Y", Y), ("Sb", "Apparent power B", B), ("S", "Apparent power", None)],
    ),
    ("power_factor", Shows::Values, &[("Pf", "Power factor", None)]),
    ("energy", Shows::Consumed, ENERGY),
    ("register", Shows::Reading, REGISTERS),
    ("accumulated", Shows::Accumulated, ENERGY),
    ("reactive_energy", Shows::Consumed, REACTIVE_ENERGY),
    (
        "temperature",
        Shows::Values,
        &[("OTI", "Oil temperature", None), ("WTI", "Winding temperature", None), ("AmbT", "Ambient temperature", None)],
    ),
    ("dc", Shows::Values, &[("BatV", "Battery voltage", None), ("BatA", "Battery current", None), ("DcuV", "Supply of the RTU", None)]),
    ("thd_v", Shows::Values, &[("ThdVr", "THD of voltage R", R), ("ThdVy", "THD of voltage Y", Y), ("ThdVb", "THD of voltage B", B)]),
    ("thd_i", Shows::Values, &[("ThdIr", "THD of current R", R), ("ThdIy", "THD of current Y", Y), ("ThdIb", "THD of current B", B)]),
    ("unbalance", Shows::Values, &[("Vuf", "Unbalance of voltage (V2/V1)", None)]),
    ("flicker", Shows::Values, &[("Pst", "Flicker, short term", None), ("Plt", "Flicker, long term", None)]),
    (
        "angle",
        Shows::Values,
        &[
            ("AVr", "Angle of voltage R", R),
            ("AVy", "Angle of voltage Y", Y),
            ("AVb", "Angle of voltage B", B),
            ("AIr", "Angle of current R", R),
            ("AIy", "Angle of current Y", Y),
            ("AIb", "Angle of current B", B),
        ],
    ),
];

/// A measure of an asset.
#[derive(Debug, Clone, Copy)]
pub struct Measure {
    /// The name in the query of a request.
    pub word: &'static str,
    /// How its values are aggregated.
    pub shows: Shows,
    /// The points, in the order of the lines.
    pub points: &'static [Entry],
}

impl Measure {
    /// Returns the measure of this name.
    pub fn named(word: &str) -> Option<Self> {
        MEASURES.iter().find(|measure| measure.0 == word).map(|&(word, shows, points)| Self { word, shows, points })
    }

    /// Returns all names, separated by commas, for error messages.
    pub fn words() -> String {
        MEASURES.map(|measure| measure.0).join(", ")
    }

    /// Readings of the registers of active and reactive energy.
    pub const REGISTER: Self = Self { word: "register", shows: Shows::Reading, points: REGISTERS };
    /// The amount that the same registers counted in each bucket.
    pub const CONSUMED: Self = Self { shows: Shows::Consumed, ..Self::REGISTER };
    /// The amount that the same registers counted since the start of the span.
    pub const ACCUMULATED: Self = Self { shows: Shows::Accumulated, ..Self::REGISTER };
}

/// Returns the display name of a code.
pub fn name_of(code: &str) -> Option<&'static str> {
    MEASURES.iter().flat_map(|measure| measure.2).find(|entry| entry.0 == code).map(|entry| entry.1)
}

impl Shows {
    /// Returns mean, minimum and maximum to show for each bucket of a line. Steps of a register beyond `bound` are refused.
    pub fn of(self, before: Option<(Micros, f64)>, cells: &[Option<Bucket>], bound: &Bound<'_>) -> Vec<[Option<f64>; 3]> {
        let (mut before, mut total) = (before, None::<f64>);
        let mut shown = Vec::with_capacity(cells.len());
        for cell in cells {
            let consumed = cell.as_ref().and_then(|bucket| register::consumed(before, bucket, bound));
            before = cell.and_then(|bucket| bucket.last).or(before);
            total = match (total, consumed) {
                (Some(total), Some(consumed)) => Some(total + consumed),
                (total, consumed) => total.or(consumed),
            };
            shown.push(match (self, cell) {
                (_, None) => [None; 3],
                (Self::Values, Some(bucket)) => [bucket.mean(), bucket.min, bucket.max],
                (Self::Reading, Some(bucket)) => [bucket.last.map(|(_, value)| value), bucket.min, bucket.max],
                (Self::Consumed, Some(_)) => [consumed; 3],
                // A bucket without a good reading shows no value.
                (Self::Accumulated, Some(bucket)) => [total.filter(|_| bucket.n_good > 0); 3],
            });
        }
        shown
    }
}

#[cfg(test)]
mod tests {
    use grid::Quality;

    use super::*;

    #[test]
    fn words_are_unique_and_found() {
        let words: std::collections::BTreeSet<&str> = MEASURES.iter().map(|measure| measure.0).collect();
        assert_eq!(words.len(), MEASURES.len());
        assert!(words.iter().all(|word| Measure::named(word).is_some_and(|measure| measure.word == *word)));
        assert!(Measure::named("Current").is_none());
    }

    #[test]
    fn registers_are_read_and_counted() {
        let read = |at: i64, value| Some(Bucket::of(Micros(at), Some(value), Quality::Good));
        let invalid = Some(Bucket::of(Micros(3), Some(9e9), Quality::Invalid));
        let cells = [read(1, 101.0), read(2, 103.5), invalid, None, read(5, 110.0)];
        let mean = |shows: Shows, before: Option<f64>| -> Vec<Option<f64>> {
            let before = before.map(|before| (Micros(0), before));
            shows.of(before, &cells, &Bound::NONE).iter().map(|shown| shown[0]).collect()
        };
        assert_eq!(mean(Shows::Consumed, Some(100.0)), [Some(1.0), Some(2.5), None, None, Some(6.5)]);
        assert_eq!(mean(Shows::Consumed, None), [None, Some(2.5), None, None, Some(6.5)]);
        assert_eq!(mean(Shows::Accumulated, Some(100.0)), [Some(1.0), Some(3.5), None, None, Some(10.0)]);
        assert_eq!(mean(Shows::Reading, None), [Some(101.0), Some(103.5), None, None, Some(110.0)]);
    }
}
