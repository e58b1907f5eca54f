//! The queue of frames for one client. It is bounded by bytes and age. At the limit, values are skipped, and an event ends the connection.

use std::collections::{HashSet, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use serde::Serialize;
use serde_json::value::to_raw_value;
use tokio::sync::Notify;
use tokio_tungstenite::tungstenite::Utf8Bytes;

use crate::disconnect::DisconnectReason;
use crate::frame::{Frame, Post, Wire};
use crate::socketio::{NAMESPACE, packet};
use crate::stream::Stream;

/// Bytes written at once.
pub(crate) const WRITE_BYTES: usize = 64 * 1024;

/// A queued entry.
#[derive(Debug)]
struct Waiting {
    since: Instant,
    post: Post,
    is_answer: bool,
}

/// Answers with missed rows can be larger than the limit of the outbox. All answers together can use this many times the limit; beyond that the connection
/// ends.
const ANSWERS: usize = 8;

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
    posts: VecDeque<Waiting>,
    /// The content of the newest ping that has not been answered.
    pong: Option<Bytes>,
    bytes: usize,
    /// Bytes of answers to requests of the client; they are counted separately.
    answers: usize,
    /// `latest` streams with deltas left out. Each gets one new snapshot when there is room again.
    skipped: HashSet<Stream>,
    disconnect: Option<DisconnectReason>,
}

impl Outbox {
    pub(crate) fn new(limit_bytes: usize, limit_age: Duration) -> Self {
        Self { limit_bytes, limit_age, inner: Mutex::default(), changed: Notify::new() }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues a frame of a class `every` stream. At the limit, the connection ends with `slow`.
    pub(crate) fn push_every(&self, post: impl Into<Post>) {
        let post = post.into();
        let mut inner = self.lock();
        // A frame larger than the limit is sent if nothing else is queued.
        let full = inner.bytes > 0 && inner.bytes + post.len() > self.limit_bytes;
        if full || inner.is_older_than(self.limit_age) {
            inner.disconnect.get_or_insert(DisconnectReason::Slow);
        } else {
            push(&mut inner, post);
        }
        drop(inner);
        self.changed.notify_one();
    }

    /// Queues the acknowledgement if the client expects one.
    pub(crate) fn answer(&self, ack: Option<u64>, answer: &impl Serialize) {
        let (Some(id), Ok(answer)) = (ack, to_raw_value(answer)) else { return };
        let frame = Utf8Bytes::from(packet::ack(NAMESPACE, id, &answer));
        let mut inner = self.lock();
        if inner.answers > ANSWERS * self.limit_bytes {
            inner.disconnect.get_or_insert(DisconnectReason::Slow);
        } else {
            inner.answers += frame.len();
            inner.posts.push_back(Waiting { since: Instant::now(), post: frame.into(), is_answer: true });
        }
        drop(inner);
        self.changed.notify_one();
    }

    /// Queues a delta of a `latest` stream. Returns false if the delta does not fit, or if an earlier delta of the stream was skipped.
    ///
    /// Half of the limit is reserved for `every` streams. An empty outbox accepts any size, so that a snapshot larger than
    /// the limit can be sent.
    pub(crate) fn push_latest(&self, stream: Stream, post: impl Into<Post>) -> bool {
        let post = post.into();
        let mut inner = self.lock();
        let fits = inner.bytes == 0 || inner.bytes + post.len() <= self.limit_bytes / 2;
        let taken = fits && !inner.skipped.contains(&stream);
        if taken {
            push(&mut inner, post);
        } else {
            inner.skipped.insert(stream);
            // The client does not read at all.
            if inner.is_older_than(self.limit_age) {
                inner.disconnect.get_or_insert(DisconnectReason::Slow);
            }
        }
        drop(inner);
        self.changed.notify_one();
        taken
    }

    /// Queues a protocol packet, regardless of the limits. There are few of them.
    pub(crate) fn push_control(&self, frame: impl Into<Frame>) {
        push(&mut self.lock(), Post::Own(frame.into()));
        self.changed.notify_one();
    }

    /// Queues the answer to a ping. Only the newest ping is answered, so many pings use no more memory (allowed by RFC
    /// 6455, section 5.5.3).
    pub(crate) fn pong(&self, ping: Bytes) {
        self.lock().pong = Some(ping);
        self.changed.notify_one();
    }

    /// Returns whether a `latest` stream needs a new snapshot.
    pub(crate) fn is_behind(&self) -> bool {
        !self.lock().skipped.is_empty()
    }

    /// Takes the `latest` streams that need a new snapshot, if there is room for one.
    pub(crate) fn take_behind(&self) -> Vec<Stream> {
        let mut inner = self.lock();
        if inner.skipped.is_empty() || inner.bytes > self.limit_bytes / 8 { Vec::new() } else { inner.skipped.drain().collect() }
    }

    /// Removes a stream from the list of skipped streams, because the client has left it or joins it again.
    pub(crate) fn forget(&self, stream: Stream) {
        self.lock().skipped.remove(&stream);
    }

    /// Takes about `bytes` bytes of queued entries.
    pub(crate) fn take(&self, bytes: usize) -> Vec<Post> {
        let mut taken = Vec::new();
        take(&mut self.lock(), bytes, |post| taken.push(post));
        taken
    }

    /// Moves the answer to a ping and about `bytes` bytes of queued entries to a WebSocket buffer. If the connection must end, moves nothing and returns the
    /// reason.
    pub(crate) fn fill(&self, wire: &mut Wire, bytes: usize) -> Option<DisconnectReason> {
        let mut inner = self.lock();
        if inner.disconnect.is_none() {
            if let Some(ping) = inner.pong.take() {
                wire.pong(&ping);
            }
            take(&mut inner, bytes, |post| wire.post(post));
        }
        inner.disconnect
    }

    /// Ends the connection. The first reason is kept.
    pub(crate) fn disconnect(&self, why: DisconnectReason) {
        self.lock().disconnect.get_or_insert(why);
        self.changed.notify_one();
    }

    /// Returns the reason to end the connection; `None` if it continues.
    pub(crate) fn disconnect_reason(&self) -> Option<DisconnectReason> {
        self.lock().disconnect
    }

    /// Waits until something was queued or the connection was ended. One waiter at a time.
    pub(crate) async fn changed(&self) {
        self.changed.notified().await;
    }

    /// Wakes the waiter, for example after a change of transport.
    pub(crate) fn wake(&self) {
        self.changed.notify_one();
    }
}

fn take(inner: &mut Inner, bytes: usize, mut taken: impl FnMut(Post)) {
    let mut size = 0;
    while inner.posts.front().is_some_and(|waiting| size == 0 || size + waiting.post.len() <= bytes) {
        let Some(Waiting { post, is_answer, .. }) = inner.posts.pop_front() else { break };
        size += post.len();
        let counted = if is_answer { &mut inner.answers } else { &mut inner.bytes };
        *counted -= post.len();
        taken(post);
    }
}

fn push(inner: &mut Inner, post: Post) {
    inner.bytes += post.len();
    inner.posts.push_back(Waiting { since: Instant::now(), post, is_answer: false });
}

impl Inner {
    fn is_older_than(&self, limit: Duration) -> bool {
        self.posts.front().is_some_and(|waiting| waiting.since.elapsed() > limit)
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
        assert_eq!((outbox.take_behind(), outbox.disconnect_reason()), (vec![], None), "no room yet");
        assert_eq!(outbox.take(10_000).len(), 1);
        assert_eq!(outbox.take_behind(), [STREAM]);
        assert!(outbox.push_latest(STREAM, frame(400)));
    }

