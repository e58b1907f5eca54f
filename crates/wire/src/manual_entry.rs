//! Manual entries over REST: what users enter for equipment of the network that nothing reports.

use serde::{Deserialize, Serialize};

use crate::network_present::NetworkEquipment;

/// A current manual entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ManualEntryRow {
    /// Its number.
    pub id: i64,
    /// The equipment.
    pub equipment: NetworkEquipment,
    /// What was entered, by the code of points: `Pos`, the position of a switch, or whether a source is present.
    pub quantity: String,
    /// `open` or `closed`; of a source, generator or battery: gone or present.
    pub position: String,
    /// Reason that the user gave.
    pub reason: String,
    /// Name of the user.
    pub by: String,
    /// Time of the entry.
    pub entered: String,
    /// Whether it counts. It does not once a point has reported the position: telemetry counts from its first report on.
    pub counts: bool,
}

/// A manual entry to make.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewManualEntry {
    /// Id of the equipment in the network.
    pub equipment: String,
    /// What is entered, by the code of points; `Pos` if absent. Only positions can be entered.
    #[serde(default)]
    pub quantity: Option<String>,
    /// `open` or `closed`, as seen on site; of a source, generator or battery: gone or present.
    pub position: String,
    /// The reason, such as who has seen it: 1 to 200 characters.
    pub reason: String,
}

/// The withdrawal of a manual entry.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ManualEntryWithdrawal {
    /// The reason: 1 to 200 characters.
    pub reason: String,
}
