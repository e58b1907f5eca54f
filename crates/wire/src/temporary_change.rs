//! Temporary changes over REST: jumpers, cuts and portable earths that crews have placed in the field.

use serde::{Deserialize, Serialize};

use crate::network_present::NetworkEquipment;

/// A jumper, a cut or a portable earth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TemporaryChangeRow {
    /// Its number. Its equipment in the network is `temporary/` and this number.
    pub id: i64,
    /// `jumper`, `cut` or `portableEarth`.
    pub kind: String,
    /// The phases that it connects, separates or earths, such as `ABC`.
    pub phases: String,
    /// Where it is, for display.
    pub place: String,
    /// The equipment at its nodes that the caller may see. Of a cut, the line only. Empty if it has no effect or was removed.
    pub at: Vec<TemporaryPlace>,
    /// Id of the substation; null if it is at none, or outside of the caller's area.
    pub station_id: Option<i64>,
    /// Name of the substation.
    pub station: Option<String>,
    /// Reason that the user gave.
    pub reason: String,
    /// Whether the user stated that the place was proved dead on site.
    pub seen_dead: bool,
    /// Name of the user who placed it.
    pub by: String,
    /// Time from which it is there.
    pub placed: String,
    /// Whether states, interlocks and diagrams follow it. It does not count if it does not fit the active network, or was removed.
    pub counts: bool,
    /// Why it does not count although it is there; null if it counts or was removed.
    pub problem: Option<String>,
    /// Time from which it will not count, because a planned version of the network has no place for it; null if it fits all planned versions, or was removed.
    pub unfit_from: Option<String>,
    /// How it was removed; null while it is there.
    pub removal: Option<TemporaryRemoval>,
}

/// A terminal of equipment at a temporary change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TemporaryPlace {
    /// The equipment.
    pub equipment: NetworkEquipment,
    /// The number of its terminal, from 1.
    pub terminal: u8,
    /// The end of a jumper that is there, 1 or 2; 1 for other changes.
    pub end: u8,
    /// Id of the element in the diagram of the substation; null if the request names no substation, or the diagram does not have it.
    pub element: Option<String>,
}

/// The terminals of a piece of equipment, at which a temporary change can be placed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TemporaryTerminals {
    /// The equipment.
    pub equipment: NetworkEquipment,
    /// Its terminals, in order.
    pub terminals: Vec<TemporaryTerminal>,
}

/// A terminal of equipment and what is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TemporaryTerminal {
    /// Its number, from 1.
    pub terminal: u8,
    /// Its phases, such as `ABC`.
    pub phases: String,
    /// `energised`, `dead`, `earthed`, `conflict` or `unknown`. Positions that nothing reports and nobody has confirmed are unknown.
    pub state: String,
    /// Other equipment at the same node that the caller may see, at most 20.
    pub beside: Vec<TemporaryPlace>,
}

/// How a temporary change was removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TemporaryRemoval {
    /// Name of the user who removed it.
    pub by: String,
    /// Reason that the user gave.
    pub reason: String,
    /// Time of the removal.
    pub at: String,
}

/// A temporary change to place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewTemporaryChange {
    /// `jumper`, `cut` or `portableEarth`.
    pub kind: String,
    /// Where it is: two terminals for a jumper, else one. A cut needs a terminal of a line.
    pub at: Vec<TerminalOfEquipment>,
    /// The phases, such as `ABC`; all phases of the terminals if absent.
    #[serde(default)]
    pub phases: Option<String>,
    /// The reason: 1 to 200 characters.
    pub reason: String,
    /// Whether the crew has proved the place dead on site. It permits a change whose danger depends on what is not known.
    #[serde(default)]
    pub seen_dead: bool,
}

/// A terminal of equipment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TerminalOfEquipment {
    /// Id of the equipment in the network. Required unless `location` and `element` are given.
    #[serde(default)]
    pub equipment: Option<String>,
    /// Id of a substation, for an element of its diagram.
    #[serde(default)]
    pub location: Option<i64>,
    /// Id of the element.
    #[serde(default)]
    pub element: Option<String>,
    /// The number of the terminal, from 1.
    pub terminal: u8,
}

/// The removal of a temporary change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TemporaryChangeRemoval {
    /// The reason: 1 to 200 characters.
    pub reason: String,
    /// Whether the crew has proved the line dead on site, before it removes a cut.
    #[serde(default)]
    pub seen_dead: bool,
}
