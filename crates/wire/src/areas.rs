//! Areas of responsibility over REST and the live socket: desks, areas, and how an area passes from one desk to another. Times are epoch milliseconds.

use serde::{Deserialize, Serialize};

/// The areas and desks of a utility, as the caller's session sees them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AreasRow {
    /// Raised with each change; the stream `areas/client/{id}` has the newest one.
    pub version: i64,
    /// The desk at which the session sits.
    pub desk_id: i64,
    /// Whether the caller may choose a desk and hand over areas: permission to operate.
    pub operates: bool,
    /// Whether the caller may move areas without consent.
    pub supervises: bool,
    /// The desks, by name.
    pub desks: Vec<DeskRow>,
    /// The areas, by name. The last one has everything that is in no other area.
    pub areas: Vec<AreaRow>,
}

/// A desk of the control room.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct DeskRow {
    /// Its id.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// Whether sessions that have chosen no desk sit at it.
    pub is_default: bool,
    /// Whether the caller needs consent to sit down there: it holds an area, and another user sits there. A supervisor with a reason needs none.
    pub needs_consent: bool,
    /// Requests to sit down there that wait for an answer, oldest first.
    pub requests: Vec<SeatRequestRow>,
}

/// A request to sit down at a desk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SeatRequestRow {
    /// Its number.
    pub id: i64,
    /// Reason that the user gave.
    pub reason: String,
    /// Name of the user who made it.
    pub by: String,
    /// Whether the caller made it, so that another user must answer it.
    pub is_own: bool,
    /// Time at which it was made.
    pub made: i64,
    /// Time from which it can no longer be answered.
    pub expires: i64,
}

/// An area of responsibility.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AreaRow {
    /// Its id.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// Whether everything belongs to it that is in no other area.
    pub is_rest: bool,
    /// The desk that holds it; null if no desk does.
    pub desk_id: Option<i64>,
    /// Since when the desk holds it; null if no desk does.
    pub since: Option<i64>,
    /// Name of the user whose act gave it to the desk; null if no desk holds it.
    pub held_by: Option<String>,
    /// How the desk got it: `initial`, `taken`, `consent` or `moved`; null if no desk holds it.
    pub how: Option<String>,
    /// Its parts that the caller may see. Empty for the rest.
    pub parts: Vec<AreaPartRow>,
    /// Ids of the substations in it that the caller may see. Empty for the rest: it has every substation that no other area has.
    pub substations: Vec<i64>,
    /// Ids of assets in it whose substation is in another area, because a container of the network such as their feeder is a part of this one.
    pub assets: Vec<i64>,
    /// Requests and offers that wait for an answer, oldest first.
    pub requests: Vec<AreaRequestRow>,
}

/// A part of an area: a node of the hierarchy with everything below it, or a container of the network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AreaPartRow {
    /// Id of the node; null for a container.
    pub node_id: Option<i64>,
    /// Id of the container; null for a node.
    pub container: Option<String>,
    /// Name for display.
    pub name: String,
}

/// A request for an area, or an offer of one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AreaRequestRow {
    /// Its number.
    pub id: i64,
    /// `request`: made by `toDeskId`. `offer`: made by `fromDeskId`.
    pub kind: String,
    /// The desk that holds the area.
    pub from_desk_id: i64,
    /// The desk that would get it.
    pub to_desk_id: i64,
    /// Reason that the user gave.
    pub reason: String,
    /// Name of the user who made it.
    pub by: String,
    /// Time at which it was made.
    pub made: i64,
    /// Time from which it can no longer be answered.
    pub expires: i64,
}

/// The choice of a desk.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DeskChoice {
    /// The desk.
    pub desk_id: i64,
    /// The reason, at most 200 characters. A supervisor must give one to sit down at a desk that needs consent.
    #[serde(default)]
    pub reason: Option<String>,
}

/// A request to sit down at a desk that needs consent.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewSeatRequest {
    /// The desk.
    pub desk_id: i64,
    /// The reason: 1 to 200 characters.
    pub reason: String,
}

/// A request for an area.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewAreaRequest {
    /// The reason: 1 to 200 characters.
    pub reason: String,
}

/// An offer of an area to a desk, or its move by a supervisor.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AreaTransfer {
    /// The desk.
    pub desk_id: i64,
    /// The reason: 1 to 200 characters.
    pub reason: String,
}

/// An answer to a request or an offer.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AreaAnswer {
    /// The request or offer.
    pub request_id: i64,
}

/// All areas and desks of a utility. What is missing is deleted. The area for the rest is not part of it, because it always exists.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AreaPlan {
    /// The desks: 1 to 50. The default desk must be among them.
    pub desks: Vec<PlannedDesk>,
    /// The areas: at most 200.
    pub areas: Vec<PlannedArea>,
}

/// A desk to store.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PlannedDesk {
    /// Its id; absent for a new desk.
    #[serde(default)]
    pub id: Option<i64>,
    /// Its name: 1 to 60 characters.
    pub name: String,
}

/// An area to store.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PlannedArea {
    /// Its id; absent for a new area, which no desk holds at first.
    #[serde(default)]
    pub id: Option<i64>,
    /// Its name: 1 to 60 characters.
    pub name: String,
    /// Its parts: 1 to 500. A part belongs to one area.
    pub parts: Vec<PlannedPart>,
}

/// A part to store: exactly one of `nodeId` and `container`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PlannedPart {
    /// A node of the hierarchy.
    #[serde(default)]
    pub node_id: Option<i64>,
    /// A feeder, line, bay or voltage level of the network, by its id.
    #[serde(default)]
    pub container: Option<String>,
}

/// The only row of the stream `areas/client/{id}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AreaVersionRow {
    /// Id of the utility.
    pub client_id: i64,
    /// Version of its areas. A client reads `GET /api/areas` again if it has an older one.
    pub version: i64,
}
