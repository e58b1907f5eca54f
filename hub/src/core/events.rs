//! Distributes each event to the subscribers of its areas.

use std::sync::Arc;

use grid::{AssetId, ClientId, NodeId, Scope};
use tokio::time::Instant;
use wire::rows::EventRow;

use super::state::Core;
use crate::diagram::SubstationSet;
use crate::log::{AppendResult, EventLog};
use crate::row::{Row, SharedRow};
use crate::stream::Stream;

impl Core {
    /// Applies events from the bus.
    pub(super) fn apply_events(&mut self, client: ClientId, epoch: &str, from: i64, offset: i64, rows: &[EventRow]) {
        if let Some(log) = self.logs.get_mut(&client) {
            let taken = log.append(epoch, from, offset, rows.iter().cloned().map(Arc::new).collect(), Instant::now());
            self.dispose(client, taken);
        }
    }

    /// Compares the event logs with the database.
    pub(super) fn catch_up(&mut self, streams: Vec<(ClientId, String, i64)>) {
        for (client, epoch, top) in streams {
            let taken = self.logs.entry(client).or_insert_with(|| EventLog::new(epoch.clone(), top)).compare(&epoch, top);
            self.dispose(client, taken);
        }
    }

    /// Adds events that were missed and have been read from the database.
    pub(super) fn recovered_events(&mut self, client: ClientId, epoch: &str, rows: Vec<SharedRow>) {
        if let Some(taken) = self.logs.get_mut(&client).map(|log| log.recovered(epoch, rows)) {
            self.dispose(client, taken);
        }
    }

    /// Sends new event rows, or reads missing ones, as the log of a utility requires.
    pub(super) fn dispose(&mut self, client: ClientId, taken: AppendResult) {
        let image = &self.image;
        let of_client = |scope: &Scope| image.place_of(*scope).is_some_and(|place| place.0 == client);
        match taken {
            AppendResult::Nothing => {}
            AppendResult::Rows(rows) => {
                self.changed_at(&rows);
                let scopes = |row: &SharedRow| image.scopes_of(NodeId(row.location_id), Some(AssetId(row.asset_id)));
                let streams = |row: &SharedRow| scopes(row).filter(of_client).map(Stream::Events).collect();
                self.rooms.publish(&rows, streams, |row| Row::Event(row.clone()));
            }
            AppendResult::Missing { epoch, top } => {
                metrics::counter!("hub_event_gaps_total").increment(1);
                self.reader.recover(client, epoch, top);
            }
            AppendResult::Broken { epoch, top } => {
                self.watch.flashes(SubstationSet::All);
                self.rooms.end_stream(&epoch, top, |stream| matches!(stream, Stream::Events(scope) if of_client(&scope)));
            }
        }
    }
}
