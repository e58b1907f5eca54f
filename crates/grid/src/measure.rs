//! The meaning of a point's value. The code at the end of the metric name determines quantity, phase, unit and decimals.

/// A physical quantity. It determines the unit and the decimals of displayed values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Quantity {
    /// Ampere.
    Current,
    /// Ampere, the largest current of the last fault.
    FaultCurrent,
    /// Kilovolt.
    Voltage,
    /// Megawatt.
    ActivePower,
    /// Megavolt-ampere reactive.
    ReactivePower,
    /// Megavolt-ampere.
    ApparentPower,
    /// Per unit, 0 to 1.
    PowerFactor,
    /// Hertz.
    Frequency,
    /// Megawatt-hour, a register that only increases.
    ActiveEnergy,
    /// Megavolt-ampere-reactive hour, a register that only increases.
    ReactiveEnergy,
    /// Degree Celsius.
    Temperature,
    /// Volt of a direct-current supply.
    DcVoltage,
    /// Ampere of a direct-current supply; charging is positive.
    DcCurrent,
    /// Tap position.
    Tap,
    /// Percent, such as an oil level.
    Percent,
    /// Degree, counter-clockwise from the voltage of phase R, -180 to 180.
    Angle,
    /// Percent of the fundamental: total harmonic distortion, and unbalance as V2/V1.
    Distortion,
    /// Severity of flicker (IEC 61000-4-15), without unit; 1 is the level that most people find irritating.
    Flicker,
    /// A number of events.
    Count,
    /// Position or signal.
    Status,
    /// A quantity that the utility has not described yet.
    Other,
}

impl Quantity {
    const TABLE: [(Self, &'static str, &'static str, u8); 21] = [
        (Self::Current, "current", "A", 0),
        (Self::FaultCurrent, "fault_current", "A", 0),
        (Self::Voltage, "voltage", "kV", 2),
        (Self::ActivePower, "active_power", "MW", 2),
        (Self::ReactivePower, "reactive_power", "MVAr", 2),
        (Self::ApparentPower, "apparent_power", "MVA", 2),
        (Self::PowerFactor, "power_factor", "pf", 3),
        (Self::Frequency, "frequency", "Hz", 2),
        (Self::ActiveEnergy, "active_energy", "MWh", 1),
        (Self::ReactiveEnergy, "reactive_energy", "MVArh", 1),
        (Self::Temperature, "temperature", "°C", 1),
        (Self::DcVoltage, "dc_voltage", "V", 1),
        (Self::DcCurrent, "dc_current", "A", 1),
        (Self::Tap, "tap", "", 0),
        (Self::Percent, "percent", "%", 0),
        (Self::Angle, "angle", "°", 1),
        (Self::Distortion, "distortion", "%", 2),
        (Self::Flicker, "flicker", "", 2),
        (Self::Count, "count", "", 0),
        (Self::Status, "status", "", 0),
        (Self::Other, "other", "", 2),
    ];

    fn row(self) -> (Self, &'static str, &'static str, u8) {
        Self::TABLE[self as usize]
    }

    /// Returns the identifier stored in the database and used in the API.
    pub fn as_str(self) -> &'static str {
        self.row().1
    }

    /// Returns the unit of stored values; empty if the quantity has none.
    pub fn unit(self) -> &'static str {
        self.row().2
    }

    /// Returns the number of decimals to display; fixed for each quantity, so that the columns of a table align.
    pub fn decimals(self) -> u8 {
        self.row().3
    }

    /// Returns the quantity of a stored identifier. Unknown identifiers are `Other`, so that an older program works with a newer database.
    pub fn from_text(text: &str) -> Self {
        Self::TABLE.iter().find(|row| row.1 == text).map_or(Self::Other, |row| row.0)
    }

    /// Returns the quantity of a point's code, the last part of its metric name (`F3/Ir` -> `Ir`). The codes are listed in
    /// docs/reference/mqtt.md, Codes; unknown ones are `Other`.
    pub fn of_code(code: &str) -> Self {
        match code {
            "Ir" | "Iy" | "Ib" | "In" | "I" => Self::Current,
            "FIr" | "FIy" | "FIb" => Self::FaultCurrent,
            "Vr" | "Vy" | "Vb" | "Vry" | "Vyb" | "Vbr" | "V" => Self::Voltage,
            "P" | "Pr" | "Py" | "Pb" => Self::ActivePower,
            "Q" | "Qr" | "Qy" | "Qb" => Self::ReactivePower,
            "S" | "Sr" | "Sy" | "Sb" => Self::ApparentPower,
            "Pf" => Self::PowerFactor,
            "Hz" => Self::Frequency,
            "EImp" | "EExp" | "EImpR" | "EImpY" | "EImpB" => Self::ActiveEnergy,
            "RImp" | "RExp" => Self::ReactiveEnergy,
            "OTI" | "WTI" | "AmbT" => Self::Temperature,
            "BatV" | "DcuV" => Self::DcVoltage,
            "BatA" => Self::DcCurrent,
            "Tap" => Self::Tap,
            "OilLevel" => Self::Percent,
            "AVr" | "AVy" | "AVb" | "AIr" | "AIy" | "AIb" => Self::Angle,
            "ThdVr" | "ThdVy" | "ThdVb" | "ThdIr" | "ThdIy" | "ThdIb" | "Vuf" => Self::Distortion,
            "Pst" | "Plt" => Self::Flicker,
            "Ops" | "Dips" | "Swells" => Self::Count,
            "Pos" | "Op" | "Alm" | "Loc" | "Test" | "Syn" | "BlkOpn" | "BlkCls" => Self::Status,
            _ => Self::Other,
        }
    }
}

