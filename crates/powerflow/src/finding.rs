//! Assumptions and omissions of a calculation.

use network::EquipmentId;

/// An assumption or omission of a calculation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finding {
    /// The position of a switch or a source is not known, so its normal state is assumed.
    UnknownPosition(EquipmentId),
    /// A line or a series compensator has no impedance, so it is treated like a closed switch.
    NoImpedance(EquipmentId),
    /// Several generators at the same place hold different voltages. Only the voltage of the first one is used.
    OtherVoltage(EquipmentId),
    /// The zero-sequence impedance is not given, so a usual multiple of the positive-sequence impedance is assumed.
    NoZeroSequence(EquipmentId),
    /// A generator should hold a voltage. The load flow by phase does not support this, so the generator feeds constant powers.
    VoltageNotHeld(EquipmentId),
    /// Equipment is left out, because the load flow by phase does not support it, such as a single-phase transformer with three ends.
    LeftOut(EquipmentId),
}
