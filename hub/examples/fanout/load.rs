//! The load generator: joins the room with many plain sockets and counts the delta messages. It parses only the parts of WebSocket and of each
//! server's protocol that this needs.

use std::convert::Infallible;
use std::io::BufRead;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::{Notify, Semaphore, mpsc};
use tokio::time::sleep;

const SUBSCRIBE: &str = "42/live,1[\"subscribe\",{\"stream\":\"events/location/6\"}]";
const DELTA: &[u8] = b"42/live,[\"delta\"";

/// Time limit for one socket to join.
const JOIN_LIMIT: Duration = Duration::from_secs(20);
/// Pause between a refused subscription and the next attempt.
const RETRY: Duration = Duration::from_millis(200);
/// Time limit for the next delivery. A server that broadcasts a whole backlog before it writes again needs most of it on a slow machine.
const STALL_LIMIT: Duration = Duration::from_mins(1);

/// Joins with `sockets` sockets and prints `joined`. For each `expect N` it prints `done` after N more deltas.
///
/// Prints `failed` with the reason and ends if a socket is closed or does not join, or if deliveries stop.
pub(crate) fn run(port: &str, protocol: &str, token: &str, sockets: usize) {
    let protocol = match protocol {
        "mqtt" => Protocol::Mqtt,
        "nats" => Protocol::Nats,
        _ => Protocol::SocketIo,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let port = port.parse().unwrap();
    let (lines_sender, lines) = mpsc::unbounded_channel();
    std::thread::spawn(move || std::io::stdin().lock().lines().map_while(Result::ok).all(|line| lines_sender.send(line).is_ok()));
    if let Err(reason) = runtime.block_on(join_and_count(port, protocol, token, sockets, lines)) {
        println!("failed {reason}");
    }
}

async fn join_and_count(
    port: u16,
    protocol: Protocol,
    token: &str,
    sockets: usize,
    mut lines: mpsc::UnboundedReceiver<String>,
) -> Result<(), String> {
    let counts = Arc::new(Counts::default());
    let (failures_sender, mut failures) = mpsc::unbounded_channel();
    for number in 1..=sockets {
        let (counts, token, failures_sender) = (counts.clone(), token.to_owned(), failures_sender.clone());
        let reading = counts.clone();
        tokio::spawn(async move {
            let Err(reason) = read(port, protocol, &token, &reading).await;
            let _ = failures_sender.send(reason);
        });
        // One socket after the other: the time of handshakes is not measured.
        tokio::select! {
            permit = counts.joined.acquire() => permit.unwrap().forget(),
            Some(reason) = failures.recv() => return Err(format!("socket {number} of {sockets} on port {port}: {reason}")),
            () = sleep(JOIN_LIMIT) => return Err(format!("socket {number} of {sockets} on port {port} did not join within {JOIN_LIMIT:?}")),
        }
    }
    println!("joined");
    let mut expected = 0;
    while let Some(line) = lines.recv().await {
        expected += line.trim_start_matches("expect ").parse::<usize>().unwrap();
        loop {
            let counted = counts.deltas.load(Ordering::Relaxed);
            if counted >= expected {
                break;
            }
            tokio::select! {
                () = counts.changed.notified() => {}
                Some(reason) = failures.recv() => return Err(format!("{reason}; {counted} of {expected} deliveries had come")),
                () = sleep(STALL_LIMIT) => return Err(format!("no delivery within {STALL_LIMIT:?}; {counted} of {expected} have come")),
            }
        }
        println!("done");
    }
    Ok(())
}

/// The counts of all sockets together.
#[derive(Debug)]
struct Counts {
    deltas: AtomicUsize,
    changed: Notify,
    /// One permit per joined socket.
    joined: Semaphore,
}

impl Default for Counts {
    fn default() -> Self {
        Self { deltas: AtomicUsize::new(0), changed: Notify::new(), joined: Semaphore::new(0) }
    }
}

/// The protocol of a server inside WebSocket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Protocol {
    SocketIo,
    Mqtt,
    Nats,
}

/// The parsed part of the received bytes.
#[derive(Default)]
struct Parsed {
    deltas: usize,
    joined: bool,
    answer: Vec<u8>,
    /// Number of parsed bytes. The rest is the beginning of a packet.
    used: usize,
}

