//! How far the streams of all utilities go, in one query, for services that compare what they have with it every few seconds.

use std::collections::HashMap;

use grid::ClientId;

use crate::convert::sql;
use crate::{Result, Store};

/// A stream's utility, epoch and newest offset.
pub type StreamTop = (ClientId, String, i64);

/// How far each stream goes. A utility that is absent has not begun that stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StreamTops {
    /// Of events.
    pub events: Vec<StreamTop>,
    /// Of states of commands.
    pub commands: Vec<StreamTop>,
    /// Of changes of alarms.
    pub alarms: Vec<StreamTop>,
    /// Of changes of faults.
    pub faults: Vec<StreamTop>,
    /// The newest change of the tags of each utility.
    pub tags: HashMap<ClientId, i64>,
}

impl Store {
    /// Returns how far the streams of all utilities go.
    pub async fn stream_tops(&self) -> Result<StreamTops> {
        let mut tops = StreamTops::default();
        for row in self.query(sql!("stream_tops/all"), &[]).await? {
            let (client, top) = (ClientId(row.try_get("client_id")?), row.try_get("top")?);
            let of_kind = match row.try_get("kind")? {
                "event" => &mut tops.events,
                "command" => &mut tops.commands,
                "alarm" => &mut tops.alarms,
                "fault" => &mut tops.faults,
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
