//! Engine.IO over HTTP: the handshake and polling.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{ConnectInfo, DefaultBodyLimit, Query, Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Utf8Bytes;

use crate::admission::UnauthenticatedSlot;
use crate::connection::{POLLING, SOCKET, Session};
use crate::disconnect::{DisconnectReason, last_words};
use crate::frame::{Frame, Post};
use crate::handshake::open_packet;
use crate::opening::open;
use crate::outbox::WRITE_BYTES;
use crate::skipped_streams::refresh;
use crate::socketio::engine::{self, SEPARATOR};
use crate::state::Hub;
use crate::websocket::{self, SocketSession};

/// How long a polling request waits until the connection of the previous request is closed. A client that cancels a
/// poll may send the next one at once, and it can arrive before the end of the cancelled poll is detected. Two polls
/// that overlap for longer are a protocol error.
const POLL_GRACE: Duration = Duration::from_millis(100);

/// Routes all requests under a path.
pub(crate) fn router(hub: Arc<Hub>, path: &str) -> Router {
    let limit = hub.config.max_payload;
    Router::new().route(path, any(entry)).layer(DefaultBodyLimit::max(limit)).with_state(hub)
}

/// The query parameters of an Engine.IO request.
#[derive(Debug, Deserialize)]
struct TransportQuery {
    #[serde(rename = "EIO")]
    version: Option<String>,
    transport: Option<String>,
    sid: Option<String>,
}

async fn entry(State(hub): State<Arc<Hub>>, Query(query): Query<TransportQuery>, request: Request) -> Response {
    if !origin_allowed(&hub, request.headers()) {
        metrics::counter!("hub_refused_total", "why" => "origin").increment(1);
        return (StatusCode::FORBIDDEN, "This origin may not open a live socket.").into_response();
    }
    if query.version.as_deref() != Some("4") {
        return refuse(5, "Unsupported protocol version");
    }
    let session = match &query.sid {
        Some(sid) => match hub.session(sid) {
            Some(session) => Some(session),
            None => return refuse(1, "Session ID unknown"),
        },
        None => None,
    };
    match (query.transport.as_deref(), request.method().clone()) {
        (Some("websocket"), Method::GET) => {
            let whose = match session {
                Some(session) => SocketSession::Polling(session),
                None => match unauthenticated_slot(&hub, &request) {
                    Ok(slot) => SocketSession::New(slot),
                    Err(refused) => return refused,
                },
            };
            websocket::upgrade(hub, whose, request).unwrap_or_else(|| refuse(3, "Bad request"))
        }
        (Some("polling"), Method::GET) => match session {
            Some(session) => poll(&hub, &session).await,
            None => unauthenticated_slot(&hub, &request).map_or_else(|refused| refused, |slot| handshake(&hub, slot)),
        },
        (Some("polling"), Method::POST) => match session {
            Some(session) => {
                let body = axum::body::to_bytes(request.into_body(), hub.config.max_payload).await;
                posted(&hub, &session, body.ok()).await
            }
            None => refuse(2, "Bad handshake method"),
        },
        (Some("polling" | "websocket"), _) => refuse(2, "Bad handshake method"),
        _ => refuse(0, "Transport unknown"),
    }
}

/// Admits a socket that has not signed in, or refuses it.
#[allow(clippy::result_large_err, reason = "the answer is sent at once")]
fn unauthenticated_slot(hub: &Hub, request: &Request) -> Result<UnauthenticatedSlot, Response> {
    // The server that includes the routes provides the peer address.
    let Some(ConnectInfo(peer)) = request.extensions().get::<ConnectInfo<SocketAddr>>() else {
        return Err(StatusCode::INTERNAL_SERVER_ERROR.into_response());
    };
    let forwarded = request.headers().get_all(auth::FORWARDED_FOR).iter().filter_map(|value| value.to_str().ok());
    let address = auth::subscriber(auth::caller(peer.ip(), forwarded, &hub.config.proxies));
    hub.admissions.admit_unauthenticated(address, hub.config.sockets_unauthenticated_per_address).ok_or_else(|| {
        metrics::counter!("hub_refused_total", "why" => "address").increment(1);
        let limit = hub.config.sockets_unauthenticated_per_address;
        let text = format!("{limit} sockets of this address have not signed in, and more may not wait. Try again in a few seconds.");
        (StatusCode::TOO_MANY_REQUESTS, text).into_response()
    })
}

