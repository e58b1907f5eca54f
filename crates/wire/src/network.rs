//! The network model over REST: versions, changes and findings.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The network that is active now, for every user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct NetworkSummary {
    /// The active version; null if no version is active.
    pub active: Option<ActiveNetwork>,
    /// The number of the newest version; null if there is none.
    pub newest_version: Option<i32>,
}

/// The active version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ActiveNetwork {
    /// Its number.
    pub version: i32,
    /// The time from which it is active, ISO 8601 UTC.
    pub since: String,
    /// Numbers of its parts.
    pub parts: NetworkPartCounts,
}

/// Numbers of parts of a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct NetworkPartCounts {
    /// Number of containers.
    pub containers: i32,
    /// Number of nodes.
    pub nodes: i32,
    /// Number of pieces of equipment.
    pub equipment: i32,
    /// Number of measurements.
    pub measurements: i32,
}

/// A feeder of the active network, with what it supplies in the normal state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct NetworkFeeder {
    /// Its id in the network.
    pub id: String,
    /// Its name; may be empty.
    pub name: String,
    /// The id of the breaker at its head, in the network.
    pub head: String,
    /// The name of its substation.
    pub station: String,
    /// Id of its substation.
    pub location_id: i64,
    /// Ids of the assets whose points measure at the breaker: the breaker and the feeder.
    pub asset_ids: Vec<i64>,
    /// The number of customers. Those of feeders further down count there.
    pub customers: u64,
    /// The connected load, kW.
    pub load_kw: f64,
    /// The number of transformers.
    pub transformers: usize,
}

/// A version of the network, without its parts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct NetworkVersion {
    /// Its number, from 1.
    pub version: i32,
    /// What was changed; may be empty.
    pub note: String,
    /// Id of the user who made it; null if it was made at the console.
    pub member_id: Option<i64>,
    /// When it was made, ISO 8601 UTC.
    pub created: String,
    /// Numbers of its parts.
    pub parts: NetworkPartCounts,
    /// When it was or will be active, oldest first.
    pub activations: Vec<NetworkActivation>,
}

/// A time in which a version was or will be active.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct NetworkActivation {
    /// Its start, ISO 8601 UTC.
    pub since: String,
    /// Its end, ISO 8601 UTC; null if no further activation is known.
    pub until: Option<String>,
    /// Id of the user who activated it; null at the console.
    pub member_id: Option<i64>,
}

/// A change of the network: either `whole` or `parts`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NetworkChange {
    /// The version that the change is based on; 0 for the first. It is refused if another version is the newest.
    pub based_on: i32,
    /// What is changed, up to 1000 characters.
    #[serde(default)]
    pub note: String,
    /// The whole new network: `containers`, `nodes`, `equipment` and `measurements`. Parts that it does not have are removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whole: Option<Value>,
    /// `put`, a network of parts to add or replace, and `remove`, with the ids of parts to remove.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parts: Option<Value>,
}

/// The result of a change, or of its dry run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct NetworkChanged {
    /// The number of the new version; null for a dry run, and if nothing differs.
    pub version: Option<i32>,
    /// The version that the change is based on; 0 for the first.
    pub based_on: i32,
    /// Changes of containers.
    pub containers: NetworkDifference,
    /// Changes of nodes.
    pub nodes: NetworkDifference,
    /// Changes of equipment.
    pub equipment: NetworkDifference,
    /// Changes of measurements.
    pub measurements: NetworkDifference,
    /// Findings about the network after the change.
    pub findings: NetworkFindings,
}

/// Parts of a kind that differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct NetworkDifference {
    /// New parts.
    pub added: NetworkPartIds,
    /// Changed parts.
    pub changed: NetworkPartIds,
    /// Removed parts.
    pub removed: NetworkPartIds,
}

/// Ids of parts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct NetworkPartIds {
    /// Number of all.
    pub count: usize,
    /// The first 100 ids.
    pub ids: Vec<String>,
}

/// Findings about a network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct NetworkFindings {
    /// Number of all errors. A network with errors cannot be activated.
    pub errors: usize,
    /// Number of all warnings.
    pub warnings: usize,
    /// The first 50 findings of each rule, errors first.
    pub listed: Vec<NetworkFinding>,
    /// Number of findings that are not listed.
    pub unlisted: usize,
}

/// A finding about a network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct NetworkFinding {
    /// `error` or `warning`.
    pub severity: String,
    /// Name of the rule, such as `missing-node`.
    pub rule: String,
    /// `container`, `node`, `equipment` or `measurement`.
    pub part: String,
    /// Id of the part.
    pub id: String,
    /// What is wrong.
    pub problem: String,
    /// What to do about it.
    pub remedy: String,
}

/// A time from which a version is to be active.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NetworkActivate {
    /// The time, ISO 8601 UTC; null for now.
    #[serde(default)]
    pub since: Option<String>,
    /// Why the version is activated although temporary changes do not fit it: 1 to 200 characters. Without it, the activation is then refused.
    #[serde(default)]
    pub unfit_reason: Option<String>,
}

/// A page of the parts of a version.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct NetworkParts {
    /// The parts in the order of their ids, in the form of the model (reference/network.md).
    pub parts: Vec<Value>,
    /// The id after which the next page begins; null on the last page.
    pub next: Option<String>,
}
