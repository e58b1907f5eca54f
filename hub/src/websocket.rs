//! Engine.IO over WebSocket. Tungstenite decodes incoming messages. Outgoing messages are written from [`Wire`], in
//! which many clients share the bytes of a frame.

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use bytes::Buf;
use futures_util::StreamExt;
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, ReadBuf, ReadHalf, WriteHalf};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::create_response_with_body;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

use crate::admission::UnauthenticatedSlot;
use crate::connection::{POLLING, PROBING, SOCKET, Session};
use crate::disconnect::{DisconnectReason, last_words};
use crate::frame::{Frame, Wire};
use crate::handshake::open_packet;
use crate::opening::open;
use crate::outbox::WRITE_BYTES;
use crate::skipped_streams::refresh;
use crate::state::{Hub, Serving};

/// Size of the read buffer of each socket. Clients send little.
const READ_BYTES: usize = 2 * 1024;

/// After the final packets, the hub still reads from the client for this time, up to this many bytes, and from this
/// many clients at once. Beyond these limits a socket is closed at once, and then the client may not receive the final
/// packets.
const LINGER: Duration = Duration::from_secs(1);
const LINGER_BYTES: usize = 64 * 1024;
static LINGERING: Semaphore = Semaphore::const_new(256);

/// Pause between two packets to a protocol test suite.
const SUITE_PAUSE: Duration = Duration::from_millis(5);

/// The session of a new WebSocket.
pub(crate) enum SocketSession {
    /// A polling session upgrades to the WebSocket.
    Polling(Arc<Session>),
    /// A new session starts with the WebSocket.
    New(UnauthenticatedSlot),
}

/// An upgraded connection.
struct Socket {
    incoming: WebSocketStream<ReadHalfOnly>,
    outgoing: WriteHalf<TokioIo<Upgraded>>,
}

/// The read half. Automatic answers of tungstenite are dropped, because one task writes everything.
struct ReadHalfOnly(ReadHalf<TokioIo<Upgraded>>);

impl AsyncRead for ReadHalfOnly {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl AsyncWrite for ReadHalfOnly {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<std::io::Result<usize>> {
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// Answers a WebSocket request and then serves the WebSocket; `None` if the request is not one (RFC 6455, section
/// 4.2.1).
pub(crate) fn upgrade(hub: Arc<Hub>, whose: SocketSession, mut request: Request) -> Option<Response> {
    let response = create_response_with_body(&request, Body::empty).ok()?;
    let upgraded = request.extensions_mut().remove::<OnUpgrade>()?;
    tokio::spawn(async move {
        // The client disconnected before the answer arrived.
        let Ok(upgraded) = upgraded.await else { return };
        let socket = Socket::new(upgraded, hub.config.max_payload).await;
        match whose {
            // A second socket for a session that has one is closed.
            SocketSession::Polling(session) if session.transport.load(Ordering::SeqCst) != POLLING => {}
            SocketSession::Polling(session) => probe(hub, session, socket).await,
            SocketSession::New(slot) => {
                // No room: the socket closes, and the client reconnects after its back-off.
                let Some(session) = open(&hub, slot) else { return };
                session.transport.store(SOCKET, Ordering::SeqCst);
                let mut hello = Wire::default();
                hello.post(Frame::Text(open_packet(&hub, &session, &[]).into()).into());
                converse(hub, session, socket, hello).await;
            }
        }
    });
    Some(response)
}

impl Socket {
    async fn new(upgraded: Upgraded, limit: usize) -> Self {
        let (incoming, outgoing) = tokio::io::split(TokioIo::new(upgraded));
        let config = WebSocketConfig::default()
            .read_buffer_size(READ_BYTES)
            .write_buffer_size(0)
            .max_message_size(Some(limit))
            .max_frame_size(Some(limit));
        Self { incoming: WebSocketStream::from_raw_socket(ReadHalfOnly(incoming), Role::Server, Some(config)).await, outgoing }
    }

