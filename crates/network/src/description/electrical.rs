//! Ratings and impedances of equipment, with units in the names. Sequence values and phase values are per phase. Powers are those of all phases together,
//! unless they are given by phase.

use serde::{Deserialize, Serialize};

use crate::EquipmentKind;

/// The known electrical data of a piece of equipment.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub enum Electrical {
    /// No data are known, or none are needed, as for a busbar section.
    #[default]
    Nothing,
    /// Of each kind of switch, and of a ground disconnector.
    Switch(Switch),
    /// Of a line segment.
    Line(Line),
    /// Of a transformer.
    Transformer(Transformer),
    /// Of a series reactor or capacitor.
    Series(SequenceImpedance),
    /// Of a capacitor or reactor to earth.
    Shunt(Shunt),
    /// Of a neighbouring network.
    Source(SourceVoltage),
    /// Of customers or a load.
    Consumer(Consumption),
    /// Of a generator, a battery or an inverter.
    Generator(Generation),
    /// The power from the first to the second terminal of a line with direct current, kW.
    DirectCurrent {
        /// The power at the first terminal.
        kw: f64,
    },
}

impl Electrical {
    /// Whether equipment of this kind can have these data.
    pub fn fits(&self, kind: EquipmentKind) -> bool {
        match self {
            Self::Nothing => true,
            Self::Switch(_) => kind.is_switch() || kind == EquipmentKind::GroundDisconnector,
            Self::Line(_) => kind == EquipmentKind::LineSegment,
            Self::Transformer(_) => kind == EquipmentKind::PowerTransformer,
            Self::Series(_) => kind == EquipmentKind::SeriesCompensator,
            Self::Shunt(_) => kind == EquipmentKind::ShuntCompensator,
            Self::Source(_) => kind == EquipmentKind::EnergySource,
            Self::Consumer(_) => kind == EquipmentKind::EnergyConsumer,
            Self::Generator(_) => {
                matches!(kind, EquipmentKind::GeneratingUnit | EquipmentKind::BatteryUnit | EquipmentKind::InverterUnit)
            }
            Self::DirectCurrent { .. } => kind == EquipmentKind::DirectCurrentLine,
        }
    }
}

/// A switch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Switch {
    /// Its position in the normal state of the network.
    pub is_normally_open: bool,
    /// The highest current that it can carry, A.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rated_a: Option<f64>,
    /// The highest current that it can break, kA.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub breaking_ka: Option<f64>,
}

/// Series impedance in the positive and the zero sequence, ohms.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SequenceImpedance {
    /// Resistance, positive sequence.
    pub r_ohm: f64,
    /// Reactance, positive sequence.
    pub x_ohm: f64,
    /// Resistance, zero sequence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r0_ohm: Option<f64>,
    /// Reactance, zero sequence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub x0_ohm: Option<f64>,
}

/// A segment of a line or a cable, as a whole (not per kilometre).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Line {
    /// The length, km.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length_km: Option<f64>,
    /// The series impedance by sequence.
    pub series: SequenceImpedance,
    /// The conductance of both ends together, positive sequence, siemens.
    pub g_s: f64,
    /// The susceptance of both ends together, positive sequence, siemens.
    pub b_s: f64,
    /// The susceptance in the zero sequence, siemens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub b0_s: Option<f64>,
    /// The impedance by phase, if the phases differ. It is then used instead of the sequence values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by_phase: Option<PhaseImpedance>,
    /// The highest continuous current, A.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rated_a: Option<f64>,
}

/// Series impedance and shunt susceptance by phase: the lower triangle of a symmetric matrix for the phases A, B and C, in the order AA, BA, BB, CA, CB, CC.
/// Entries of a phase that the line does not have are 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PhaseImpedance {
    /// Resistance, ohms.
    pub r_ohm: [f64; 6],
    /// Reactance, ohms.
    pub x_ohm: [f64; 6],
    /// Susceptance of both ends together, siemens.
    pub b_s: [f64; 6],
}

