//! A file on its way to who asked for it: a few pieces wait at most, and who takes none for a while loses the rest, so that nobody holds a turn for ever.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use futures_util::stream::poll_fn;
use tokio::sync::mpsc;
use tokio::time::timeout;

/// Bytes of one piece.
pub(crate) const PIECE: usize = 64 * 1024;
/// Pieces that wait for their reader.
const WAITING_MAX: usize = 8;

/// Where pieces are put. Dropped before [`Sender::whole`], the file breaks off, and is not taken for a whole one.
pub(crate) struct Sender {
    to: mpsc::Sender<Bytes>,
    is_whole: Arc<AtomicBool>,
    patience: Duration,
}

impl Sender {
    /// Waits until there is room for one more, as long as its reader may take.
    pub(crate) async fn send(&self, piece: Bytes) -> io::Result<()> {
        match timeout(self.patience, self.to.send(piece)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(io::ErrorKind::BrokenPipe.into()),
            Err(_) => Err(io::ErrorKind::TimedOut.into()),
        }
    }

    /// Nothing follows, and nothing is missing.
    pub(crate) fn whole(self) {
        self.is_whole.store(true, Ordering::Release);
    }
}

/// The two ends of a file.
pub(crate) fn file(patience: Duration) -> (Sender, Body) {
    let (to, mut from) = mpsc::channel(WAITING_MAX);
    let is_whole = Arc::new(AtomicBool::new(false));
    let sender = Sender { to, is_whole: is_whole.clone(), patience };
    let mut is_over = false;
    let body = poll_fn(move |context| match from.poll_recv(context) {
        Poll::Ready(None) if !is_over && !is_whole.load(Ordering::Acquire) => {
            is_over = true;
            Poll::Ready(Some(Err(io::Error::from(io::ErrorKind::UnexpectedEof))))
        }
        polled => polled.map(|piece| piece.map(Ok)),
    });
    (sender, Body::from_stream(body))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOON: Duration = Duration::from_millis(20);

    #[tokio::test]
    async fn who_takes_nothing_loses_the_rest_and_gets_no_whole_file() {
        let (sender, body) = file(SOON);
        for _ in 0..WAITING_MAX {
            sender.send(Bytes::from_static(b"a")).await.expect("room");
        }
        assert_eq!(sender.send(Bytes::from_static(b"b")).await.map_err(|error| error.kind()), Err(io::ErrorKind::TimedOut));
        drop(sender);
        assert!(axum::body::to_bytes(body, 100).await.is_err(), "it breaks off");
    }

    #[tokio::test]
    async fn a_file_is_whole_when_it_is_said_and_who_goes_is_noticed() {
        let (sender, body) = file(SOON);
        sender.send(Bytes::from_static(b"all")).await.expect("room");
        sender.whole();
        assert_eq!(axum::body::to_bytes(body, 100).await.expect("whole"), "all");
        let (sender, body) = file(SOON);
        drop(body);
        assert_eq!(sender.send(Bytes::from_static(b"a")).await.map_err(|error| error.kind()), Err(io::ErrorKind::BrokenPipe));
    }
}
