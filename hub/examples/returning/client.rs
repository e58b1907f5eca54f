//! The clients: each connects, subscribes to all its streams from its offsets, and follows them until all clients are live.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use futures_util::{SinkExt, StreamExt};
use serde::Deserialize;
use serde_json::json;
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, sleep};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{WebSocketStream, client_async};

use crate::field::Field;

/// Pause before a refused subscription is repeated. `CONNECT_AGAIN`: before a closed socket is opened again.
const ASK_AGAIN: Duration = Duration::from_millis(250);
const CONNECT_AGAIN: Duration = Duration::from_millis(500);

/// An offset in a stream.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Place {
    epoch: String,
    offset: i64,
}

/// The offsets of a client, by stream.
pub(crate) type Places = HashMap<String, Place>;

/// The counts of a round, until all clients are live.
#[derive(Debug, Default)]
pub(crate) struct Round {
    pub(crate) half_live: Duration,
    pub(crate) snapshots: usize,
    pub(crate) missed_rows: usize,
    pub(crate) requested_again: usize,
    pub(crate) connected_again: usize,
}

#[derive(Debug, Default)]
struct Counts {
    live: AtomicUsize,
    snapshots: AtomicUsize,
    missed_rows: AtomicUsize,
    requested_again: AtomicUsize,
    connected_again: AtomicUsize,
}

#[derive(Debug, Deserialize)]
struct Answer {
    ok: bool,
    code: Option<String>,
    #[serde(flatten)]
    place: Option<Place>,
    snapshot: Option<serde::de::IgnoredAny>,
    missed: Option<Vec<serde::de::IgnoredAny>>,
}

#[derive(Debug, Deserialize)]
struct Delta {
    stream: String,
    #[serde(flatten)]
    place: Place,
}

/// Connects all clients at once. Returns when all are live, with their offsets at that time.
pub(crate) async fn come(port: u16, field: &Field, places: Option<Vec<Places>>) -> Result<(Vec<Places>, Round), String> {
    let counts = Arc::new(Counts::default());
    let (stop, stopped) = watch::channel(false);
    let mut clients = JoinSet::new();
    for number in 0..field.sockets() {
        let places = places.as_ref().map(|places| places[number].clone()).unwrap_or_default();
        let (token, streams) = (field.token(number).to_owned(), field.streams(number));
        let (counts, stopped) = (counts.clone(), stopped.clone());
        clients.spawn(async move { (number, run(port, token, streams, places, counts, stopped).await) });
    }
    let began = Instant::now();
    let mut round = Round::default();
    loop {
        let live = counts.live.load(Ordering::Relaxed);
        if live * 2 >= field.sockets() && round.half_live.is_zero() {
            round.half_live = began.elapsed();
        }
        if live == field.sockets() {
            break;
        }
        tokio::select! {
            () = sleep(Duration::from_millis(5)) => {}
            Some(ended) = clients.join_next() => return Err(format!("a client ended: {:?}", ended.map(|(number, result)| (number, result.err())))),
        }
    }
    let count = |counter: &AtomicUsize| counter.load(Ordering::Relaxed);
    round.snapshots = count(&counts.snapshots);
    round.missed_rows = count(&counts.missed_rows);
    round.requested_again = count(&counts.requested_again);
    round.connected_again = count(&counts.connected_again);
    stop.send_replace(true);
    let mut all = vec![Places::new(); field.sockets()];
    while let Some(ended) = clients.join_next().await {
        let (number, places) = ended.map_err(|error| error.to_string())?;
        all[number] = places?;
    }
    Ok((all, round))
}

