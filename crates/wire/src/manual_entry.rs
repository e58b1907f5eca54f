//! Manual entries over REST: positions and measurements that users enter.

use serde::{Deserialize, Serialize};

use crate::network_present::NetworkEquipment;

/// A current manual entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ManualEntryRow {
    /// Its number.
    pub id: i64,
    /// The equipment; null for the value of a point.
    pub equipment: Option<NetworkEquipment>,
    /// Name of the equipment, or of the asset of the point.
    pub name: String,
    /// Id of the substation; null if it belongs to none.
    pub station_id: Option<i64>,
    /// Name of the substation; null if it belongs to none.
    pub station: Option<String>,
    /// Id of the asset; null if it has none.
    pub asset_id: Option<i64>,
    /// Id of the point that shows the entry; null if none does.
    pub point_id: Option<i64>,
    /// What was entered, by the code of points: `Pos` for the position of a switch, or for whether a source is present, `Vry` for a voltage.
    pub quantity: String,
    /// `open` or `closed`; of a source, generator or battery: gone or present. Null for a measurement.
    pub position: Option<String>,
    /// The value of a measurement; null for a position.
    pub value: Option<f64>,
    /// Its unit; empty for a position.
    pub unit: String,
    /// The phases of a position, such as `B`; empty for all phases.
    pub phases: String,
    /// Reason that the user gave.
    pub reason: String,
    /// Name of the user.
    pub by: String,
    /// Time of the observation, as the user stated it.
    pub observed: String,
    /// Time of the entry.
    pub entered: String,
    /// `untilReported`: a newer report counts instead. `untilWithdrawn`: it counts until a user withdraws it.
    pub rule: String,
    /// Whether it counts. It does not once a newer report has been received, unless it counts until it is withdrawn.
    pub counts: bool,
    /// Why an entry for equipment does not count whatever is reported: the active version of the network has no such equipment, or an earlier one had none. Null
    /// if it has.
    pub problem: Option<String>,
    /// The position that telemetry reports now, `open` or `closed`; null for a measurement, or if it reports none.
    pub reported_position: Option<String>,
    /// The value that telemetry reports now; null for a position, or if it reports none.
    pub reported_value: Option<f64>,
}

/// A manual entry to make: a position or a measurement, for equipment or for a point.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewManualEntry {
    /// Id of the equipment in the network; absent if `pointId` is given.
    #[serde(default)]
    pub equipment: Option<String>,
    /// Id of a point; absent if `equipment` is given.
    #[serde(default)]
    pub point_id: Option<i64>,
    /// What is entered for equipment, by the code of points; `Pos` if absent.
    #[serde(default)]
    pub quantity: Option<String>,
    /// For a position: `open` or `closed`, as seen on site; of a source, generator or battery: gone or present.
    #[serde(default)]
    pub position: Option<String>,
    /// For a measurement: the value in the unit of the quantity.
    #[serde(default)]
    pub value: Option<f64>,
    /// For a measurement: its unit, as a check. Another unit is refused.
    #[serde(default)]
    pub unit: Option<String>,
    /// For a position: the phases, such as `B`; all if absent. Only fuses have positions of single phases.
    #[serde(default)]
    pub phases: Option<String>,
    /// Time of the observation, ISO 8601; now if absent. Not in the future, at most 7 days ago.
    #[serde(default)]
    pub observed: Option<String>,
    /// `untilReported` or `untilWithdrawn`; `untilReported` if absent.
    #[serde(default)]
    pub rule: Option<String>,
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

/// What can be entered for a piece of equipment or an asset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ManualEntryOptions {
    /// The equipment; null for an asset that is no equipment of the active network.
    pub equipment: Option<NetworkEquipment>,
    /// Its position, or whether a source is present; null for what is no switch or earth switch, and for a source whose voltage is measured.
    pub position: Option<EnterablePosition>,
    /// The measurements.
    pub measurements: Vec<EnterableMeasurement>,
}

/// What can be entered of a position. Of a source, generator or battery, `closed` is present and `open` is gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct EnterablePosition {
    /// Id of the point to enter the position for; null if it is entered for the equipment.
    pub point_id: Option<i64>,
    /// The phases that can be entered singly; empty if all phases move together.
    pub phases: Vec<String>,
    /// The position that telemetry reports now: then only an entry until it is withdrawn is possible. Null if telemetry reports none.
    pub reported: Option<String>,
}

/// A measurement that can be entered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct EnterableMeasurement {
    /// Code of the quantity, such as `Vry`.
    pub quantity: String,
    /// The unit of the value.
    pub unit: String,
    /// The least plausible value.
    pub least: f64,
    /// The greatest plausible value.
    pub greatest: f64,
    /// Id of the point that measures it; null if none does.
    pub point_id: Option<i64>,
}