    /// Returns whether the next message is this text.
    async fn hears(&mut self, expected: &str) -> bool {
        matches!(self.incoming.next().await, Some(Ok(Message::Text(text))) if text.as_str() == expected)
    }
}

/// Upgrades a polling session: receives `2probe`, sends `3probe`, ends the open poll, receives `5`.
async fn probe(hub: Arc<Hub>, session: Arc<Session>, mut socket: Socket) {
    let patience = hub.config.auth_timeout;
    let probed = timeout(patience, socket.hears("2probe")).await.unwrap_or(false);
    if !probed || session.transport.compare_exchange(POLLING, PROBING, Ordering::SeqCst, Ordering::SeqCst).is_err() {
        return;
    }
    session.outbox.wake();
    let mut wire = Wire::default();
    wire.post(Frame::Text("3probe".into()).into());
    let upgraded = timeout(patience, async { flush(&mut socket.outgoing, &mut wire).await.is_ok() && socket.hears("5").await });
    if upgraded.await.unwrap_or(false) {
        session.transport.store(SOCKET, Ordering::SeqCst);
        converse(hub, session, socket, wire).await;
    } else {
        // The client continues with polling.
        session.transport.store(POLLING, Ordering::SeqCst);
    }
}

/// Reads and writes until either side ends; `first` is sent before anything else.
async fn converse(hub: Arc<Hub>, session: Arc<Session>, socket: Socket, first: Wire) {
    let Socket { mut incoming, outgoing } = socket;
    let writer = tokio::spawn(write(hub, session.clone(), outgoing, first));
    loop {
        let message = tokio::select! {
            () = session.over.cancelled() => break,
            message = incoming.next() => message,
        };
        let frame = match message {
            Some(Ok(Message::Text(text))) => Frame::Text(text),
            Some(Ok(Message::Binary(bytes))) => Frame::Binary(bytes),
            Some(Ok(Message::Ping(ping))) => {
                session.outbox.pong(ping);
                continue;
            }
            Some(Ok(Message::Pong(_) | Message::Frame(_))) => continue,
            Some(Ok(Message::Close(_)) | Err(_)) | None => {
                session.outbox.disconnect(DisconnectReason::Gone);
                break;
            }
        };
        if session.incoming.send(frame).await.is_err() {
            break;
        }
    }
    let _ = writer.await;
    session.over.cancel();
    // Closing a socket with unread bytes resets it, which discards what the client has not yet received (RFC 1122,
    // 4.2.2.13).
    if let Ok(_permit) = LINGERING.try_acquire() {
        let mut left = LINGER_BYTES;
        let rest = async {
            while let (true, Some(Ok(message))) = (left > 0, incoming.next().await) {
                left = left.saturating_sub(message.len().max(1));
            }
        };
        let _ = timeout(LINGER, rest).await;
    }
}

/// Writes all bytes of the buffer. If cancelled, the unwritten bytes remain in it.
async fn flush(outgoing: &mut WriteHalf<TokioIo<Upgraded>>, wire: &mut Wire) -> std::io::Result<()> {
    // Usually there is one slice; a plain write is cheaper for it than a vectored write.
    while wire.is_one_piece() {
        match outgoing.write(wire.chunk()).await? {
            0 => return Err(std::io::ErrorKind::WriteZero.into()),
            written => wire.advance(written),
        }
    }
    outgoing.write_all_buf(wire).await
}

/// Writes the queue of a client, many entries at once. A client that does not read in time is disconnected.
async fn write(hub: Arc<Hub>, session: Arc<Session>, mut outgoing: WriteHalf<TokioIo<Upgraded>>, mut wire: Wire) {
    let patience = hub.config.outbox_age;
    let in_suite = matches!(hub.serving, Serving::Conformance(_));
    let at_once = if in_suite { 0 } else { WRITE_BYTES };
    let mut over = pin!(session.over.cancelled());
    let reason = loop {
        if wire.has_remaining() {
            match timeout(patience, flush(&mut outgoing, &mut wire)).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) => session.outbox.disconnect(DisconnectReason::Gone),
                Err(_) => session.outbox.disconnect(DisconnectReason::Slow),
            }
            // The suites expect one packet in each read of the network.
            if in_suite {
                tokio::time::sleep(SUITE_PAUSE).await;
            }
        }
        if let Some(reason) = session.outbox.fill(&mut wire, at_once) {
            break reason;
        }
        if !wire.has_remaining() {
            refresh(&hub, &session).await;
            tokio::select! {
                biased;
                () = session.outbox.changed() => {}
                () = &mut over => {
                    let _ = timeout(patience / 10, outgoing.shutdown()).await;
                    return;
                }
            }
        }
    };
    if reason == DisconnectReason::Slow {
        metrics::counter!("hub_slow_total").increment(1);
    }
    // The final packets follow what was partly written.
    for words in last_words(reason) {
        wire.post(words.into());
    }
    wire.close();
    let _ = timeout(patience / 10, flush(&mut outgoing, &mut wire)).await;
    let _ = timeout(patience / 10, outgoing.shutdown()).await;
    session.over.cancel();
}
