//! Commands and tags as they are told to people: rows of logs and streams. What may happen to a command is decided elsewhere.

use crate::{AssetId, ClientId, MemberId, Micros, NodeId, PointId};

/// A command in one of its states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandRecord {
    /// The utility.
    pub client: ClientId,
    /// Place of this state in the utility's stream of commands, in commit order.
    pub offset: i64,
    /// The command's UUID.
    pub id: String,
    /// The substation.
    pub location: NodeId,
    /// What is operated.
    pub asset: AssetId,
    /// Its name.
    pub asset_name: String,
    /// Its position.
    pub point: PointId,
    /// `select` or `direct`.
    pub mode: String,
    /// The word of the state.
    pub state: String,
    /// The position it was ordered from, as a double point.
    pub from: i16,
    /// The position ordered, as a double point.
    pub to: i16,
    /// Who ordered it, by name.
    pub operator: String,
    /// Who ordered it.
    pub member: MemberId,
    /// In which session.
    pub session: i64,
    /// When it was ordered.
    pub requested: Micros,
    /// When it came to this state.
    pub changed: Micros,
    /// Until when the selection holds, while there is one.
    pub select_until: Option<Micros>,
    /// Until when the new position is waited for, while it is.
    pub deadline: Option<Micros>,
    /// The number of the cause, if it came to nothing.
    pub add_cause: Option<i16>,
    /// A sentence for people; empty when there is nothing to say.
    pub message: String,
    /// No real device moves.
    pub simulated: bool,
}

/// A tag on a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TagRecord {
    /// Its id.
    pub id: i64,
    /// What it hangs on.
    pub asset: AssetId,
    /// That asset's name.
    pub asset_name: String,
    /// The substation.
    pub location: NodeId,
    /// `caution` or `inhibit`.
    pub kind: String,
    /// Who hung it there, by name.
    pub holder: String,
    /// Who hung it there.
    pub holder_id: MemberId,
    /// Why.
    pub reason: String,
    /// Since when.
    pub placed: Micros,
    /// Until when, if it ends by itself.
    pub expires: Option<Micros>,
}
