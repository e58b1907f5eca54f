//! The present network over REST: what a switch would change, what feeds equipment, and which switches are not in their normal position.

use serde::{Deserialize, Serialize};

/// A piece of equipment of the network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct NetworkEquipment {
    /// Its id in the network.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its class in IEC 61970-301, such as `Breaker`.
    pub kind: String,
    /// Id of its substation; null if it belongs to none.
    pub station_id: Option<i64>,
    /// Name of its substation; null if it belongs to none.
    pub station: Option<String>,
    /// Id of its asset; null if it has none.
    pub asset_id: Option<i64>,
    /// Id of the point that reports its position; null if no point does.
    pub point_id: Option<i64>,
}

/// A list of equipment. Equipment outside of the caller's area is counted and not named.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct NetworkEquipmentList {
    /// Number of all.
    pub count: usize,
    /// Those that the caller may see, the nearest first, at most 500.
    pub listed: Vec<NetworkEquipment>,
}

/// A part of the network.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct NetworkExtent {
    /// Number of nodes.
    pub nodes: usize,
    /// Number of customers.
    pub customers: u64,
    /// Connected load, kW.
    pub load_kw: f64,
}

/// What a switch would change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct NetworkConsequences {
    /// The switch.
    pub equipment: NetworkEquipment,
    /// `open` or `closed`: the position in question.
    pub to: String,
    /// What loses its supply.
    pub goes_dead: NetworkExtent,
    /// What gains supply.
    pub goes_live: NetworkExtent,
    /// What may have supply now, and would certainly have none: a position or a source is unknown.
    pub may_go_dead: NetworkExtent,
    /// What certainly has no supply now, and might have it.
    pub may_go_live: NetworkExtent,
    /// Two sources that would be joined, or may be.
    pub joins_sources: bool,
    /// Those of the two sources that the caller may see.
    pub sources: Vec<NetworkEquipment>,
    /// Number of nodes that would be energised and earthed at the same time.
    pub live_on_earth: usize,
    /// Number of further nodes of which this cannot be ruled out.
    pub may_be_live_on_earth: usize,
    /// Whether a loop would be closed.
    pub closes_loop: bool,
    /// Whether a loop would be closed if an unknown position is closed.
    pub may_close_loop: bool,
}

/// What feeds a piece of equipment, and what it feeds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct NetworkTrace {
    /// The equipment.
    pub equipment: NetworkEquipment,
    /// Its sides, in the order of its terminals; one if all are fed from the same source by the same path.
    pub sides: Vec<NetworkSide>,
    /// What it feeds.
    pub feeds: NetworkFeeds,
    /// Where it is drawn; null unless the request names a `location`.
    pub drawn: Option<NetworkTraceDrawn>,
}

/// Where a trace is on the diagrams of a substation and on the map.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct NetworkTraceDrawn {
    /// The mark of the wiring to which the elements and node numbers belong; null if the substation has no diagram in the network.
    pub wiring: Option<String>,
    /// The equipment with what is on its paths to its sources.
    pub path: NetworkDrawnPart,
    /// The equipment with what it feeds.
    pub feeds: NetworkDrawnPart,
}

/// A part of the network on the diagrams of a substation and of its feeders, and on the map.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct NetworkDrawnPart {
    /// Ids of elements of the substation's diagram.
    pub elements: Vec<String>,
    /// Numbers of nodes of the substation's diagram.
    pub numbers: Vec<usize>,
    /// Ids in the network of the equipment in the substation and its feeders, for diagrams of feeders.
    pub equipment: Vec<String>,
    /// Ids in the network of the nodes of the substation and its feeders.
    pub nodes: Vec<String>,
    /// Ids of the substations that the caller may see.
    pub location_ids: Vec<i64>,
    /// Ids of the assets of its lines that the caller may see: lines and feeders of the map.
    pub asset_ids: Vec<i64>,
}

/// One side of equipment, and what feeds it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct NetworkSide {
    /// `energised`, `dead`, `earthed`, `conflict` or `unknown`.
    pub state: String,
    /// Whether a known source feeds it, or a measured voltage says so.
    pub is_fed: bool,
    /// Whether only a measured voltage says that it is live: no source that feeds it is known.
    #[serde(default)]
    pub is_live_by_measurement: bool,
    /// How its measured voltages contradict its state. `measuredDead`: its voltages are zero and it is energised by the positions of switches or by other
    /// measurements. `measuredLive`: it has voltage although by the positions nothing can feed it. Null if they do not.
    #[serde(default)]
    pub contradiction: Option<String>,
    /// The source; null if none feeds it, or if it is outside of the caller's area.
    pub source: Option<NetworkEquipment>,
    /// The first breaker on the path to the source, the equipment itself included; null if there is none, or outside of the caller's area.
    pub feeder: Option<NetworkEquipment>,
    /// The equipment on the path to the source.
    pub path: NetworkEquipmentList,
    /// Number of switches on the path, the equipment itself included, whose position is only assumed.
    #[serde(default)]
    pub assumed: usize,
    /// Number of switches on the path, the equipment itself included, whose position a user has entered.
    #[serde(default)]
    pub entered: usize,
}

/// What a piece of equipment feeds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct NetworkFeeds {
    /// Nodes, customers and load behind the equipment.
    pub extent: NetworkExtent,
    /// Number of distribution transformers: those with an end of at most 1 kV.
    pub transformers: usize,
    /// The equipment behind it.
    pub equipment: NetworkEquipmentList,
    /// Its load at present, as far as it is measured.
    pub load: NetworkLoad,
}

/// A load at present. Where no power is measured, the connected load takes its place.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct NetworkLoad {
    /// The sum of the measured powers, kW.
    pub measured_kw: f64,
    /// Number of the measurements in the sum.
    pub measurements: usize,
    /// The connected load of what is behind no measurement, kW.
    pub unmeasured_kw: f64,
}

/// The switches that are not in their normal position.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct NetworkAbnormal {
    /// Number of switches in the caller's area that are not in their normal position.
    pub abnormal: usize,
    /// Number of switches in the caller's area whose position is not known.
    pub unknown: usize,
    /// Number of switches of the utility that no point reports. They count as being in their normal position.
    pub assumed: usize,
    /// Number of switches and earth switches of the utility.
    pub switches: usize,
    /// Those that are not in their normal position, then those whose position is not known; at most 500.
    pub listed: Vec<NetworkAbnormalSwitch>,
}

/// A switch that is not in its normal position, or whose position is not known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct NetworkAbnormalSwitch {
    /// The switch.
    pub equipment: NetworkEquipment,
    /// Id of the feeder in the network whose diagram shows it; null if it is in a substation.
    pub feeder_id: Option<String>,
    /// Name of its feeder, or of the feeder that begins at it; null if it belongs to none.
    pub feeder: Option<String>,
    /// `open` or `closed`: its normal position.
    pub normal: String,
    /// `open`, `closed` or `unknown`: its present position.
    pub present: String,
    /// When it reached this position by the clock of the device, ISO 8601 UTC; null if no event of the last seven days and none before says so.
    pub since: Option<String>,
    /// The position that was reported last, `open` or `closed`; null if none was.
    pub last_known: Option<String>,
    /// The time of its last report by the clock of the device, ISO 8601 UTC; null if it has never reported.
    pub reported: Option<String>,
    /// Number of customers that it feeds in its normal position only, or only now; null if its position is not known.
    pub customers: Option<u64>,
}
