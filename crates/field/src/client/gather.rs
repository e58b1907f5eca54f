//! A stream between the MQTT client and the socket: it combines acknowledgements, and receives the last packets of the
//! broker.
//!
//! A COMMIT acknowledges some hundred messages at once. The MQTT client writes each acknowledgement of four bytes
//! separately, and the broker reads each separately. This takes both sides more time than the COPY of the rows. So
//! acknowledgements wait here until the client reads, which it does when it has nothing left to write. If it writes
//! something else before, they are sent first. If an acknowledgement is lost with its connection, the broker delivers
//! the message again.
//!
//! Closing a socket with unread bytes resets the connection. If a broker receives the reset first, it does not read the
//! data that were sent before: neither acknowledgements nor the DISCONNECT. So at the end, held bytes are written, and
//! incoming bytes are read and dropped until the broker has closed the connection. The process can wait for this task
//! before it ends.
//!
//! Before a broker closes the connection, it may have sent the reason (DISCONNECT). The MQTT client ends at the first
//! error, and a write can fail before the reason is read. So the error of a write is reported only by the next read,
//! after all received bytes. The client (rumqttc 0.34) does not decode the short form of DISCONNECT, a reason code
//! without properties, which mosquitto sends: it is decoded here.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf, BytesMut};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, ReadBuf};
use tokio::runtime::Handle;
use tokio_util::task::TaskTracker;

/// Maximum size of held acknowledgements, bytes.
const HELD_LIMIT: usize = 16 * 1024;

/// The first byte of a PUBACK (MQTT 5, 3.4.1).
const PUBACK: u8 = 0x40;

/// The first two bytes of a DISCONNECT that has a reason code and no properties (MQTT 5, 3.14.2.2.1).
const SHORT_DISCONNECT: [u8; 2] = [0xE0, 1];

/// How long to wait for the broker to close after this side.
pub(super) const LINGER: Duration = Duration::from_secs(1);

/// A connection that can be read and written.
pub(super) trait Stream: AsyncRead + AsyncWrite + Unpin + Send + 'static {}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> Stream for S {}

/// How the connections of a client ended. Clones share it.
#[derive(Debug, Clone, Default)]
pub(super) struct Endings {
    /// Connections that are closed on this side but not yet by the broker.
    pub(super) lingering: TaskTracker,
    /// The reason code of the latest short DISCONNECT; 0 for none.
    reason: Arc<AtomicU8>,
}

impl Endings {
    /// Returns the reason code with which the broker ended the latest connection, if it used the short form. It is
    /// returned once.
    ///
    /// It is taken from the last bytes of the connection. If a connection breaks directly after a message that ends
    /// with the same bytes, these are mistaken for it: the caller must tolerate that.
    pub(super) fn take_reason(&self) -> Option<u8> {
        Some(self.reason.swap(0, Ordering::AcqRel)).filter(|reason| *reason != 0)
    }
}

/// A connection that combines acknowledgements.
pub(super) struct Gather<S: Stream> {
    /// `Some` until it is dropped.
    stream: Option<S>,
    held: BytesMut,
    /// Whether a write has failed. Later writes are then dropped.
    is_broken: bool,
    /// The last bytes read.
    tail: [u8; 3],
    endings: Endings,
}

impl<S: Stream> Gather<S> {
    /// `endings` receives how the connection ends.
    pub(super) fn new(stream: S, endings: Endings) -> Self {
        Self { stream: Some(stream), held: BytesMut::new(), is_broken: false, tail: [0; 3], endings }
    }

    /// Records the bytes that were read. Zero bytes mean the end of the connection.
    fn note(&mut self, read: &[u8]) {
        match (read, self.tail) {
            ([], [first, second, reason]) => {
                if [first, second] == SHORT_DISCONNECT {
                    self.endings.reason.store(reason, Ordering::Release);
                }
            }
            ([.., first, second, third], _) => self.tail = [*first, *second, *third],
            (few, _) => {
                self.tail.rotate_left(few.len());
                self.tail[3 - few.len()..].copy_from_slice(few);
            }
        }
    }

    fn stream(&mut self) -> io::Result<Pin<&mut S>> {
        self.stream.as_mut().map(Pin::new).ok_or_else(|| io::ErrorKind::NotConnected.into())
    }

    fn poll_write_held(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.held.is_empty() {
            let Some(stream) = self.stream.as_mut() else { return Poll::Ready(Err(io::ErrorKind::NotConnected.into())) };
            match ready!(Pin::new(stream).poll_write(context, &self.held)) {
                Ok(0) => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                Ok(written) => self.held.advance(written),
                Err(_) => self.give_up_writing(),
            }
        }
        Poll::Ready(Ok(()))
    }