/// How the three windings of an end are connected.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Connection {
    /// Delta.
    Delta,
    /// Star without a connection with earth.
    #[default]
    Star,
    /// Star, earthed.
    StarEarthed,
    /// Zigzag without a connection with earth.
    Zigzag,
    /// Zigzag, earthed.
    ZigzagEarthed,
    /// One winding between two phases, or between a phase and earth.
    Single,
}

grid::enum_text! {
    /// The letters of IEC 60076-1, in the spelling of CIM; `I` for a single winding.
    Connection { Delta = "D", Star = "Y", StarEarthed = "Yn", Zigzag = "Z", ZigzagEarthed = "Zn", Single = "I" }
}

crate::as_text!(Connection);

/// A transformer. Its ends are in the order of its terminals.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transformer {
    /// Its two or three ends.
    pub ends: Vec<TransformerEnd>,
}

/// One end of a transformer. The impedances belong to the star equivalent, at the rated voltage of this end. If the transformer has two ends, the first end has
/// the whole impedance.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TransformerEnd {
    /// The rated voltage between phases, kV.
    pub rated_kv: f64,
    /// The rated power, kVA.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rated_kva: Option<f64>,
    /// How its windings are connected.
    pub connection: Connection,
    /// The angle by which it lags the first end, in units of 30 degrees.
    pub clock: u8,
    /// The series impedance.
    pub series: SequenceImpedance,
    /// The conductance of the core, siemens.
    pub g_s: f64,
    /// The susceptance of the core, siemens; negative.
    pub b_s: f64,
    /// The tap changer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tap: Option<Tap>,
}

/// A tap changer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tap {
    /// The present step.
    pub step: i32,
    /// The step at the rated voltage.
    pub neutral: i32,
    /// The lowest step.
    pub low: i32,
    /// The highest step.
    pub high: i32,
    /// The change of voltage with each step, percent of the rated voltage.
    pub step_percent: f64,
    /// The change of angle with each step, degrees; 0 for a tap changer that changes the voltage only.
    #[serde(default)]
    pub step_degrees: f64,
}

/// Admittance to earth at nominal voltage, siemens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Shunt {
    /// Conductance.
    pub g_s: f64,
    /// Susceptance; positive of a capacitor.
    pub b_s: f64,
}

/// A neighbouring network: a voltage behind an impedance.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SourceVoltage {
    /// The voltage, per unit of the nominal voltage of its node.
    pub voltage_pu: f64,
    /// The angle of the voltage, degrees.
    pub angle_deg: f64,
    /// The impedance behind it; `None` if the voltage is held at its node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub impedance: Option<SequenceImpedance>,
}

impl Default for SourceVoltage {
    fn default() -> Self {
        Self { voltage_pu: 1.0, angle_deg: 0.0, impedance: None }
    }
}

/// Customers and their load.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Consumption {
    /// The number of customers.
    pub customers: u64,
    /// The active power at nominal voltage, kW.
    pub kw: f64,
    /// The reactive power at nominal voltage, kvar.
    pub kvar: f64,
    /// The active and reactive power of each phase, kW and kvar, if the phases differ. The sums over the phases are `kw` and `kvar`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by_phase: Option<[[f64; 2]; 3]>,
    /// The share of the power that is proportional to the square of the voltage, 0 to 1.
    pub constant_impedance: f64,
    /// The share of the power that is proportional to the voltage, 0 to 1. The rest of the power does not depend on the voltage.
    pub constant_current: f64,
    /// Whether it is connected between phases, not between phases and neutral.
    pub is_delta: bool,
}

/// Power that a generator, a battery or an inverter feeds into the network.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Generation {
    /// Active power, kW; negative while a battery charges.
    pub kw: f64,
    /// Reactive power, kvar; ignored if the unit holds a voltage.
    pub kvar: f64,
    /// The voltage that it holds, per unit of the nominal voltage.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub voltage_pu: Option<f64>,
    /// The rated power, kVA.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rated_kva: Option<f64>,
    /// The energy that a battery stores, kWh.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stored_kwh: Option<f64>,
}