/// Parses MQTT 3.1.1: the answers to CONNECT and SUBSCRIBE, then PUBLISH packets.
fn parse_mqtt(bytes: &[u8]) -> Parsed {
    let mut parsed = Parsed::default();
    while let Some(rest) = bytes.get(parsed.used..).filter(|rest| rest.len() >= 2) {
        let mut length = 0;
        let mut header = 1;
        loop {
            let Some(&byte) = rest.get(header) else { return parsed };
            length |= usize::from(byte & 0x7f) << (7 * (header - 1));
            header += 1;
            if byte & 0x80 == 0 {
                break;
            }
        }
        if rest.len() < header + length {
            return parsed;
        }
        match rest[0] >> 4 {
            2 => parsed.answer.extend([0x82, 8, 0, 1, 0, 3, b'l', b'i', b'v', 0]),
            3 => parsed.deltas += 1,
            9 => parsed.joined = true,
            _ => {}
        }
        parsed.used += header + length;
    }
    parsed
}

/// Parses NATS: the answers to SUB and PING, then MSG lines with their payloads.
fn parse_nats(bytes: &[u8]) -> Parsed {
    let mut parsed = Parsed::default();
    while let Some(rest) = bytes.get(parsed.used..) {
        let Some(end) = rest.windows(2).position(|two| two == b"\r\n") else { return parsed };
        let line = &rest[..end];
        let mut used = end + 2;
        if line.starts_with(b"MSG") {
            let length: usize = std::str::from_utf8(line).unwrap().rsplit(' ').next().unwrap().parse().unwrap();
            used += length + 2;
            if rest.len() < used {
                return parsed;
            }
            parsed.deltas += 1;
        } else if line.starts_with(b"INFO") {
            parsed.answer.extend(b"CONNECT {\"verbose\":false}\r\nSUB liv 1\r\nPING\r\n");
        } else if line.starts_with(b"PONG") {
            parsed.joined = true;
        } else if line.starts_with(b"PING") {
            parsed.answer.extend(b"PONG\r\n");
        }
        parsed.used += used;
    }
    parsed
}

fn masked(text: &str) -> Vec<u8> {
    masked_as(0x81, text.as_bytes())
}

fn masked_as(kind: u8, text: &[u8]) -> Vec<u8> {
    let mut frame = vec![kind];
    // A mask of zero is allowed and leaves the payload unchanged.
    match text.len() {
        length @ 0..126 => frame.push(0x80 | length as u8),
        length => {
            frame.push(0x80 | 0x7e);
            frame.extend((length as u16).to_be_bytes());
        }
    }
    frame.extend([0; 4]);
    frame.extend(text);
    frame
}

