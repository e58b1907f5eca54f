//! What a point measures: its quantity, phase, unit and usual precision, known by the short code that ends its metric name.

/// A physical quantity. Decides unit and decimals wherever a value is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Quantity {
    /// Ampere.
    Current,
    /// Ampere, the largest seen during the last fault.
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
    /// Megawatt-hour, a register that only counts up.
    ActiveEnergy,
    /// Megavolt-ampere-reactive hour, a register that only counts up.
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
    /// A whole number of times.
    Count,
    /// Position or signal.
    Status,
    /// Anything that the utility has not described yet.
    Other,
}

impl Quantity {
    const TABLE: [(Self, &'static str, &'static str, u8); 18] = [
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
        (Self::Count, "count", "", 0),
        (Self::Status, "status", "", 0),
        (Self::Other, "other", "", 2),
    ];

    fn row(self) -> (Self, &'static str, &'static str, u8) {
        Self::TABLE[self as usize]
    }

    /// The word kept in the database and sent to clients.
    pub fn word(self) -> &'static str {
        self.row().1
    }

    /// The unit that values of this quantity are kept in; empty where none applies.
    pub fn unit(self) -> &'static str {
        self.row().2
    }

    /// Decimals to show (ui.md, principle 5).
    pub fn decimals(self) -> u8 {
        self.row().3
    }

    /// The quantity for a stored word; unknown words are `Other`, so that a newer database does not stop an older program.
    pub fn from_word(word: &str) -> Self {
        Self::TABLE.iter().find(|row| row.1 == word).map_or(Self::Other, |row| row.0)
    }

    /// The quantity of a point by its code, the last part of its metric name (`F3/Ir` -> `Ir`). Codes are those of live.md and the demo; unknown ones are `Other`.
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
            "EImp" | "EExp" => Self::ActiveEnergy,
            "RImp" | "RExp" => Self::ReactiveEnergy,
            "OTI" | "WTI" | "AmbT" => Self::Temperature,
            "BatV" | "DcuV" => Self::DcVoltage,
            "BatA" => Self::DcCurrent,
            "Tap" => Self::Tap,
            "OilLevel" => Self::Percent,
            "Ops" => Self::Count,
            "Pos" | "Op" | "Alm" | "Loc" => Self::Status,
            _ => Self::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_enum_and_words_round_trip() {
        for (index, row) in Quantity::TABLE.iter().enumerate() {
            assert_eq!(row.0 as usize, index);
            assert_eq!(Quantity::from_word(row.1), row.0);
        }
        assert_eq!(Quantity::from_word("no such word"), Quantity::Other);
    }
}
