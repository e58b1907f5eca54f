//! Acknowledgements leave together.
//!
//! A COMMIT acknowledges some hundred messages at once. The MQTT client writes each acknowledgement by itself, four bytes at a time, and the broker reads each by
//! itself: on both sides that costs more than the COPY. Here they wait until the client asks for something to read, which it does when it has nothing left to
//! write, or until anything else is written, which they precede.
//!
//! Only acknowledgements wait. Should one be lost here with its connection, the broker delivers its message again, as it does for one lost on the way.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Buf, BytesMut};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// What waits at most, bytes.
const HELD_LIMIT: usize = 16 * 1024;

/// The first byte of a PUBACK (MQTT 5, 3.4.1).
const PUBACK: u8 = 0x40;

/// A connection whose acknowledgements leave together.
pub(super) struct Gather<S> {
    stream: S,
    held: BytesMut,
}

impl<S: AsyncWrite + Unpin> Gather<S> {
    pub(super) fn new(stream: S) -> Self {
        Self { stream, held: BytesMut::new() }
    }

    fn poll_write_held(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.held.is_empty() {
            match ready!(Pin::new(&mut self.stream).poll_write(context, &self.held))? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                written => self.held.advance(written),
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Gather<S> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        // A peer that takes nothing now may still have something to say.
        if let Poll::Ready(Err(error)) = self.poll_write_held(context) {
            return Poll::Ready(Err(error));
        }
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Gather<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if are_acknowledgements(bytes) && self.held.len() + bytes.len() <= HELD_LIMIT {
            self.held.extend_from_slice(bytes);
            return Poll::Ready(Ok(bytes.len()));
        }
        ready!(self.poll_write_held(context))?;
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_write_held(context))?;
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

/// Whether these are whole PUBACK packets and nothing else.
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
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

    use super::*;

    const FIRST: [u8; 4] = [PUBACK, 2, 0, 1];
    const SECOND: [u8; 6] = [PUBACK, 4, 0, 2, 0, 0];
    const PING: [u8; 2] = [0xC0, 0];

    fn pair(room: usize) -> (Gather<DuplexStream>, DuplexStream) {
        let (near, far) = duplex(room);
        (Gather::new(near), far)
    }

    /// What has arrived at the far end.
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