/// A refusal in the form of the protocol.
fn refuse(code: u8, message: &str) -> Response {
    (StatusCode::BAD_REQUEST, axum::Json(serde_json::json!({ "code": code, "message": message }))).into_response()
}

/// Returns whether a browser's request comes from the own host or an allowed origin. Other programs send no origin.
fn origin_allowed(hub: &Hub, headers: &HeaderMap) -> bool {
    let Some(origin) = headers.get(header::ORIGIN) else { return true };
    let Ok(origin) = origin.to_str() else { return false };
    let own = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let host = origin.split_once("://").map_or(origin, |(_, host)| host);
    host == own || hub.config.origins.iter().any(|allowed| allowed == origin)
}

fn handshake(hub: &Arc<Hub>, slot: UnauthenticatedSlot) -> Response {
    match open(hub, slot) {
        Some(session) => text(open_packet(hub, &session, &["websocket"])),
        None => (StatusCode::SERVICE_UNAVAILABLE, "There are as many sockets as there may be.").into_response(),
    }
}

fn text(body: String) -> Response {
    ([(header::CONTENT_TYPE, "text/plain; charset=UTF-8"), (header::CACHE_CONTROL, "no-store")], body).into_response()
}

/// Waits until at least one packet is queued, and answers with all queued packets.
async fn poll(hub: &Arc<Hub>, session: &Arc<Session>) -> Response {
    if session.transport.load(Ordering::SeqCst) == SOCKET {
        return refuse(3, "Bad request");
    }
    // The lock is also released when the client cancels the request, because that cancels the handler.
    let Ok(turn) = timeout(POLL_GRACE, session.polling.lock()).await else {
        session.outbox.disconnect(DisconnectReason::Protocol);
        return refuse(3, "Bad request");
    };
    let answer = loop {
        if session.transport.load(Ordering::SeqCst) != POLLING {
            break "6".to_owned();
        }
        let mut frames: Vec<Frame> = session.outbox.take(WRITE_BYTES).into_iter().flat_map(Post::frames).collect();
        if let Some(reason) = session.outbox.disconnect_reason() {
            // A client that closed the session gets a noop packet for its open poll.
            let end = if reason == DisconnectReason::Gone { "6" } else { "1" };
            frames.extend(last_words(reason).into_iter().chain([Utf8Bytes::from(end)]).map(Frame::from));
            session.over.cancel();
            hub.forget(&session.sid);
            break join(&frames);
        }
        if !frames.is_empty() {
            break join(&frames);
        }
        tokio::select! {
            () = session.outbox.changed() => {}
            () = session.over.cancelled() => break "1".to_owned(),
        }
    };
    drop(turn);
    refresh(hub, session).await;
    text(answer)
}

fn join(frames: &[Frame]) -> String {
    let mut body = String::new();
    for (index, frame) in frames.iter().enumerate() {
        if index > 0 {
            body.push(SEPARATOR);
        }
        match frame {
            Frame::Text(text) => body.push_str(text),
            Frame::Binary(bytes) => {
                body.push(engine::BASE64);
                STANDARD.encode_string(bytes, &mut body);
            }
        }
    }
    body
}

/// Decodes a packet of a polling body; `None` if it is invalid.
fn polled(packet: &str) -> Option<Frame> {
    match packet.strip_prefix(engine::BASE64) {
        Some(base64) => STANDARD.decode(base64).ok().map(|bytes| Frame::Binary(bytes.into())),
        None => engine::decode(packet).map(|_| Frame::Text(packet.into())),
    }
}

async fn posted(hub: &Hub, session: &Session, body: Option<Bytes>) -> Response {
    let body = body.and_then(|body| String::from_utf8(body.into()).ok());
    let Some(frames) = body.and_then(|body| body.split(SEPARATOR).map(polled).collect::<Option<Vec<Frame>>>()) else {
        session.outbox.disconnect(DisconnectReason::Protocol);
        hub.forget(&session.sid);
        return refuse(3, "Bad request");
    };
    for frame in frames {
        if session.incoming.send(frame).await.is_err() {
            return refuse(1, "Session ID unknown");
        }
    }
    text("ok".to_owned())
}