    fn give_up_writing(&mut self) {
        self.is_broken = true;
        self.held.clear();
    }
}

impl<S: Stream> Drop for Gather<S> {
    fn drop(&mut self) {
        let (Some(mut stream), Ok(runtime)) = (self.stream.take(), Handle::try_current()) else { return };
        let held = std::mem::take(&mut self.held);
        let ending = async move {
            let lingering = async {
                stream.write_all(&held).await?;
                stream.shutdown().await?;
                tokio::io::copy(&mut stream, &mut tokio::io::sink()).await
            };
            // The connection ends with either result.
            let _ = tokio::time::timeout(LINGER, lingering).await;
        };
        self.endings.lingering.spawn_on(ending, &runtime);
    }
}

impl<S: Stream> AsyncRead for Gather<S> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        // A peer that reads nothing may still send.
        if let Poll::Ready(Err(error)) = self.poll_write_held(context) {
            return Poll::Ready(Err(error));
        }
        let before = buffer.filled().len();
        let has_room = buffer.remaining() > 0;
        let read = ready!(self.stream()?.poll_read(context, buffer));
        if read.is_ok() && has_room {
            self.note(&buffer.filled()[before..]);
        }
        Poll::Ready(read)
    }
}

impl<S: Stream> AsyncWrite for Gather<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if !self.is_broken && are_acknowledgements(bytes) && self.held.len() + bytes.len() <= HELD_LIMIT {
            self.held.extend_from_slice(bytes);
            return Poll::Ready(Ok(bytes.len()));
        }
        ready!(self.poll_write_held(context))?;
        if self.is_broken {
            return Poll::Ready(Ok(bytes.len()));
        }
        match ready!(self.stream()?.poll_write(context, bytes)) {
            Err(_) => {
                self.give_up_writing();
                Poll::Ready(Ok(bytes.len()))
            }
            written => Poll::Ready(written),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.is_broken {
            return Poll::Ready(Ok(()));
        }
        self.stream()?.poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_write_held(context))?;
        self.stream()?.poll_shutdown(context)
    }
}

