//! Answers clients that rejoin a stream of class `every`.

use std::sync::Arc;
use std::sync::atomic::AtomicI64;

use wire::live::{Class, Subscribed};

use crate::connection::ConnectionId;
use crate::outbox::Outbox;
use crate::room::{Missed, Room};
use crate::stream::Stream;
use crate::subscription::Joined;

/// Sends the missed rows to a client that rejoins.
pub(super) fn answer_missed(
    room: &mut Room,
    id: ConnectionId,
    outbox: &Outbox,
    ack: Option<u64>,
    position: Arc<AtomicI64>,
    stream: Stream,
    missed: Missed,
) -> Joined {
    let Missed { offset, rows, .. } = missed;
    let epoch = room.epoch().to_owned();
    outbox.answer(ack, &Subscribed { ok: true, class: Class::Every, epoch, offset, snapshot: None, missed: rows });
    room.release(id, &position, offset);
    Joined::Answered { stream, position }
}
