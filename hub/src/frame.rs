//! Messages to and from a client, for one client or shared by many.

use std::collections::VecDeque;
use std::io::IoSlice;
use std::sync::Arc;

use bytes::{Buf, BufMut, Bytes, BytesMut};
use tokio_tungstenite::tungstenite::Utf8Bytes;

/// Kinds of WebSocket messages (RFC 6455, section 5.2).
const TEXT: u8 = 0x1;
const BINARY: u8 = 0x2;
const CLOSE: u8 = 0x8;
const PONG: u8 = 0xa;
/// FIN bit: every message is one frame.
const WHOLE: u8 = 0x80;

/// The content of one message of a socket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Frame {
    /// A packet.
    Text(Utf8Bytes),
    /// A binary attachment. The hub sends none.
    Binary(Bytes),
}

/// Packets for many clients, encoded once: as texts for polling clients, as WebSocket bytes for the others.
#[derive(Debug, Clone)]
pub(crate) struct Shared {
    texts: Arc<[Utf8Bytes]>,
    wire: Bytes,
}

/// One entry of an outbox.
#[derive(Debug, Clone)]
pub(crate) enum Post {
    /// For this client only.
    Own(Frame),
    /// Shared with other clients.
    Shared(Shared),
}

impl From<Utf8Bytes> for Frame {
    fn from(text: Utf8Bytes) -> Self {
        Self::Text(text)
    }
}

impl From<Frame> for Post {
    fn from(frame: Frame) -> Self {
        Self::Own(frame)
    }
}

impl From<Utf8Bytes> for Post {
    fn from(text: Utf8Bytes) -> Self {
        Self::Own(text.into())
    }
}

impl From<Shared> for Post {
    fn from(shared: Shared) -> Self {
        Self::Shared(shared)
    }
}

impl Shared {
    /// Encodes packets, in their order.
    pub(crate) fn new(texts: Vec<Utf8Bytes>) -> Self {
        let mut wire = BytesMut::with_capacity(texts.iter().map(|text| text.len() + 10).sum());
        for text in &texts {
            put(&mut wire, TEXT, text.as_bytes());
        }
        Self { texts: texts.into(), wire: wire.freeze() }
    }
}

impl Post {
    /// Returns the size in bytes.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Own(Frame::Text(text)) => text.len(),
            Self::Own(Frame::Binary(bytes)) => bytes.len(),
            Self::Shared(shared) => shared.wire.len(),
        }
    }

    /// Returns the messages one by one.
    pub(crate) fn frames(self) -> Vec<Frame> {
        match self {
            Self::Own(frame) => vec![frame],
            Self::Shared(shared) => shared.texts.iter().cloned().map(Frame::Text).collect(),
        }
    }
}

/// Bytes to write to a WebSocket, from entries of the outbox. Shared bytes are not copied.
#[derive(Debug, Default)]
pub(crate) struct Wire {
    ready: VecDeque<Bytes>,
    own: BytesMut,
    /// The largest size that the buffer `own` has had, bytes.
    most: usize,
}

/// A larger buffer is freed when it is empty, because large answers are rare and there are many sockets.
const KEPT: usize = 32 * 1024;

impl Wire {
    /// Adds the messages of an entry.
    pub(crate) fn post(&mut self, post: Post) {
        match post {
            Post::Own(frame) => {
                match frame {
                    Frame::Text(text) => put(&mut self.own, TEXT, text.as_bytes()),
                    Frame::Binary(bytes) => put(&mut self.own, BINARY, &bytes),
                }
                self.most = self.most.max(self.own.len());
            }
            Post::Shared(shared) => {
                if !self.own.is_empty() {
                    self.ready.push_back(self.own.split().freeze());
                }
                self.ready.push_back(shared.wire);
            }
        }
    }

    /// Adds the answer to a ping.
    pub(crate) fn pong(&mut self, ping: &[u8]) {
        put(&mut self.own, PONG, ping);
    }

    /// Returns whether all bytes are in one slice.
    pub(crate) fn is_one_piece(&self) -> bool {
        self.ready.len() + usize::from(!self.own.is_empty()) == 1
    }

    /// Adds a close frame.
    pub(crate) fn close(&mut self) {
        put(&mut self.own, CLOSE, &[]);
    }
}

/// The bytes that are not yet written. Advancing removes them from the front, so a partial write can continue.
impl Buf for Wire {
    fn remaining(&self) -> usize {
        self.ready.iter().map(Bytes::len).sum::<usize>() + self.own.len()
    }

    fn chunk(&self) -> &[u8] {
        self.ready.front().map_or(&self.own, Bytes::as_ref)
    }