/// One of the three phases, with the colours used in India.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Phase {
    /// Red, the reference of all angles.
    R,
    /// Yellow, 120° behind R.
    Y,
    /// Blue, 120° ahead of R.
    B,
}

impl Phase {
    /// All phases, in the order of rotation.
    pub const ALL: [Self; 3] = [Self::R, Self::Y, Self::B];

    /// Returns the letter used in the API.
    pub fn letter(self) -> &'static str {
        match self {
            Self::R => "R",
            Self::Y => "Y",
            Self::B => "B",
        }
    }

    /// Returns the phase of a point's code; `None` for a value that belongs to all phases or to no phase (`P`, `In`, `Hz`). A voltage between two lines belongs
    /// to the first of them in the order of rotation: `Vry` to R, `Vyb` to Y, `Vbr` to B.
    pub fn of_code(code: &str) -> Option<Self> {
        match code {
            "Vry" | "EImpR" => return Some(Self::R),
            "Vyb" | "EImpY" => return Some(Self::Y),
            "Vbr" | "EImpB" => return Some(Self::B),
            _ => {}
        }
        let (stem, phase) = code.split_at_checked(code.len().checked_sub(1)?)?;
        let phase = match phase {
            "r" => Self::R,
            "y" => Self::Y,
            "b" => Self::B,
            _ => return None,
        };
        ["I", "FI", "V", "P", "Q", "S", "AV", "AI", "ThdV", "ThdI"].contains(&stem).then_some(phase)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The codes that line meters report (docs/reference/mqtt.md, Codes).
    const LINE: [&str; 47] = [
        "Ir", "Iy", "Ib", "Vr", "Vy", "Vb", "Vry", "Vyb", "Vbr", "Pr", "Py", "Pb", "P", "Qr", "Qy", "Qb", "Q", "Sr", "Sy", "Sb", "S", "Pf",
        "Hz", "EImp", "EExp", "RImp", "RExp", "EImpR", "EImpY", "EImpB", "AVr", "AVy", "AVb", "AIr", "AIy", "AIb", "ThdVr", "ThdVy",
        "ThdVb", "ThdIr", "ThdIy", "ThdIb", "Vuf", "Pst", "Plt", "Dips", "Swells",
    ];

    #[test]
    fn every_code_of_a_line_is_known_and_each_phase_has_its_third() {
        assert!(LINE.iter().all(|code| Quantity::of_code(code) != Quantity::Other));
        let of = |phase| LINE.iter().filter(|code| Phase::of_code(code) == phase).copied().collect::<Vec<_>>();
        assert_eq!(of(Some(Phase::R)), ["Ir", "Vr", "Vry", "Pr", "Qr", "Sr", "EImpR", "AVr", "AIr", "ThdVr", "ThdIr"]);
        for phase in [Phase::Y, Phase::B] {
            let quantities = |phase| of(Some(phase)).into_iter().map(Quantity::of_code).collect::<Vec<_>>();
            assert_eq!(quantities(phase), quantities(Phase::R), "{}", phase.letter());
        }
        for code in ["", "b", "Pb2", "Ttlb", "Loc", "AmbT", "°"] {
            assert_eq!(Phase::of_code(code), None, "{code}");
        }
    }

    #[test]
    fn units_of_power_quality() {
        assert_eq!((Quantity::of_code("AIb").unit(), Quantity::of_code("AIb").as_str()), ("°", "angle"));
        assert_eq!((Quantity::of_code("Vuf").unit(), Quantity::of_code("ThdIr").decimals()), ("%", 2));
        assert_eq!((Quantity::of_code("Plt").unit(), Quantity::of_code("Pst").decimals()), ("", 2));
        assert_eq!(Quantity::of_code("Dips"), Quantity::Count);
    }

    #[test]
    fn the_table_is_in_the_order_of_the_enum_and_words_round_trip() {
        for (index, row) in Quantity::TABLE.iter().enumerate() {
            assert_eq!(row.0 as usize, index);
            assert_eq!(Quantity::from_text(row.1), row.0);
        }
        assert_eq!(Quantity::from_text("no such word"), Quantity::Other);
    }
}
