//! A change of a status point: a row of the sequence of events.

use crate::position::{Encoding, Position};
use crate::{AssetId, ClientId, Micros, NodeId, Ordinal, PointId, Quality};

/// A stored event. Its natural key is (point, source, ordinal, index). Its offset is its number in the utility's
/// stream.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// The utility.
    pub client: ClientId,
    /// Number in the utility's stream of events, in commit order.
    pub offset: i64,
    /// The point that changed.
    pub point: PointId,
    /// Its asset.
    pub asset: AssetId,
    /// Name of the asset.
    pub asset_name: String,
    /// The substation.
    pub location: NodeId,
    /// The substation's name.
    pub location_name: String,
    /// Name of the signal, such as `Position`.
    pub signal: String,
    /// How the value is encoded.
    pub encoding: Encoding,
    /// The raw status; `None` if absent.
    pub value: Option<f64>,
    /// Its quality.
    pub quality: Quality,
    /// Source time: when it happened, by the device's clock.
    pub source: Micros,
    /// Receive time, by the clock of ingest.
    pub received: Micros,
    /// Order of its message among the messages of the gateway.
    pub ordinal: Ordinal,
}

impl Event {
    /// Returns the text of the new state; INVALID if there is no value.
    pub fn change_to(&self) -> &'static str {
        self.value.map_or(Position::Bad, |raw| Position::decode(self.encoding, raw)).text()
    }
}

/// Returns the name of a status point's signal in the event log, by its code.
pub fn signal_name(code: &str) -> String {
    match code {
        "Pos" => "Position".to_owned(),
        "Op" => "Operated".to_owned(),
        "Alm" => "Alarm".to_owned(),
        "Loc" => "Local control".to_owned(),
        "Test" => "Test mode".to_owned(),
        "Syn" => "Synchronism check".to_owned(),
        "BlkOpn" => "Opening blocked".to_owned(),
        "BlkCls" => "Closing blocked".to_owned(),
        other => other.to_owned(),
    }
}
