//! Positions of switches and relays, with their texts and display rules (specification 2, section 4).

use crate::enum_text;

/// How a status point is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// Two contacts: 0 intermediate, 1 open, 2 closed, 3 bad (IEC 60870-5-101 7.2.6.2).
    DoublePoint,
    /// One contact of a switch: 0 open, 1 closed.
    SinglePoint,
    /// A relay or alarm contact: 0 inactive, 1 active.
    Signal,
}

enum_text! {
    /// The text in the database and in rows.
    Encoding {
        DoublePoint = "double",
        SinglePoint = "single",
        Signal = "signal",
    }
}

/// The meaning of a status value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Position {
    /// Contacts open.
    Open,
    /// Contacts closed.
    Closed,
    /// Moving, or neither contact reports.
    Intermediate,
    /// Both contacts are closed, or the value is not defined in the encoding.
    Bad,
    /// A relay that has not operated.
    Inactive,
    /// A relay that has operated.
    Active,
}

impl Position {
    /// Decodes a raw status value. A value that is not defined in the encoding is `Bad`.
    pub fn decode(encoding: Encoding, raw: f64) -> Self {
        let table: &[Self] = match encoding {
            Encoding::DoublePoint => &[Self::Intermediate, Self::Open, Self::Closed, Self::Bad],
            Encoding::SinglePoint => &[Self::Open, Self::Closed],
            Encoding::Signal => &[Self::Inactive, Self::Active],
        };
        (0..table.len()).find(|&code| (raw - code as f64).abs() < f64::EPSILON).map_or(Self::Bad, |code| table[code])
    }

    /// Returns the raw status value of open or closed; `None` for other positions, and for a signal.
    pub fn encode(self, encoding: Encoding) -> Option<f64> {
        match (encoding, self) {
            (Encoding::DoublePoint, Self::Open) | (Encoding::SinglePoint, Self::Closed) => Some(1.0),
            (Encoding::DoublePoint, Self::Closed) => Some(2.0),
            (Encoding::SinglePoint, Self::Open) => Some(0.0),
            _ => None,
        }
    }

    /// Returns the text for event logs and diagrams. INVALID and INTERMEDIATE are the texts of the specification for positions that cannot be
    /// operated.
    pub fn text(self) -> &'static str {
        match self {
            Self::Open => "OPEN",
            Self::Closed => "CLOSED",
            Self::Intermediate => "INTERMEDIATE",
            Self::Bad => "INVALID",
            Self::Inactive => "INACTIVE",
            Self::Active => "ACTIVE",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_and_closed_are_encoded_as_they_are_decoded() {
        for encoding in Encoding::ALL {
            for position in [Position::Open, Position::Closed] {
                let raw = position.encode(encoding);
                assert_eq!(raw.is_none(), encoding == Encoding::Signal);
                assert!(raw.is_none_or(|raw| Position::decode(encoding, raw) == position), "{encoding:?} {position:?}");
            }
        }
        assert_eq!(Position::Bad.encode(Encoding::DoublePoint), None);
    }

    #[test]
    fn every_number_of_every_encoding() {
        use Encoding::{DoublePoint, Signal, SinglePoint};
        let cases = [
            (DoublePoint, 0.0, "INTERMEDIATE"),
            (DoublePoint, 1.0, "OPEN"),
            (DoublePoint, 2.0, "CLOSED"),
            (DoublePoint, 3.0, "INVALID"),
            (DoublePoint, 4.0, "INVALID"),
            (DoublePoint, f64::NAN, "INVALID"),
            (SinglePoint, 0.0, "OPEN"),
            (SinglePoint, 1.0, "CLOSED"),
            (SinglePoint, 2.0, "INVALID"),
            (SinglePoint, 0.5, "INVALID"),
            (Signal, 0.0, "INACTIVE"),
            (Signal, 1.0, "ACTIVE"),
        ];
        for (encoding, raw, text) in cases {
            assert_eq!(Position::decode(encoding, raw).text(), text, "{encoding:?} {raw}");
        }
    }
}
