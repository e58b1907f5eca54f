//! A change of a status point: a row of the sequence of events.

use crate::position::{Encoding, Position};
use crate::{AssetId, ClientId, Micros, NodeId, Ordinal, PointId, Quality};

/// A stored event. Its natural key is (point, source, ordinal, index); its place in the utility's stream is `offset`.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// The utility.
    pub client: ClientId,
    /// Place in the utility's event stream, in commit order.
    pub offset: i64,
    /// The point that changed.
    pub point: PointId,
    /// Its asset.
    pub asset: AssetId,
    /// That asset's name.
    pub asset_name: String,
    /// The substation.
    pub location: NodeId,
    /// The substation's name.
    pub location_name: String,
    /// What the signal is called, such as `Position`.
    pub signal: String,
    /// How the value is encoded.
    pub encoding: Encoding,
    /// The raw status; absent is absent.
    pub value: Option<f64>,
    /// How far it may be believed.
    pub quality: Quality,
    /// When it happened, by the device's clock.
    pub source: Micros,
    /// When ingest received it.
    pub received: Micros,
    /// Its message's place in the gateway's own order.
    pub ordinal: Ordinal,
}

impl Event {
    /// The text of the new state; a missing value is INVALID, never a position.
    pub fn change_to(&self) -> &'static str {
        self.value.map_or(Position::Bad, |raw| Position::decode(self.encoding, raw)).text()
    }
}

/// What the signal of a status point is called in the event log, by its code.
pub fn signal_name(code: &str) -> String {
    match code {
        "Pos" => "Position".to_owned(),
        "Op" => "Operated".to_owned(),
        "Alm" => "Alarm".to_owned(),
        "Loc" => "Local control".to_owned(),
        other => other.to_owned(),
    }
}
