//! Sends a file to its reader. Few pieces wait at a time. If a reader takes no piece for a while, or takes the whole file too slowly, the rest is not sent. So
//! a reader cannot hold a permit for long.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{BoxStream, StreamExt as _, poll_fn};
use grid::ClientId;
use permits::FairQueue;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

/// The size of a piece, bytes.
pub const PIECE: usize = 64 * 1024;
/// Maximum number of pieces that wait for their reader.
const WAITING_MAX: usize = 8;
/// The lowest permitted rate of a reader over the whole file, bytes per second. It applies in addition to the time limit for each piece. Even a slow connection
/// is faster.
const LEAST_PER_S: u64 = 16 * 1024;

/// While a read of another utility waits for the slot that the reader holds, the time limit for a piece is divided by this number. The next constant is the
/// lowest permitted rate in this case.
const CROWDED_PART: u32 = 12;
const LEAST_PER_S_CROWDED: u64 = 256 * 1024;

/// The queue whose slot a reader holds, and the utility of the reader.
pub type HeldSlot = (FairQueue, ClientId);

/// The pieces of a file in order. If the file breaks off, the stream ends with an error.
pub type Body = BoxStream<'static, io::Result<Bytes>>;

/// A file that is being sent.
pub struct SentFile {
    /// The file name, with characters that are allowed in a header.
    pub name: String,
    /// Its `Content-Type`.
    pub media_type: String,
    /// The size, bytes, if known.
    pub bytes: Option<i64>,
    /// The content.
    pub body: Body,
}

/// Receives the pieces of a file. If it is dropped before [`Sender::whole`], the reader sees that the file is incomplete.
pub struct Sender {
    to: mpsc::Sender<Bytes>,
    is_whole: Arc<AtomicBool>,
    gone: CancellationToken,
    patience: Duration,
    held: Option<HeldSlot>,
    /// Total time of waiting for the reader. The time for creating the file is not included.
    waited: Duration,
    sent: u64,
}

impl Sender {
    /// Sends a piece. Waits until there is room, up to the time limit of the reader.
    pub async fn send(&mut self, piece: Bytes) -> io::Result<()> {
        let (begun, bytes) = (Instant::now(), piece.len() as u64);
        let crowded = begun + left(self.patience / CROWDED_PART, LEAST_PER_S_CROWDED, self.sent, self.waited);
        let last = tokio::select! {
            sent = timeout(left(self.patience, LEAST_PER_S, self.sent, self.waited), self.to.send(piece)) => sent,
            () = has_to_yield(self.held.as_ref(), crowded) => return Err(io::ErrorKind::TimedOut.into()),
        };
        match last {
            Ok(Ok(())) => {
                self.waited += begun.elapsed();
                self.sent += bytes;
                Ok(())
            }
            Ok(Err(_)) => Err(io::ErrorKind::BrokenPipe.into()),
            Err(_) => Err(io::ErrorKind::TimedOut.into()),
        }
    }

    /// Returns a token that is cancelled when the reader is gone. It is needed for formats that send no data before the file is complete, because they would
    /// not notice this otherwise.
    pub fn gone(&self) -> CancellationToken {
        self.gone.clone()
    }

    /// Marks the file as complete.
    pub fn whole(self) {
        self.is_whole.store(true, Ordering::Release);
    }
}

/// Waits until a read of another utility waits for the slot at or after an instant.
async fn has_to_yield(held: Option<&HeldSlot>, at: Instant) {
    let Some((queue, utility)) = held else { return std::future::pending().await };
    loop {
        queue.other_utility_waits(*utility).await;
        if Instant::now() >= at {
            return;
        }
        // The other read may have its slot by then.
        tokio::time::sleep_until(at).await;
    }
}

/// Returns the time limit for the next piece: `patience` or less. The total waiting time may be at most `patience` plus the time that the bytes sent so far
/// need at the lowest permitted rate.
fn left(patience: Duration, least_per_s: u64, sent: u64, waited: Duration) -> Duration {
    let earned = Duration::from_secs(sent / least_per_s);
    patience.min((patience + earned).saturating_sub(waited))
}