    fn chunks_vectored<'a>(&'a self, slices: &mut [IoSlice<'a>]) -> usize {
        let own = Some(self.own.as_ref()).filter(|own| !own.is_empty());
        let chunks = self.ready.iter().map(Bytes::as_ref).chain(own);
        slices.iter_mut().zip(chunks).map(|(slice, chunk)| *slice = IoSlice::new(chunk)).count()
    }

    fn advance(&mut self, mut count: usize) {
        while let Some(first) = self.ready.front_mut() {
            if count < first.len() {
                return first.advance(count);
            }
            count -= first.len();
            self.ready.pop_front();
        }
        self.own.advance(count);
        if self.own.is_empty() && self.most > KEPT {
            (self.own, self.most) = (BytesMut::new(), 0);
        }
    }
}

/// Writes one message as one unmasked frame, as RFC 6455 requires of a server.
fn put(wire: &mut BytesMut, kind: u8, payload: &[u8]) {
    wire.put_u8(WHOLE | kind);
    match payload.len() {
        length @ 0..126 => wire.put_u8(length as u8),
        length @ 126..=0xffff => {
            wire.put_u8(126);
            wire.put_u16(length as u16);
        }
        length => {
            wire.put_u8(127);
            wire.put_u64(length as u64);
        }
    }
    wire.put_slice(payload);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tokio_tungstenite::tungstenite::protocol::{Message, Role, WebSocket};

    use super::*;

    /// Decodes the bytes with an independent WebSocket implementation.
    fn read(wire: Wire, count: usize) -> Vec<Message> {
        let mut bytes = Vec::new();
        std::io::copy(&mut wire.reader(), &mut bytes).unwrap();
        let bytes = std::io::Cursor::new(bytes);
        let mut socket = WebSocket::from_raw_socket(bytes, Role::Client, None);
        (0..count).map(|_| socket.read().unwrap()).collect()
    }

    #[test]
    fn own_and_shared_messages_keep_their_order() {
        let text = |text: &str| Utf8Bytes::from(text.to_owned());
        let mut wire = Wire::default();
        wire.post(text("a").into());
        wire.post(Shared::new(vec![text("b"), text("c")]).into());
        wire.post(Frame::Binary(Bytes::from_static(b"d")).into());
        wire.pong(b"e");
        wire.close();
        let expected =
            [Message::Text("a".into()), Message::Text("b".into()), Message::Text("c".into()), Message::Binary(Bytes::from_static(b"d"))];
        let read = read(wire, 6);
        assert_eq!(read[..4], expected);
        assert_eq!(read[4..], [Message::Pong(Bytes::from_static(b"e")), Message::Close(None)]);
        assert_eq!(Post::from(Shared::new(vec![text("b"), text("c")])).frames(), [Frame::Text(text("b")), Frame::Text(text("c"))]);
    }

    /// Returns the bytes that vectored writes of `step` bytes produce, over up to four slices.
    fn written(mut wire: Wire, step: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        while wire.has_remaining() {
            let mut slices = [IoSlice::new(&[]); 4];
            let count = wire.chunks_vectored(&mut slices);
            let piece: Vec<u8> = slices[..count].iter().flat_map(|slice| slice.iter().copied()).take(step).collect();
            wire.advance(piece.len());
            bytes.extend(piece);
        }
        bytes
    }

    proptest! {
        #[test]
        fn a_write_in_pieces_loses_nothing(lengths in prop::collection::vec((0_usize..20, any::<bool>()), 0..9), step in 1_usize..50) {
            let wire = || {
                let mut wire = Wire::default();
                for (length, is_shared) in &lengths {
                    let text = Utf8Bytes::from("x".repeat(*length));
                    wire.post(if *is_shared { Shared::new(vec![text.clone(), text]).into() } else { text.into() });
                }
                wire
            };
            let mut whole = Vec::new();
            std::io::copy(&mut wire().reader(), &mut whole).unwrap();
            prop_assert_eq!(written(wire(), step), whole);
        }

        #[test]
        fn every_length_is_read_as_it_was_written(lengths in prop::collection::vec(prop_oneof![0_usize..300, 65_500_usize..65_600], 1..6)) {
            let texts: Vec<Utf8Bytes> = lengths.iter().map(|length| "x".repeat(*length).into()).collect();
            let mut wire = Wire::default();
            wire.post(Shared::new(texts.clone()).into());
            let expected: Vec<Message> = texts.into_iter().map(Message::Text).collect();
            prop_assert_eq!(read(wire, lengths.len()), expected);
        }
    }
}