/// Returns whether the bytes are complete PUBACK packets only.
fn are_acknowledgements(mut bytes: &[u8]) -> bool {
    while let [PUBACK, length @ 0..0x80, rest @ ..] = bytes {
        match rest.get(usize::from(*length)..) {
            Some([]) => return true,
            Some(next) => bytes = next,
            None => return false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, DuplexStream, duplex};

    use super::*;

    const FIRST: [u8; 4] = [PUBACK, 2, 0, 1];
    const SECOND: [u8; 6] = [PUBACK, 4, 0, 2, 0, 0];
    const PING: [u8; 2] = [0xC0, 0];

    fn pair(room: usize) -> (Gather<DuplexStream>, DuplexStream) {
        let (near, far) = duplex(room);
        (Gather::new(near, Endings::default()), far)
    }

    /// Returns the bytes that have arrived at the other end.
    fn arrived(far: &mut DuplexStream) -> Vec<u8> {
        let mut bytes = [0; 64];
        let mut buffer = ReadBuf::new(&mut bytes);
        let _ = Pin::new(far).poll_read(&mut Context::from_waker(std::task::Waker::noop()), &mut buffer);
        buffer.filled().to_vec()
    }

    fn ask_to_read(near: &mut Gather<DuplexStream>) {
        let mut bytes = [0; 8];
        let read = Pin::new(near).poll_read(&mut Context::from_waker(std::task::Waker::noop()), &mut ReadBuf::new(&mut bytes));
        assert!(read.is_pending());
    }

    #[tokio::test]
    async fn acknowledgements_leave_together_once_there_is_nothing_left_to_write() {
        let (mut near, mut far) = pair(64);
        for packet in [&FIRST[..], &SECOND] {
            near.write_all(packet).await.unwrap();
            near.flush().await.unwrap();
        }
        assert!(arrived(&mut far).is_empty());
        ask_to_read(&mut near);
        assert_eq!(arrived(&mut far), [FIRST.as_slice(), &SECOND].concat());
    }

    #[tokio::test]
    async fn anything_else_takes_them_along_in_order() {
        let (mut near, mut far) = pair(64);
        near.write_all(&FIRST).await.unwrap();
        near.write_all(&PING).await.unwrap();
        assert_eq!(arrived(&mut far), [FIRST.as_slice(), &PING].concat());
        near.write_all(&SECOND).await.unwrap();
        near.shutdown().await.unwrap();
        assert_eq!(arrived(&mut far), SECOND);
    }

    #[tokio::test]
    async fn a_peer_that_takes_little_gets_all_of_them_in_the_end() {
        let (mut near, mut far) = pair(3);
        let packets: Vec<u8> = (0..HELD_LIMIT as u16).flat_map(|number| [PUBACK, 2, (number >> 8) as u8, number as u8]).collect();
        let reading = tokio::spawn(async move {
            let mut all = Vec::new();
            far.read_to_end(&mut all).await.unwrap();
            all
        });
        for packet in packets.chunks(4) {
            near.write_all(packet).await.unwrap();
            assert!(near.held.len() <= HELD_LIMIT);
        }
        near.shutdown().await.unwrap();
        drop(near);
        assert_eq!(reading.await.unwrap(), packets);
    }

    #[tokio::test]
    async fn what_comes_after_the_end_does_not_drown_the_last_words() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut near = Gather::new(tokio::net::TcpStream::connect(listener.local_addr().unwrap()).await.unwrap(), Endings::default());
        let (mut far, _) = listener.accept().await.unwrap();
        far.write_all(b"never read").await.unwrap();
        near.write_all(&FIRST).await.unwrap();
        near.write_all(&PING).await.unwrap();
        drop(near);
        far.write_all(b"nor this").await.unwrap();
        let mut all = Vec::new();
        far.read_to_end(&mut all).await.unwrap();
        assert_eq!(all, [FIRST.as_slice(), &PING].concat());
    }

    #[tokio::test]
    async fn held_acknowledgements_are_written_at_the_end() {
        let (mut near, mut far) = pair(64);
        let lingering = near.endings.lingering.clone();
        near.write_all(&FIRST).await.unwrap();
        drop(near);
        let mut all = Vec::new();
        far.read_to_end(&mut all).await.unwrap();
        assert_eq!(all, FIRST);
        drop(far);
        lingering.close();
        lingering.wait().await;
    }

    #[tokio::test]
    async fn last_words_are_read_after_a_failed_write() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut near = Gather::new(tokio::net::TcpStream::connect(listener.local_addr().unwrap()).await.unwrap(), Endings::default());
        let (mut far, _) = listener.accept().await.unwrap();
        far.write_all(b"the reason").await.unwrap();
        drop(far);
        // The first write causes the reset, a later one fails.
        for _ in 0..10 {
            near.write_all(&PING).await.unwrap();
            near.flush().await.unwrap();
            tokio::task::yield_now().await;
        }
        let mut reason = [0; 10];
        near.read_exact(&mut reason).await.unwrap();
        assert_eq!(&reason, b"the reason");
        assert!(!matches!(near.read(&mut reason).await, Ok(1..)));
    }

    #[tokio::test]
    async fn short_disconnect_is_read() {
        let taken_over = [0xE0, 1, 0x8E];
        for (pieces, expected) in [
            (vec![&taken_over[..]], Some(0x8E)),
            (vec![&PING, &taken_over[..1], &taken_over[1..]], Some(0x8E)),
            (vec![&PING, &taken_over[..2], &taken_over[2..]], Some(0x8E)),
            (vec![&taken_over, &PING], None),
            (vec![&[0xE0, 2, 0x8E, 0]], None),
            (vec![], None),
        ] {
            let (mut near, mut far) = pair(64);
            let endings = near.endings.clone();
            let mut buffer = [0; 8];
            for piece in &pieces {
                far.write_all(piece).await.unwrap();
                assert_eq!(near.read(&mut buffer).await.unwrap(), piece.len());
            }
            drop(far);
            assert_eq!(near.read(&mut buffer).await.unwrap(), 0);
            assert_eq!((endings.take_reason(), endings.take_reason()), (expected, None), "{pieces:?}");
        }
    }

    #[test]
    fn only_whole_acknowledgements_wait() {
        for (bytes, expected) in [
            (&FIRST[..], true),
            (&[FIRST.as_slice(), &SECOND].concat(), true),
            (&[], false),
            (&FIRST[..3], false),
            (&PING, false),
            (&[FIRST.as_slice(), &PING].concat(), false),
            (&[0x50, 2, 0, 1], false),
        ] {
            assert_eq!(are_acknowledgements(bytes), expected, "{bytes:?}");
        }
    }
}