async fn run(
    port: u16,
    token: String,
    streams: Vec<String>,
    mut places: Places,
    counts: Arc<Counts>,
    mut stopped: watch::Receiver<bool>,
) -> Result<Places, String> {
    let mut missing: Vec<usize> = (0..streams.len()).collect();
    loop {
        let over = talk(port, &token, &streams, &mut places, &counts, &mut missing, &mut stopped).await;
        if over {
            return Ok(places);
        }
        if missing.is_empty() {
            return Err("the hub closed the socket of a client that was live".into());
        }
        // The subscriptions end with the socket; the offsets remain valid.
        missing = (0..streams.len()).collect();
        counts.connected_again.fetch_add(1, Ordering::Relaxed);
        sleep(CONNECT_AGAIN).await;
    }
}

async fn connect(port: u16) -> Option<WebSocketStream<TcpStream>> {
    let stream = TcpStream::connect(("127.0.0.1", port)).await.ok()?;
    let request = format!("ws://127.0.0.1:{port}/socket.io/?EIO=4&transport=websocket");
    Some(client_async(request, stream).await.ok()?.0)
}

/// Runs one connection until it ends. Returns whether the benchmark stopped it.
async fn talk(
    port: u16,
    token: &str,
    streams: &[String],
    places: &mut Places,
    counts: &Counts,
    missing: &mut Vec<usize>,
    stopped: &mut watch::Receiver<bool>,
) -> bool {
    let Some(mut socket) = connect(port).await else { return false };
    let mut refused: Vec<usize> = Vec::new();
    let mut again = interval(ASK_AGAIN);
    again.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let text = tokio::select! {
            biased;
            _ = stopped.changed() => return true,
            _ = again.tick(), if !refused.is_empty() => {
                for index in std::mem::take(&mut refused) {
                    counts.requested_again.fetch_add(1, Ordering::Relaxed);
                    if !subscribe(&mut socket, index, &streams[index], places).await {
                        return false;
                    }
                }
                continue;
            }
            next = socket.next() => match next {
                Some(Ok(Message::Text(text))) => text,
                _ => return false,
            },
        };
        let text = text.as_str();
        if text == "2" {
            if socket.send(Message::Text("3".into())).await.is_err() {
                return false;
            }
        } else if text.starts_with('0') {
            let connect = format!("40/live,{}", json!({ "token": token }));
            if socket.send(Message::Text(connect.into())).await.is_err() {
                return false;
            }
        } else if text.starts_with("44/live") {
            return false;
        } else if text.starts_with("40/live") {
            for (index, stream) in streams.iter().enumerate() {
                if !subscribe(&mut socket, index, stream, places).await {
                    return false;
                }
            }
        } else if let Some(answer) = text.strip_prefix("43/live,") {
            let (index, answer) = answer.split_once('[').unwrap();
            let index: usize = index.parse().unwrap();
            let answer: Answer = serde_json::from_str(answer.strip_suffix(']').unwrap()).unwrap();
            if answer.ok {
                counts.snapshots.fetch_add(usize::from(answer.snapshot.is_some()), Ordering::Relaxed);
                counts.missed_rows.fetch_add(answer.missed.map_or(0, |rows| rows.len()), Ordering::Relaxed);
                places.insert(streams[index].clone(), answer.place.unwrap());
                missing.retain(|missing| *missing != index);
                if missing.is_empty() {
                    counts.live.fetch_add(1, Ordering::Relaxed);
                }
            } else if answer.code.as_deref() == Some("unavailable") {
                refused.push(index);
            } else {
                panic!("{}: {answer:?}", streams[index]);
            }
        } else if let Some(delta) = text.strip_prefix("42/live,[\"delta\",") {
            let delta: Delta = serde_json::from_str(delta.strip_suffix(']').unwrap()).unwrap();
            places.insert(delta.stream, delta.place);
        }
    }
}

async fn subscribe(socket: &mut WebSocketStream<TcpStream>, index: usize, stream: &str, places: &Places) -> bool {
    let mut request = json!({ "stream": stream });
    if let Some(Place { epoch, offset }) = places.get(stream) {
        request["since"] = json!({ "epoch": epoch, "offset": offset });
    }
    socket.send(Message::Text(format!("42/live,{index}{}", json!(["subscribe", request])).into())).await.is_ok()
}
