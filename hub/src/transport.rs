//! Engine.IO over HTTP: the handshake, polling, WebSocket, and the upgrade from the one to the other.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::Router;
use axum::body::Bytes;
use axum::extract::ws::{Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::extract::{DefaultBodyLimit, FromRequestParts, Query, Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use futures_util::stream::SplitSink;
use futures_util::{SinkExt, StreamExt};
use serde::Deserialize;
use tokio::time::timeout;

use crate::core::Command;
use crate::outbox::Cut;
use crate::session::{Session, last_words};
use crate::socketio::engine::{self, SEPARATOR};
use crate::state::Hub;

/// Bytes written to a socket before it is flushed.
const WRITE_BYTES: usize = 64 * 1024;

/// The routes: everything under /socket.io/.
pub(crate) fn router(hub: Arc<Hub>) -> Router {
    let limit = hub.config.max_payload;
    Router::new().route("/socket.io/", any(entry)).layer(DefaultBodyLimit::max(limit)).with_state(hub)
}

/// The query of every Engine.IO request.
#[derive(Debug, Deserialize)]
struct Asked {
    #[serde(rename = "EIO")]
    version: Option<String>,
    transport: Option<String>,
    sid: Option<String>,
}

async fn entry(State(hub): State<Arc<Hub>>, Query(asked): Query<Asked>, request: Request) -> Response {
    if !origin_allowed(&hub, request.headers()) {
        metrics::counter!("hub_refused_total", "why" => "origin").increment(1);
        return (StatusCode::FORBIDDEN, "This origin may not open a live socket.").into_response();
    }
    if asked.version.as_deref() != Some("4") {
        return refuse(5, "Unsupported protocol version");
    }
    let session = match &asked.sid {
        Some(sid) => match hub.session(sid) {
            Some(session) => Some(session),
            None => return refuse(1, "Session ID unknown"),
        },
        None => None,
    };
    match (asked.transport.as_deref(), request.method().clone()) {
        (Some("websocket"), Method::GET) => {
            let (mut parts, _) = request.into_parts();
            match WebSocketUpgrade::from_request_parts(&mut parts, &hub).await {
                Ok(upgrade) => upgrade_to_websocket(hub, session, upgrade),
                Err(_) => refuse(3, "Bad request"),
            }
        }
        (Some("polling"), Method::GET) => match session {
            Some(session) => poll(&hub, &session).await,
            None => handshake(&hub),
        },
        (Some("polling"), Method::POST) => match session {
            Some(session) => {
                let body = axum::body::to_bytes(request.into_body(), hub.config.max_payload).await;
                posted(&session, body.ok()).await
            }
            None => refuse(2, "Bad handshake method"),
        },
        (Some("polling" | "websocket"), _) => refuse(2, "Bad handshake method"),
        _ => refuse(0, "Transport unknown"),
    }
}

/// Refusals as the protocol has them.
fn refuse(code: u8, message: &str) -> Response {
    (StatusCode::BAD_REQUEST, axum::Json(serde_json::json!({ "code": code, "message": message }))).into_response()
}

/// A browser's request must come from our own host or an allowed origin; programs send no origin.
fn origin_allowed(hub: &Hub, headers: &HeaderMap) -> bool {
    let Some(origin) = headers.get(header::ORIGIN) else { return true };
    let Ok(origin) = origin.to_str() else { return false };
    let own = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let host = origin.split_once("://").map_or(origin, |(_, host)| host);
    host == own || hub.config.origins.iter().any(|allowed| allowed == origin)
}

fn open_packet(hub: &Hub, session: &Session, upgrades: &[&str]) -> String {
    let millis = |duration: std::time::Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    engine::open(&session.sid, upgrades, millis(hub.config.ping_interval), millis(hub.config.ping_timeout), hub.config.max_payload)
}

fn handshake(hub: &Arc<Hub>) -> Response {
    match hub.open() {
        Some(session) => text(open_packet(hub, &session, &["websocket"])),
        None => (StatusCode::SERVICE_UNAVAILABLE, "There are as many sockets as there may be.").into_response(),
    }
}

fn text(body: String) -> Response {
    ([(header::CONTENT_TYPE, "text/plain; charset=UTF-8"), (header::CACHE_CONTROL, "no-store")], body).into_response()
}

/// Waits for something to send and answers with all of it.
async fn poll(hub: &Arc<Hub>, session: &Arc<Session>) -> Response {
    if session.polled.swap(true, Ordering::SeqCst) {
        session.outbox.cut(Cut::Protocol);
        return refuse(3, "Bad request");
    }
    let answer = loop {
        if session.upgrading.load(Ordering::SeqCst) {
            break "6".to_owned();
        }
        let frames = session.outbox.take(WRITE_BYTES);
        if let Some(cut) = session.outbox.is_cut() {
            let words: Vec<Utf8Bytes> = frames.into_iter().chain(last_words(cut)).chain(["1".into()]).collect();
            session.over.cancel();
            break join(&words);
        }
        if !frames.is_empty() {
            break join(&frames);
        }
        tokio::select! {
            () = session.outbox.changed() => {}
            () = session.over.cancelled() => break "1".to_owned(),
        }
    };
    session.polled.store(false, Ordering::SeqCst);
    refresh(hub, session).await;
    text(answer)
}

fn join(frames: &[Utf8Bytes]) -> String {
    let mut body = String::with_capacity(frames.iter().map(|frame| frame.len() + 1).sum());
    for (index, frame) in frames.iter().enumerate() {
        if index > 0 {
            body.push(SEPARATOR);
        }
        body.push_str(frame);
    }
    body
}

async fn posted(session: &Session, body: Option<Bytes>) -> Response {
    let Some(body) = body.and_then(|body| String::from_utf8(body.into()).ok()) else {
        session.outbox.cut(Cut::Protocol);
        return refuse(3, "Bad request");
    };
    for packet in body.split(SEPARATOR) {
        if session.incoming.send(packet.to_owned()).await.is_err() {
            return refuse(1, "Session ID unknown");
        }
    }
    text("ok".to_owned())
}

fn upgrade_to_websocket(hub: Arc<Hub>, session: Option<Arc<Session>>, upgrade: WebSocketUpgrade) -> Response {
    let limit = hub.config.max_payload;
    upgrade.max_message_size(limit).max_frame_size(limit).on_upgrade(move |socket| async move {
        if let Some(session) = session {
            probe(hub, session, socket).await;
        } else {
            // No place: the socket closes, the client tries again with its back-off.
            let Some(session) = hub.open() else { return };
            let hello = open_packet(&hub, &session, &[]);
            session.upgrading.store(true, Ordering::SeqCst);
            let mut socket = socket;
            if socket.send(Message::Text(hello.into())).await.is_ok() {
                converse(hub, session, socket).await;
            } else {
                session.outbox.cut(Cut::Gone);
                session.over.cancel();
            }
        }
    })
}

/// The upgrade: `2probe`, `3probe`, the waiting poll is answered, `5`.
async fn probe(hub: Arc<Hub>, session: Arc<Session>, mut socket: WebSocket) {
    let patience = hub.config.auth_timeout;
    let probed = timeout(patience, socket.recv()).await;
    if !matches!(&probed, Ok(Some(Ok(Message::Text(text)))) if text.as_str() == "2probe") || session.upgrading.swap(true, Ordering::SeqCst)
    {
        return;
    }
    session.outbox.wake();
    if socket.send(Message::Text("3probe".into())).await.is_ok() {
        let upgraded = timeout(patience, socket.recv()).await;
        if matches!(&upgraded, Ok(Some(Ok(Message::Text(text)))) if text.as_str() == "5") {
            converse(hub, session, socket).await;
            return;
        }
    }
    // The client stays with polling.
    session.upgrading.store(false, Ordering::SeqCst);
}

/// Reads and writes until either side ends it.
async fn converse(hub: Arc<Hub>, session: Arc<Session>, socket: WebSocket) {
    let (sink, mut stream) = socket.split();
    let writer = tokio::spawn(write(hub.clone(), session.clone(), sink));
    loop {
        let message = tokio::select! {
            () = session.over.cancelled() => break,
            message = stream.next() => message,
        };
        match message {
            Some(Ok(Message::Text(text))) => {
                if session.incoming.send(text.as_str().to_owned()).await.is_err() {
                    break;
                }
            }
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
            Some(Ok(Message::Binary(_))) => {
                session.outbox.cut(Cut::Protocol);
                break;
            }
            Some(Ok(Message::Close(_)) | Err(_)) | None => {
                session.outbox.cut(Cut::Gone);
                break;
            }
        }
    }
    let _ = writer.await;
    session.over.cancel();
}

/// Writes what waits, many frames to a flush; a client that does not take them in time is cut.
async fn write(hub: Arc<Hub>, session: Arc<Session>, mut sink: SplitSink<WebSocket, Message>) {
    let patience = hub.config.outbox_age;
    loop {
        if let Some(cut) = session.outbox.is_cut() {
            for frame in last_words(cut) {
                let _ = timeout(patience / 10, sink.send(Message::Text(frame))).await;
            }
            let _ = timeout(patience / 10, sink.close()).await;
            if cut == Cut::Slow {
                metrics::counter!("hub_slow_total").increment(1);
            }
            session.over.cancel();
            return;
        }
        let frames = session.outbox.take(WRITE_BYTES);
        if frames.is_empty() {
            refresh(&hub, &session).await;
            tokio::select! {
                () = session.outbox.changed() => {}
                () = session.over.cancelled() => return,
            }
            continue;
        }
        let written = timeout(patience, async {
            for frame in frames {
                sink.feed(Message::Text(frame)).await?;
            }
            sink.flush().await
        });
        match written.await {
            Ok(Ok(())) => {}
            Ok(Err(_)) => session.outbox.cut(Cut::Gone),
            Err(_) => session.outbox.cut(Cut::Slow),
        }
    }
}

/// Asks for the streams on which the client was left behind, once it has room.
async fn refresh(hub: &Hub, session: &Session) {
    let streams = session.outbox.take_behind();
    if !streams.is_empty() {
        let _ = hub.core.send(Command::Behind { outbox: session.outbox.clone(), streams }).await;
    }
}
