//! The quality of a value, which is stored and sent with it (docs/API.md, Values; IEC 60870-5-101 7.2.6.3 for the raw bits).

/// The quality of a value. The order is from best to worst, so the worst of several is their maximum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Quality {
    /// Measured, current and reliable.
    Good = 0,
    /// Entered manually or taken from another source.
    Substituted = 1,
    /// In doubt: the device's clock is wrong, the value is out of range or estimated.
    Questionable = 2,
    /// Older than its age limit.
    Stale = 3,
    /// Marked as not valid by the device itself.
    Invalid = 4,
    /// The link to the device or its gateway is down; the value is the last known one.
    CommLost = 5,
    /// No value has ever been received.
    Never = 6,
}

impl Quality {
    /// Returns the number stored in the database and used in the API.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// Returns the quality of a number; `None` if there is none.
    pub fn from_code(code: u8) -> Option<Self> {
        [Self::Good, Self::Substituted, Self::Questionable, Self::Stale, Self::Invalid, Self::CommLost, Self::Never]
            .get(usize::from(code))
            .copied()
    }

    /// Decodes the Sparkplug quality property (Sparkplug 3.0, 6.4.15.1: 192 good, 500 stale, 0 bad) and the raw IEC bits, if the gateway sends them.
    /// An absent property means good, because plain clients do not send it.
    pub fn from_sparkplug(quality: Option<i32>, bits: Option<RawQuality>) -> Self {
        let declared = match quality {
            None | Some(192) => Self::Good,
            Some(500) => Self::Stale,
            Some(0) => Self::Invalid,
            Some(_) => Self::Questionable,
        };
        bits.map_or(declared, |bits| declared.max(bits.quality()))
    }

    /// Returns the worse of two qualities.
    #[must_use]
    pub fn worst(self, other: Self) -> Self {
        self.max(other)
    }
}

/// The quality bits of IEC 60870-5-101 7.2.6.3 as sent by the device: OV 0x01, BL 0x10, SB 0x20, NT 0x40, IV 0x80.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct RawQuality(pub u16);

impl RawQuality {
    /// Overflow.
    pub const OV: u16 = 0x01;
    /// Blocked.
    pub const BL: u16 = 0x10;
    /// Substituted.
    pub const SB: u16 = 0x20;
    /// Not topical.
    pub const NT: u16 = 0x40;
    /// Invalid.
    pub const IV: u16 = 0x80;

    /// Returns the quality of the bits: the quality of the worst bit that is set.
    pub fn quality(self) -> Quality {
        [
            (Self::IV, Quality::Invalid),
            (Self::NT, Quality::Stale),
            (Self::OV, Quality::Questionable),
            (Self::BL, Quality::Questionable),
            (Self::SB, Quality::Substituted),
        ]
        .into_iter()
        .filter(|(bit, _)| self.0 & bit != 0)
        .map(|(_, quality)| quality)
        .max()
        .unwrap_or(Quality::Good)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_round_trip_and_unknown_ones_are_refused() {
        for code in 0..7 {
            assert_eq!(Quality::from_code(code).map(Quality::code), Some(code));
        }
        assert_eq!(Quality::from_code(7), None);
    }

    #[test]
    fn the_worst_of_property_and_bits_wins() {
        let cases = [
            (None, None, Quality::Good),
            (Some(192), Some(RawQuality::SB), Quality::Substituted),
            (Some(192), Some(RawQuality::IV | RawQuality::SB), Quality::Invalid),
            (Some(0), None, Quality::Invalid),
            (Some(500), Some(RawQuality::OV), Quality::Stale),
            (Some(64), None, Quality::Questionable),
        ];
        for (property, bits, expected) in cases {
            assert_eq!(Quality::from_sparkplug(property, bits.map(RawQuality)), expected, "{property:?} {bits:?}");
        }
    }
}
