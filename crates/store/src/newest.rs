//! The newest rows of each station in the streams of class `every`.

use grid::{ClientId, NodeId};

use crate::convert::sql;
use crate::{Result, Store};

/// A stream of a utility.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowStream {
    /// Events.
    Events,
    /// States of commands.
    Commands,
    /// Changes of alarms.
    Alarms,
    /// Changes of faults.
    Faults,
}

/// The state of a stream up to an offset.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Newest {
    /// The newest offset of each station; stations without a row are left out.
    pub of_stations: Vec<(NodeId, i64)>,
    /// The oldest offset that is stored; 0 for a stream from which nothing is deleted. `None` if the stream has no row
    /// up to the offset.
    pub oldest: Option<i64>,
}

impl Store {
    /// Returns the newest offset of each station of a utility up to `up_to`.
    pub async fn newest_of_stations(&self, client: ClientId, stream: RowStream, up_to: i64) -> Result<Newest> {
        let statement = match stream {
            RowStream::Events => sql!("newest/events"),
            RowStream::Commands => sql!("newest/commands"),
            RowStream::Alarms => sql!("newest/alarms"),
            RowStream::Faults => sql!("newest/faults"),
        };
        let mut newest = Newest::default();
        for row in self.of(client).query(statement, &[&client.0, &up_to]).await? {
            newest.of_stations.push((NodeId(row.try_get("location_id")?), row.try_get("offset")?));
            newest.oldest = Some(row.try_get("oldest")?);
        }
        Ok(newest)
    }
}