/// Creates the two ends of a file. `held` is the queue whose slot is kept until the file is sent.
pub fn file(patience: Duration, held: Option<HeldSlot>) -> (Sender, Body) {
    let (to, mut from) = mpsc::channel(WAITING_MAX);
    let (is_whole, gone) = (Arc::new(AtomicBool::new(false)), CancellationToken::new());
    let sender = Sender { to, is_whole: is_whole.clone(), gone: gone.clone(), patience, held, waited: Duration::ZERO, sent: 0 };
    let mut is_over = false;
    let until_dropped = gone.drop_guard();
    let body = poll_fn(move |context| match from.poll_recv(context) {
        Poll::Ready(None) if !is_over && !is_whole.load(Ordering::Acquire) => {
            is_over = true;
            Poll::Ready(Some(Err(io::Error::from(io::ErrorKind::UnexpectedEof))))
        }
        polled => {
            let _with_the_body = &until_dropped;
            polled.map(|piece| piece.map(Ok))
        }
    });
    (sender, body.boxed())
}

#[cfg(test)]
mod tests {
    use futures_util::TryStreamExt as _;
    use grid::MemberId;
    use permits::{LimitOwner, Owner};

    use super::*;

    const SOON: Duration = Duration::from_millis(20);

    async fn whole(body: Body) -> io::Result<Vec<u8>> {
        body.try_fold(Vec::new(), |mut all, piece| {
            all.extend_from_slice(&piece);
            std::future::ready(Ok(all))
        })
        .await
    }

    #[tokio::test]
    async fn who_takes_nothing_loses_the_rest_and_gets_no_whole_file() {
        let (mut sender, body) = file(SOON, None);
        for _ in 0..WAITING_MAX {
            sender.send(Bytes::from_static(b"a")).await.expect("room");
        }
        assert_eq!(sender.send(Bytes::from_static(b"b")).await.map_err(|error| error.kind()), Err(io::ErrorKind::TimedOut));
        drop(sender);
        assert!(whole(body).await.is_err(), "it breaks off");
    }

    #[tokio::test]
    async fn stalled_reader_yields_its_slot_to_another_utility() {
        let patience = Duration::from_secs(6);
        let owner = |utility: i64| Owner { user: LimitOwner::Member(MemberId(utility)), utility: ClientId(utility) };
        let queue = FairQueue::new(1);
        let slot = queue.slot(owner(1)).await.expect("room");
        let (mut sender, _body) = file(patience, Some((queue.clone(), ClientId(1))));
        for _ in 0..WAITING_MAX {
            sender.send(Bytes::from_static(b"a")).await.expect("room");
        }
        let began = Instant::now();
        let stalled = async {
            let end = sender.send(Bytes::from_static(b"b")).await;
            drop(slot);
            end.map_err(|error| error.kind())
        };
        let (end, other) = tokio::join!(stalled, queue.slot(owner(2)));
        assert_eq!((end, other.is_ok()), (Err(io::ErrorKind::TimedOut), true));
        let waited = began.elapsed();
        assert!((patience / CROWDED_PART..patience / 2).contains(&waited), "{waited:?}");
    }

    #[tokio::test]
    async fn a_file_is_whole_when_it_is_said_and_who_goes_is_noticed() {
        let (mut sender, body) = file(SOON, None);
        sender.send(Bytes::from_static(b"all")).await.expect("room");
        sender.whole();
        assert_eq!(whole(body).await.expect("whole"), b"all");
        let (mut sender, body) = file(SOON, None);
        let gone = sender.gone();
        assert!(!gone.is_cancelled());
        drop(body);
        assert!(gone.is_cancelled());
        assert_eq!(sender.send(Bytes::from_static(b"a")).await.map_err(|error| error.kind()), Err(io::ErrorKind::BrokenPipe));
    }

    #[test]
    fn who_takes_each_piece_in_time_but_all_of_them_too_slowly_loses_the_rest() {
        let (minute, mib) = (Duration::from_mins(1), 1024 * 1024);
        for (sent, waited_s, left_s, why) in [
            (0, 0, 60, "as long as anybody"),
            (0, 59, 1, "the rest of it"),
            (mib, 0, 60, "never longer for one piece"),
            (mib, 100, 24, "a MiB earns 64 s"),
            (mib, 124, 0, "over"),
            (100 * mib, 6_000, 60, "100 MiB within an hour and three quarters"),
            (100 * mib, 6_461, 0, "and no longer"),
        ] {
            assert_eq!(left(minute, LEAST_PER_S, sent, Duration::from_secs(waited_s)), Duration::from_secs(left_s), "{why}");
        }
    }
}
