//! An observer: a client of the live socket that reconnects after every interruption and resumes its streams.

use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use simulators::rtu::link::now_ms;
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::{WebSocketStream, client_async};
use tokio_util::sync::CancellationToken;

/// Time without a heartbeat after which the connection counts as lost.
const SILENCE: Duration = Duration::from_secs(3);

/// Maximum number of kept delays of measurands; further ones are not recorded.
const DELAYS_KEPT: usize = 50_000;

/// What an observer has received.
#[derive(Debug, Default, Clone)]
pub struct Seen {
    /// Whether it is connected, has joined its streams and receives heartbeats.
    pub connected: bool,
    /// Why the last attempt to connect, or the last connection, ended.
    pub last_end: String,
    /// Number of lost connections.
    pub cuts: u64,
    /// The longest time from an interruption to the next heartbeat.
    pub longest_away: Duration,
    /// Deltas that did not continue at the offset of their stream.
    pub gaps: Vec<String>,
    /// Event rows that were received again.
    pub repeats: Vec<String>,
    /// Event offsets by stream, in the order of receipt.
    pub events: HashMap<String, Vec<i64>>,
    /// Number of resumed streams.
    pub resumed: u64,
    /// Number of streams that started again with a snapshot.
    pub afresh: u64,
    /// Newest value, quality and source time of each point.
    pub points: HashMap<i64, (Option<f64>, u64, i64)>,
    /// Newest source time of each point, of any quality.
    newest: HashMap<i64, i64>,
    /// Delays from the source time of a switch operation to its event at the observer, ms.
    pub delays: Vec<i64>,
    /// Delays from the source time of a value of any point to its receipt at the observer, ms.
    pub value_delays: Vec<i64>,
    /// Points whose delays are also recorded in `position_delays`.
    pub positions: HashSet<i64>,
    /// Delays from the source time of a position to its receipt at the observer, ms.
    pub position_delays: Vec<i64>,
    /// When switches moved, ms, by point.
    pub moved: HashMap<i64, i64>,
    /// Number of values with good quality that were received after a switch in `moved` had moved, with an earlier source time.
    pub wrong_good: usize,
    /// The values that some points can have.
    pub possible: HashMap<i64, RangeInclusive<f64>>,
    /// Number of values that a point in `possible` cannot have.
    pub misplaced: usize,
    /// Number of those with good quality.
    pub misplaced_good: usize,
    /// Values with good quality and an earlier source time than a value that was shown before.
    pub went_back: Vec<String>,
    /// The reason of each lost connection: the code from the hub, or the observer's own finding.
    pub why_cut: Vec<String>,
}

impl Seen {
    /// Returns whether every switch in `moved` is shown with good quality and a source time after its movement.
    pub fn sees_all_moves(&self) -> bool {
        let moved = self.points.iter().filter_map(|(point, shown)| Some((shown, self.moved.get(point)?)));
        moved.into_iter().all(|(shown, at)| shown.1 == 0 && shown.2 >= *at)
    }
}

/// A running observer.
#[derive(Debug)]
pub struct Observer {
    seen: Arc<Mutex<Seen>>,
    frozen: watch::Sender<bool>,
    stop: CancellationToken,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Observer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Observer {
    /// Starts an observer that tries the given ports in turn and subscribes to the given streams.
    pub fn start(ports: Vec<u16>, token: String, streams: Vec<String>) -> Self {
        let seen = Arc::new(Mutex::new(Seen::default()));
        let (frozen, freezing) = watch::channel(false);
        let stop = CancellationToken::new();
        let task = tokio::spawn(run(ports, token, streams, seen.clone(), freezing, stop.clone()));
        Self { seen, frozen, stop, task }
    }

    /// Returns what it has received so far.
    pub fn seen(&self) -> MutexGuard<'_, Seen> {
        lock(&self.seen)
    }

    /// Stops reading, or continues.
    pub fn freeze(&self, frozen: bool) {
        self.frozen.send_replace(frozen);
    }

    /// Ends it and returns what it has received.
    pub async fn leave(self) -> Seen {
        self.stop.cancel();
        tokio::time::sleep(Duration::from_millis(10)).await;
        self.seen().clone()
    }
}

fn lock(seen: &Mutex<Seen>) -> MutexGuard<'_, Seen> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The offset in each stream.
type Places = HashMap<String, (String, i64)>;

