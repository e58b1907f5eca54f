//! Measured voltages, at sources and at other nodes.

use grid::PointId;

use crate::{NodeId, Phases};

/// A measured voltage of a source.
#[derive(Debug, Clone, PartialEq)]
pub struct Voltage {
    /// Its point.
    pub point: PointId,
    /// The code of the point, such as `Vry` or `Vr`.
    pub code: String,
    /// The nominal voltage between phases, kV.
    pub nominal_kv: f64,
}

/// A measured voltage of a node.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeVoltage {
    /// The node.
    pub node: NodeId,
    /// The phases that are live if the voltage is high enough for a live line.
    pub phases: Phases,
    /// Its point.
    pub voltage: Voltage,
}
