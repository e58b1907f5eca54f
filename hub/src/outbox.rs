//! What waits to be sent to one client. Bounded by bytes and age; at the bound, values are thinned and events end the connection.

use std::collections::{HashSet, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::body::Bytes;
use axum::extract::ws::Utf8Bytes;
use serde::Serialize;
use serde_json::value::to_raw_value;
use tokio::sync::Notify;

use crate::room::NAMESPACE;
use crate::socketio::packet;
use crate::stream::Stream;

/// Why a connection is ended by the server; the words go to the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cut {
    /// It does not read fast enough.
    Slow,
    /// Its session has ended or its token is not good.
    Unauthorised,
    /// The server goes down.
    Shutdown,
    /// It sends too much.
    Rate,
    /// It sent something that is no packet.
    Protocol,
    /// Its token cannot be checked now.
    Unavailable,
    /// Continuity of an event stream is lost; coming back restores it.
    Broken,
    /// It left or was not heard any more.
    Gone,
}

/// What travels in one message of a socket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Frame {
    /// A packet.
    Text(Utf8Bytes),
    /// An attachment; nothing of ours has any.
    Binary(Bytes),
}

impl Frame {
    fn len(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Binary(bytes) => bytes.len(),
        }
    }
}

impl From<Utf8Bytes> for Frame {
    fn from(text: Utf8Bytes) -> Self {
        Self::Text(text)
    }
}

/// A frame that waits.
#[derive(Debug)]
struct Waiting {
    since: Instant,
    frame: Frame,
    is_answer: bool,
}

/// What a client has missed may be larger than what may wait for it. Answers of more than this many limits together are not waited for.
const ANSWERS: usize = 8;

impl Cut {
    /// The code of the `ended` message.
    pub(crate) fn code(self) -> &'static str {
        match self {
            Self::Slow => "slow",
            Self::Unauthorised => "unauthorised",
            Self::Shutdown => "shutdown",
            Self::Rate => "rate",
            Self::Protocol => "protocol",
            Self::Unavailable => "unavailable",
            Self::Broken => "broken",
            Self::Gone => "gone",
        }
    }

    /// Whether connecting again makes sense.
    pub(crate) fn retry(self) -> bool {
        matches!(self, Self::Slow | Self::Shutdown | Self::Unavailable | Self::Broken | Self::Gone)
    }
}

/// The queue of one client.
#[derive(Debug)]
pub(crate) struct Outbox {
    limit_bytes: usize,
    limit_age: Duration,
    inner: Mutex<Inner>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct Inner {
    frames: VecDeque<Waiting>,
    bytes: usize,
    /// Of answers, which the client has asked for and which are counted apart.
    answers: usize,
    /// `latest` streams of which something was left out; they get one fresh snapshot when there is room again.
    behind: HashSet<Stream>,
    cut: Option<Cut>,
}

impl Outbox {
    pub(crate) fn new(limit_bytes: usize, limit_age: Duration) -> Self {
        Self { limit_bytes, limit_age, inner: Mutex::default(), changed: Notify::new() }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues a frame that must arrive. At the bound the connection is cut as slow.
    pub(crate) fn push_every(&self, frame: Utf8Bytes) {
        let mut inner = self.lock();
        let full = inner.bytes + frame.len() > self.limit_bytes;
        if full || inner.is_older_than(self.limit_age) {
            inner.cut.get_or_insert(Cut::Slow);
        } else {
            push(&mut inner, frame.into());
        }
        drop(inner);
        self.changed.notify_one();
    }

    /// Queues the acknowledgement that the client waits for, if it does.
    pub(crate) fn answer(&self, ack: Option<u64>, answer: &impl Serialize) {
        let (Some(id), Ok(answer)) = (ack, to_raw_value(answer)) else { return };
        let frame = Utf8Bytes::from(packet::ack(NAMESPACE, id, &answer));
        let mut inner = self.lock();
        if inner.answers > ANSWERS * self.limit_bytes {
            inner.cut.get_or_insert(Cut::Slow);
        } else {
            inner.answers += frame.len();
            inner.frames.push_back(Waiting { since: Instant::now(), frame: frame.into(), is_answer: true });
        }
        drop(inner);
        self.changed.notify_one();
    }

    /// Queues a frame of a `latest` stream unless the client is behind on it; answers whether it was queued. Half of the bytes are kept for
    /// frames that must arrive.
    pub(crate) fn push_latest(&self, stream: Stream, frame: Utf8Bytes) -> bool {
        let mut inner = self.lock();
        let fits = inner.bytes + frame.len() <= self.limit_bytes / 2;
        let taken = fits && !inner.behind.contains(&stream);
        if taken {
            push(&mut inner, frame.into());
        } else {
            inner.behind.insert(stream);
            // A client that does not read at all is no client.
            if inner.is_older_than(self.limit_age) {
                inner.cut.get_or_insert(Cut::Slow);
            }
        }
        drop(inner);
        self.changed.notify_one();
        taken
    }

    /// Queues a frame whatever waits: protocol packets, which are few.
    pub(crate) fn push_control(&self, frame: impl Into<Frame>) {
        push(&mut self.lock(), frame.into());
        self.changed.notify_one();
    }

    /// Takes the `latest` streams that need a fresh snapshot, if there is room for one.
    pub(crate) fn take_behind(&self) -> Vec<Stream> {
        let mut inner = self.lock();
        if inner.behind.is_empty() || inner.bytes > self.limit_bytes / 8 { Vec::new() } else { inner.behind.drain().collect() }
    }

    /// Forgets that a stream is behind, because the client left it or starts afresh.
    pub(crate) fn forget(&self, stream: Stream) {
        self.lock().behind.remove(&stream);
    }

    /// Takes up to about `bytes` of waiting frames.
    pub(crate) fn take(&self, bytes: usize) -> Vec<Frame> {
        let mut inner = self.lock();
        let mut taken = Vec::new();
        let mut size = 0;
        while inner.frames.front().is_some_and(|waiting| taken.is_empty() || size + waiting.frame.len() <= bytes) {
            let Some(waiting) = inner.frames.pop_front() else { break };
            size += waiting.frame.len();
            let counted = if waiting.is_answer { &mut inner.answers } else { &mut inner.bytes };
            *counted -= waiting.frame.len();
            taken.push(waiting.frame);
        }
        taken
    }

    /// Ends the connection; the first reason stays.
    pub(crate) fn cut(&self, why: Cut) {
        self.lock().cut.get_or_insert(why);
        self.changed.notify_one();
    }

    /// Whether the connection is to end.
    pub(crate) fn is_cut(&self) -> Option<Cut> {
        self.lock().cut
    }

    /// Waits until something was queued or the connection was cut. One waiter at a time.
    pub(crate) async fn changed(&self) {
        self.changed.notified().await;
    }

    /// Wakes the waiter, as after a change of transport.
    pub(crate) fn wake(&self) {
        self.changed.notify_one();
    }
}

fn push(inner: &mut Inner, frame: Frame) {
    inner.bytes += frame.len();
    inner.frames.push_back(Waiting { since: Instant::now(), frame, is_answer: false });
}

impl Inner {
    fn is_older_than(&self, limit: Duration) -> bool {
        self.frames.front().is_some_and(|waiting| waiting.since.elapsed() > limit)
    }
}

#[cfg(test)]
mod tests {
    use grid::NodeId;