async fn run(
    ports: Vec<u16>,
    token: String,
    streams: Vec<String>,
    seen: Arc<Mutex<Seen>>,
    frozen: watch::Receiver<bool>,
    stop: CancellationToken,
) {
    let mut places = Places::new();
    let mut away: Option<Instant> = None;
    let mut failures = 0;
    for attempt in 0_usize.. {
        let port = ports[attempt % ports.len()];
        let talk = talk(port, &token, &streams, &mut places, &seen, frozen.clone(), &mut away);
        // The observer connects again after any error.
        let why = tokio::select! {
            ended = talk => ended.err().map_or_else(String::new, |error| error.to_string()),
            () = stop.cancelled() => return,
        };
        // A hub that has not loaded a new substation yet refuses the subscription. Without an offset the observer has lost nothing, so this is no
        // interruption.
        lock(&seen).last_end.clone_from(&why);
        let was_connected = std::mem::take(&mut lock(&seen).connected);
        failures = if was_connected { 0 } else { failures + 1 };
        if was_connected && !places.is_empty() {
            lock(&seen).cuts += 1;
            lock(&seen).why_cut.push(why);
            away = Some(Instant::now());
        }
        tokio::time::sleep(pause(failures)).await;
    }
}

/// Returns the time until the next attempt: half a second, twice as long after each further failure, at most five seconds, as browsers do. It is random
/// between a fifth and the whole, so that the observers do not connect at the same time.
fn pause(failures: u32) -> Duration {
    let longest = (500_u64 << failures.min(4)).min(5_000);
    Duration::from_millis(longest / 5 + rand::random::<u64>() % (longest * 4 / 5))
}

type Socket = WebSocketStream<TcpStream>;

async fn say(socket: &mut Socket, text: String) -> anyhow::Result<()> {
    Ok(socket.send(Message::Text(text.into())).await?)
}

async fn talk(
    port: u16,
    token: &str,
    streams: &[String],
    places: &mut Places,
    seen: &Arc<Mutex<Seen>>,
    mut frozen: watch::Receiver<bool>,
    away: &mut Option<Instant>,
) -> anyhow::Result<()> {
    let request = format!("ws://127.0.0.1:{port}/socket.io/?EIO=4&transport=websocket").into_client_request()?;
    let connect = async { anyhow::Ok(client_async(request, TcpStream::connect(("127.0.0.1", port)).await?).await?.0) };
    let mut socket = tokio::time::timeout(SILENCE, connect).await??;
    say(&mut socket, format!("40/live,{}", json!({ "token": token }))).await?;
    let mut question_body: HashMap<u64, String> = HashMap::new();
    let mut has_joined = streams.is_empty();
    let mut beat = Instant::now();
    loop {
        if *frozen.borrow() {
            let _ = frozen.wait_for(|frozen| !frozen).await;
            beat = Instant::now();
        }
        let left = SILENCE.saturating_sub(beat.elapsed());
        let next = tokio::time::timeout(left, socket.next()).await.context("no heartbeat")?;
        let Message::Text(text) = next.context("closed")?? else { bail!("no text") };
        if text.as_str() == "2" {
            say(&mut socket, "3".into()).await?;
            continue;
        }
        let Some(packet) = text.as_str().strip_prefix('4') else { continue };
        let rest = packet.get(1..).unwrap_or_default().trim_start_matches("/live").trim_start_matches(',');
        match packet.as_bytes().first() {
            Some(b'0') => {
                for (number, stream) in (1_u64..).zip(streams) {
                    let since = places.get(stream).map(|(epoch, offset)| json!({ "epoch": epoch, "offset": offset }));
                    say(&mut socket, format!("42/live,{number}{}", json!(["subscribe", { "stream": stream, "since": since }]))).await?;
                    question_body.insert(number, stream.clone());
                }
            }
            Some(b'3') => {
                let start = rest.find('[').context("an answer")?;
                let stream = rest[..start].parse().ok().and_then(|number: u64| question_body.remove(&number)).context("asked")?;
                let answer: Value = serde_json::from_str(&rest[start..])?;
                joined(&stream, &answer[0], places, seen)?;
                has_joined = question_body.is_empty();
            }
            Some(b'2') => {
                let event: Value = serde_json::from_str(rest)?;
                match event[0].as_str() {
                    Some("heartbeat") => {
                        beat = Instant::now();
                        let mut seen = lock(seen);
                        if let Some(since) = away.take() {
                            seen.longest_away = seen.longest_away.max(since.elapsed());
                        }
                        seen.connected = has_joined;
                    }
                    Some("delta") => delta(&event[1], places, seen)?,
                    Some("ended") => {
                        let code = event[1]["code"].as_str().unwrap_or_default().to_owned();
                        bail!("told: {code}");
                    }
                    _ => {}
                }
            }
            _ => bail!("out: {packet}"),
        }
    }
}

