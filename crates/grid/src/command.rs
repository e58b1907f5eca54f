//! Commands and tags as clients see them: rows of logs and streams. The rules of commands are in `control`.

use crate::control::tag::TagScope;
use crate::{AssetId, ClientId, MemberId, Micros, NodeId, PointId};

/// A command in one of its states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandRecord {
    /// The utility.
    pub client: ClientId,
    /// Offset of this state in the utility's stream of commands, in commit order.
    pub offset: i64,
    /// The command's UUID.
    pub id: String,
    /// The substation.
    pub location: NodeId,
    /// The operated asset.
    pub asset: AssetId,
    /// Name of the asset.
    pub asset_name: String,
    /// The position point.
    pub point: PointId,
    /// Mode: `select` or `direct`.
    pub mode: String,
    /// Identifier of the state.
    pub state: String,
    /// Position before the command, as a double-point value.
    pub from: i16,
    /// Commanded position, as a double-point value.
    pub to: i16,
    /// Name of the user that gave the command.
    pub operator: String,
    /// The user that gave the command.
    pub member: MemberId,
    /// The user's session.
    pub session: i64,
    /// Time of the request.
    pub requested: Micros,
    /// Time at which it entered this state.
    pub changed: Micros,
    /// End of the selection; `None` without a selection.
    pub select_until: Option<Micros>,
    /// Deadline of the feedback; `None` if no feedback is awaited.
    pub deadline: Option<Micros>,
    /// Number of the additional cause, if the command failed.
    pub add_cause: Option<i16>,
    /// A sentence for users; empty if there is nothing to report.
    pub message: String,
    /// Whether it is a simulation, in which no real device moves.
    pub simulated: bool,
}

/// A tag on a device, a bay or a substation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TagRecord {
    /// Its id.
    pub id: i64,
    /// What it covers.
    pub scope: TagScope,
    /// The tagged asset; for a bay the asset that represents it; `None` for a substation.
    pub asset: Option<AssetId>,
    /// Name of the asset, or of the substation.
    pub asset_name: String,
    /// The Sparkplug device of the asset, which is its bay; empty for a substation.
    pub bay: String,
    /// The substation.
    pub location: NodeId,
    /// `caution` or `inhibit`.
    pub kind: String,
    /// Name of the user that placed it.
    pub holder: String,
    /// The user that placed it.
    pub holder_id: MemberId,
    /// Reason.
    pub reason: String,
    /// When it was placed.
    pub placed: Micros,
    /// When it expires; `None` if it stays until it is removed.
    pub expires: Option<Micros>,
}

impl TagRecord {
    /// Returns whether the tag covers a device of the same substation.
    pub fn covers(&self, asset: AssetId, bay: &str) -> bool {
        match self.scope {
            TagScope::Device => self.asset == Some(asset),
            TagScope::Bay => self.bay == bay,
            TagScope::Station => true,
        }
    }
}
