//! Requests new snapshots of the `latest` streams whose deltas were left out for a slow client.

use std::sync::Arc;

use tokio::sync::mpsc;

use crate::connection::Session;
use crate::inbox::Command;
use crate::outbox::Outbox;
use crate::state::{Hub, Serving};

/// Requests new snapshots of these streams, once the outbox of the client has room.
pub(crate) async fn refresh(hub: &Hub, session: &Session) {
    if let Serving::Live(live) = &hub.serving {
        request_behind(&live.core, &session.outbox).await;
    }
}

async fn request_behind(core: &mpsc::Sender<Command>, outbox: &Arc<Outbox>) {
    if !outbox.is_behind() {
        return;
    }
    // Reserve room first: a polling request can be cancelled while it waits. Streams that were already taken would then
    // never be requested, and the client would get no more deltas of them.
    let Ok(room) = core.reserve().await else { return };
    let streams = outbox.take_behind();
    if !streams.is_empty() {
        room.send(Command::Behind { outbox: outbox.clone(), streams });
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures_util::FutureExt;
    use grid::NodeId;
    use tokio_tungstenite::tungstenite::Utf8Bytes;

    use super::*;
    use crate::stream::Stream;

    /// A polling client may close its request at any time, which cancels the handler.
    #[tokio::test]
    async fn request_given_up_halfway_is_made_again() {
        let (core, mut inbox) = mpsc::channel(1);
        let (outbox, stream) = (Arc::new(Outbox::new(2_000, Duration::from_hours(1))), Stream::Diagram(NodeId(1)));
        outbox.push_every(Utf8Bytes::from("x".repeat(1_500)));
        assert!(!outbox.push_latest(stream, Utf8Bytes::from("x".repeat(1_500))), "the client is left behind");
        outbox.take(usize::MAX);
        core.try_send(Command::Leave { id: 1, stream }).expect("room for one");
        assert!(request_behind(&core, &outbox).now_or_never().is_none(), "the core is busy");
        assert!(matches!(inbox.recv().await, Some(Command::Leave { .. })));
        request_behind(&core, &outbox).await;
        let Ok(Command::Behind { streams, .. }) = inbox.try_recv() else { panic!("the stream stays frozen") };
        assert_eq!(streams, [stream]);
    }
}