    use super::*;

    const STREAM: Stream = Stream::Diagram(NodeId(1));

    fn frame(bytes: usize) -> Utf8Bytes {
        "x".repeat(bytes).into()
    }

    #[test]
    fn values_are_thinned_to_a_fresh_snapshot_and_never_cut_a_reader() {
        let outbox = Outbox::new(1_000, Duration::from_secs(9));
        assert!(outbox.push_latest(STREAM, frame(400)));
        assert!(!outbox.push_latest(STREAM, frame(200)), "beyond half of the bytes");
        assert!(!outbox.push_latest(STREAM, frame(1)), "once behind, nothing but a snapshot makes sense");
        assert_eq!((outbox.take_behind(), outbox.is_cut()), (vec![], None), "no room yet");
        assert_eq!(outbox.take(10_000).len(), 1);
        assert_eq!(outbox.take_behind(), [STREAM]);
        assert!(outbox.push_latest(STREAM, frame(400)));
    }

    #[test]
    fn events_end_the_connection_rather_than_be_lost() {
        let outbox = Outbox::new(1_000, Duration::from_secs(9));
        outbox.push_every(frame(900));
        assert_eq!(outbox.is_cut(), None);
        outbox.push_every(frame(101));
        assert_eq!(outbox.is_cut(), Some(Cut::Slow));
        outbox.cut(Cut::Gone);
        assert_eq!(outbox.is_cut(), Some(Cut::Slow), "the first reason stays");
    }

    #[test]
    fn an_answer_may_be_larger_than_what_may_wait() {
        let outbox = Outbox::new(1_000, Duration::from_secs(9));
        outbox.answer(Some(1), &"x".repeat(5_000));
        outbox.push_every(frame(900));
        assert_eq!(outbox.is_cut(), None);
        assert_eq!((outbox.take(100).len(), outbox.take(10_000).len()), (1, 1));
        for number in 0..3 {
            assert_eq!(outbox.is_cut(), None);
            outbox.answer(Some(number), &"x".repeat(5_000));
        }
        assert_eq!(outbox.is_cut(), Some(Cut::Slow), "it asks and does not read");
    }

    #[test]
    fn taking_keeps_the_order_and_takes_at_least_one() {
        let outbox = Outbox::new(1_000, Duration::from_secs(9));
        for size in [300, 10, 20] {
            outbox.push_every(frame(size));
        }
        assert_eq!(outbox.take(100).iter().map(Frame::len).collect::<Vec<_>>(), [300]);
        assert_eq!(outbox.take(100).iter().map(Frame::len).collect::<Vec<_>>(), [10, 20]);
    }
}
