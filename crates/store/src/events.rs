//! The sequence of events: by source time for people, by offset for streams.

use grid::{ClientId, Event, Scope};

use crate::{Result, Store};

impl Store {
    /// Epoch and newest offset of a utility's event stream; 0 before the first event.
    pub async fn event_stream(&self, client: ClientId) -> Result<(String, i64)> {
        let _ = client;
        todo!()
    }

    /// Events newest first by source time, ties in the device's own order. `before` is the offset of the last event already seen, for paging.
    pub async fn events_newest(&self, client: ClientId, scope: Scope, before: Option<i64>, limit: i64) -> Result<Vec<Event>> {
        let _ = (client, scope, before, limit);
        todo!()
    }

    /// Events after an offset, in offset order; of the whole utility with `None`.
    pub async fn events_after(&self, client: ClientId, scope: Option<Scope>, after_offset: i64, limit: i64) -> Result<Vec<Event>> {
        let _ = (client, scope, after_offset, limit);
        todo!()
    }

    /// The newest offset within a scope; 0 when it has no events.
    pub async fn scope_top(&self, client: ClientId, scope: Scope) -> Result<i64> {
        let _ = (client, scope);
        todo!()
    }
}