    #[test]
    fn events_end_the_connection_rather_than_be_lost() {
        let outbox = Outbox::new(1_000, Duration::from_secs(9));
        outbox.push_every(frame(900));
        assert_eq!(outbox.disconnect_reason(), None);
        outbox.push_every(frame(101));
        assert_eq!(outbox.disconnect_reason(), Some(DisconnectReason::Slow));
        outbox.disconnect(DisconnectReason::Gone);
        assert_eq!(outbox.disconnect_reason(), Some(DisconnectReason::Slow), "the first reason stays");
    }

    #[test]
    fn what_is_larger_than_all_that_may_wait_leaves_when_nothing_else_waits() {
        let outbox = Outbox::new(1_000, Duration::from_secs(9));
        assert!(outbox.push_latest(STREAM, frame(5_000)));
        assert!(!outbox.push_latest(STREAM, frame(5_000)), "one is enough");
        outbox.take(10_000);
        outbox.push_every(frame(5_000));
        assert_eq!(outbox.disconnect_reason(), None);
        outbox.push_every(frame(1));
        assert_eq!(outbox.disconnect_reason(), Some(DisconnectReason::Slow));
    }

    #[test]
    fn an_answer_may_be_larger_than_what_may_wait() {
        let outbox = Outbox::new(1_000, Duration::from_secs(9));
        outbox.answer(Some(1), &"x".repeat(5_000));
        outbox.push_every(frame(900));
        assert_eq!(outbox.disconnect_reason(), None);
        assert_eq!((outbox.take(100).len(), outbox.take(10_000).len()), (1, 1));
        for number in 0..3 {
            assert_eq!(outbox.disconnect_reason(), None);
            outbox.answer(Some(number), &"x".repeat(5_000));
        }
        assert_eq!(outbox.disconnect_reason(), Some(DisconnectReason::Slow), "it asks and does not read");
    }

    #[test]
    fn taking_keeps_the_order_and_takes_at_least_one() {
        let outbox = Outbox::new(1_000, Duration::from_secs(9));
        for size in [300, 10, 20] {
            outbox.push_every(frame(size));
        }
        assert_eq!(outbox.take(100).iter().map(Post::len).collect::<Vec<_>>(), [300]);
        assert_eq!(outbox.take(100).iter().map(Post::len).collect::<Vec<_>>(), [10, 20]);
    }
}