fn joined(stream: &str, answer: &Value, places: &mut Places, seen: &Mutex<Seen>) -> anyhow::Result<()> {
    if answer["ok"] != json!(true) {
        bail!("refused: {}", answer["code"].as_str().unwrap_or("without a code"));
    }
    let mut seen = lock(seen);
    let before = places.get(stream).map(|(_, offset)| *offset);
    let known = places.get(stream).map(|(epoch, _)| epoch.clone());
    let (epoch, offset) = (answer["epoch"].as_str().context("an epoch")?, answer["offset"].as_i64().context("an offset")?);
    if let Some(missed) = answer["missed"].as_array() {
        seen.resumed += 1;
        rows(&mut seen, stream, missed, before.unwrap_or(0));
    } else if before.is_some() {
        seen.afresh += 1;
    }
    if let Some(snapshot) = answer["snapshot"]["rows"].as_array().filter(|_| stream.starts_with("events/")) {
        // The snapshot has the newest rows by source time. Rows of several devices may have been committed in another order.
        let mut newer: Vec<Value> = snapshot.clone();
        newer.retain(|row| row["offset"].as_i64() > before);
        newer.sort_by_key(|row| row["offset"].as_i64());
        rows(&mut seen, stream, &newer, before.unwrap_or(0));
    }
    if stream.starts_with("sld/") && known.is_some_and(|known| known != epoch) {
        // Another hub, or a restarted one: it shows the values in the database, which may be older than those that were shown before they were
        // stored.
        seen.points.clear();
        seen.newest.clear();
    }
    points(&mut seen, answer["snapshot"]["points"].as_array(), false);
    places.insert(stream.to_owned(), (epoch.to_owned(), offset));
    Ok(())
}

fn delta(delta: &Value, places: &mut Places, seen: &Mutex<Seen>) -> anyhow::Result<()> {
    let mut seen = lock(seen);
    let stream = delta["stream"].as_str().context("a stream")?;
    let (from, offset) = (delta["from"].as_i64().context("from")?, delta["offset"].as_i64().context("an offset")?);
    let Some(place) = places.get_mut(stream) else {
        seen.gaps.push(format!("{stream}: a delta before its snapshot"));
        return Ok(());
    };
    if place.1 != from || Some(place.0.as_str()) != delta["epoch"].as_str() {
        seen.gaps.push(format!("{stream}: at {} and told from {from}", place.1));
        bail!("a gap");
    }
    place.1 = offset;
    points(&mut seen, delta["changes"].as_array(), true);
    if let Some(new) = delta["rows"].as_array().filter(|_| stream.starts_with("events/")) {
        rows(&mut seen, stream, new, from);
    }
    Ok(())
}

fn points(seen: &mut Seen, changes: Option<&Vec<Value>>, live: bool) {
    let now = now_ms().cast_signed();
    for change in changes.into_iter().flatten() {
        let point = change[0].as_i64().unwrap_or(0);
        let new = (change[1].as_f64(), change[2].as_u64().unwrap_or(9), change[3].as_i64().unwrap_or(0));
        seen.wrong_good += usize::from(new.1 == 0 && seen.moved.get(&point).is_some_and(|moved| new.2 < *moved));
        let is_misplaced = new.0.is_some_and(|value| seen.possible.get(&point).is_some_and(|possible| !possible.contains(&value)));
        seen.misplaced += usize::from(is_misplaced);
        seen.misplaced_good += usize::from(is_misplaced && new.1 == 0);
        let before = seen.newest.get(&point).copied().unwrap_or(0);
        seen.points.insert(point, new);
        seen.newest.insert(point, new.2.max(before));
        if new.2 < before && new.1 == 0 {
            seen.went_back.push(format!("point {point}: {} after {before}, at {now}{}", new.2, if live { "" } else { " by a snapshot" }));
        }
        if live && new.1 == 0 && new.2 > before && seen.positions.contains(&point) && seen.position_delays.len() < DELAYS_KEPT {
            seen.position_delays.push(now - new.2);
        }
        if live && new.1 == 0 && new.2 > before && seen.value_delays.len() < DELAYS_KEPT {
            seen.value_delays.push(now - new.2);
        }
    }
}

fn rows(seen: &mut Seen, stream: &str, rows: &[Value], after: i64) {
    let now = now_ms().cast_signed();
    let mut last = after;
    for row in rows {
        let offset = row["offset"].as_i64().unwrap_or(0);
        if offset <= last {
            seen.repeats.push(format!("{stream}: {offset} after {last}"));
        }
        last = offset;
        seen.events.entry(stream.to_owned()).or_default().push(offset);
        if let Some(at) = row["EventTime"].as_str().and_then(wire::time::parse_iso) {
            seen.delays.push(now - at.millis());
        }
    }
}

/// Returns the percentile `part`, such as 0.99, of the delays and sorts them; 0 without delays.
pub fn percentile(delays: &mut [i64], part: f64) -> i64 {
    delays.sort_unstable();
    let last = delays.len().saturating_sub(1);
    delays.get((last as f64 * part).round() as usize).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn snapshot_in_order_of_time_repeats_nothing() {
        let (mut places, seen) = (Places::new(), Mutex::new(Seen::default()));
        let answer =
            json!({ "ok": true, "epoch": "e", "offset": 10, "snapshot": { "rows": [{ "offset": 6 }, { "offset": 10 }, { "offset": 5 }] } });
        joined("events/location/1", &answer, &mut places, &seen).expect("an answer");
        assert_eq!(lock(&seen).repeats, Vec::<String>::new());
        assert_eq!(lock(&seen).events["events/location/1"], [5, 6, 10]);
    }
}
