//! What was assumed or left out in a calculation.

use network::EquipmentId;

/// Something that a calculation assumed or left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finding {
    /// The position of a switch or a source is not known: the normal state is assumed.
    UnknownPosition(EquipmentId),
    /// A line or a series compensator has no impedance: it joins its ends like a closed switch.
    NoImpedance(EquipmentId),
    /// A generator holds another voltage than one before it at the same place: its voltage is left out.
    OtherVoltage(EquipmentId),
    /// The impedance of the zero sequence is not given: a usual multiple of the positive sequence is assumed.
    NoZeroSequence(EquipmentId),
    /// A generator holds no voltage in the load flow by phase: it feeds its powers.
    VoltageNotHeld(EquipmentId),
    /// Equipment that the load flow by phase cannot represent, such as a transformer of one phase with three ends. It is left out.
    LeftOut(EquipmentId),
}