/// Reads one socket until it ends; returns the reason.
async fn read(port: u16, protocol: Protocol, token: &str, counts: &Counts) -> Result<Infallible, String> {
    let unreachable = |error: std::io::Error| format!("no connection: {error}");
    let broken = |error: std::io::Error| format!("a socket broke: {error}");
    let mut socket = TcpStream::connect(("127.0.0.1", port)).await.map_err(unreachable)?;
    let (path, subprotocol) = match protocol {
        Protocol::SocketIo => ("/socket.io/?EIO=4&transport=websocket", ""),
        Protocol::Mqtt => ("/", "Sec-WebSocket-Protocol: mqtt\r\n"),
        Protocol::Nats => ("/", ""),
    };
    let upgrade = format!(
        "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n{subprotocol}Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    );
    socket.write_all(upgrade.as_bytes()).await.map_err(broken)?;
    let mut buffer = Vec::with_capacity(256 * 1024);
    let mut stream = Vec::new();
    let (mut head, mut subscribed) = (true, false);
    let mut piece = vec![0; 128 * 1024];
    loop {
        let count = socket.read(&mut piece).await.map_err(broken)?;
        if count == 0 {
            return Err("the server closed a socket".to_owned());
        }
        buffer.extend_from_slice(&piece[..count]);
        let mut at = 0;
        if head {
            let Some(end) = buffer.windows(4).position(|four| four == b"\r\n\r\n") else { continue };
            if !buffer.starts_with(b"HTTP/1.1 101") {
                return Err(format!("the server refused the upgrade: {}", String::from_utf8_lossy(&buffer[..end])));
            }
            at = end + 4;
            head = false;
            if protocol == Protocol::Mqtt {
                let name = format!("s{}", socket.local_addr().unwrap().port());
                let mut connect = vec![0x10, 12 + name.len() as u8, 0, 4, b'M', b'Q', b'T', b'T', 4, 2, 0, 0, 0, name.len() as u8];
                connect.extend(name.as_bytes());
                socket.write_all(&masked_as(0x82, &connect)).await.map_err(broken)?;
            }
        }
        let mut deltas = 0;
        while let Some((payload, end)) = frame(&buffer, at) {
            if protocol != Protocol::SocketIo {
                stream.extend_from_slice(payload);
            } else if payload.starts_with(DELTA) {
                deltas += messages(payload);
            } else if payload == b"2" {
                socket.write_all(&masked("3")).await.map_err(broken)?;
            } else if payload.starts_with(b"0{") {
                // Only after the server's open packet: Node ignores an earlier connect.
                socket.write_all(&masked(&format!("40/live,{{\"token\":\"{token}\"}}"))).await.map_err(broken)?;
            } else if payload.starts_with(b"40/live") && !subscribed {
                subscribed = true;
                socket.write_all(&masked(SUBSCRIBE)).await.map_err(broken)?;
            } else if payload.starts_with(b"44/live") || payload.starts_with(b"42/live,[\"ended\"") {
                return Err(format!("the server refused a socket: {}", String::from_utf8_lossy(payload)));
            } else if payload.starts_with(b"43/live,1[{\"ok\":false,\"code\":\"unavailable\"") {
                // The hub is still loading its process image. Without the retry no deltas would arrive.
                sleep(RETRY).await;
                socket.write_all(&masked(SUBSCRIBE)).await.map_err(broken)?;
            } else if payload.starts_with(b"43/live,1[{\"ok\":false") {
                return Err(format!("the server refused a subscription: {}", String::from_utf8_lossy(payload)));
            } else if payload.starts_with(b"43/live,1") {
                counts.joined.add_permits(1);
            }
            at = end;
        }
        buffer.drain(..at);
        if protocol != Protocol::SocketIo {
            let parsed = if protocol == Protocol::Mqtt { parse_mqtt(&stream) } else { parse_nats(&stream) };
            stream.drain(..parsed.used);
            deltas = parsed.deltas;
            if !parsed.answer.is_empty() {
                socket.write_all(&masked_as(0x82, &parsed.answer)).await.map_err(broken)?;
            }
            if parsed.joined {
                counts.joined.add_permits(1);
            }
        }
        if deltas > 0 {
            counts.deltas.fetch_add(deltas, Ordering::Relaxed);
            counts.changed.notify_one();
        }
    }
}

/// Returns the number of messages in a delta. The hub merges messages into one delta for a socket that joins during a broadcast.
fn messages(delta: &[u8]) -> usize {
    // Nearly all deltas have one row. Searching them would cost more than all other work of the load generator.
    if (200..600).contains(&delta.len()) {
        return 1;
    }
    let start = std::str::from_utf8(&delta[..delta.len().min(200)]).unwrap_or_default();
    let number = |key: &str| {
        let digits = start.split_once(key)?.1;
        digits[..digits.find(|letter: char| !letter.is_ascii_digit())?].parse::<usize>().ok()
    };
    let (Some(from), Some(offset)) = (number("\"from\":"), number("\"offset\":")) else { return 1 };
    offset.saturating_sub(from)
}

/// Returns the payload of the frame at `at`, and the position of the next frame.
fn frame(buffer: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let rest = buffer.get(at..)?;
    let (length, header) = match *rest.get(1)? {
        126 => (usize::from(u16::from_be_bytes(rest.get(2..4)?.try_into().ok()?)), 4),
        127 => (usize::try_from(u64::from_be_bytes(rest.get(2..10)?.try_into().ok()?)).ok()?, 10),
        length => (usize::from(length), 2),
    };
    Some((rest.get(header..header + length)?, at + header + length))
}
