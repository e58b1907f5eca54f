//! The newest offsets of the streams of all utilities, read in one query. Services compare their own positions with these offsets every few seconds.

use std::collections::HashMap;

use grid::ClientId;

use crate::convert::sql;
use crate::{Result, Store};

/// A stream's utility, epoch and newest offset.
pub type StreamTop = (ClientId, String, i64);

/// The newest offsets of all streams. A utility without an entry has not created that stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StreamTops {
    /// Streams of events.
    pub events: Vec<StreamTop>,
    /// Streams of command states.
    pub commands: Vec<StreamTop>,
    /// Streams of alarm changes.
    pub alarms: Vec<StreamTop>,
    /// Streams of fault changes.
    pub faults: Vec<StreamTop>,
    /// Version of the tags of each utility.
    pub tags: HashMap<ClientId, i64>,
    /// Version of the areas of responsibility of each utility.
    pub areas: HashMap<ClientId, i64>,
}

impl Store {
    /// Returns the newest offsets of the streams of all utilities.
    pub async fn stream_tops(&self) -> Result<StreamTops> {
        let mut tops = StreamTops::default();
        for row in self.query(sql!("stream_tops/all"), &[]).await? {
            let (client, top) = (ClientId(row.try_get("client_id")?), row.try_get("top")?);
            let of_kind = match row.try_get("kind")? {
                "event" => &mut tops.events,
                "command" => &mut tops.commands,
                "alarm" => &mut tops.alarms,
                "fault" => &mut tops.faults,
                "area" => {
                    tops.areas.insert(client, top);
                    continue;
                }
                _ => {
                    tops.tags.insert(client, top);
                    continue;
                }
            };
            of_kind.push((client, row.try_get("epoch")?, top));
        }
        Ok(tops)
    }
}
