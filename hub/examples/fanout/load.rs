//! The load generator: joins the room with many plain sockets and counts the messages that are deltas. It understands just enough WebSocket, and of
//! what each server speaks on it.

use std::io::BufRead;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::{Notify, Semaphore};

const DELTA: &[u8] = b"42/live,[\"delta\"";

/// Joins with `sockets` sockets, prints `joined`, then `done` whenever as many deltas have come as the last `expect` asked for.
pub(crate) fn run(port: &str, speech: &str, token: &str, sockets: usize) {
    let speech = match speech {
        "mqtt" => Speech::Mqtt,
        "nats" => Speech::Nats,
        _ => Speech::SocketIo,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (port, token) = (port.parse().unwrap(), token.to_owned());
    let counted = Arc::new(AtomicUsize::new(0));
    let changed = Arc::new(Notify::new());
    let joined = Arc::new(Semaphore::new(0));
    let (lines_sender, mut lines) = tokio::sync::mpsc::unbounded_channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            let _ = lines_sender.send(line);
        }
    });
    runtime.block_on(async {
        for _ in 0..sockets {
            let reader = read(port, speech, token.clone(), counted.clone(), changed.clone(), joined.clone());
            tokio::spawn(reader);
            // One after the other: the handshake is not what is measured.
            joined.acquire().await.unwrap().forget();
        }
        println!("joined");
        let mut target = 0;
        while let Some(line) = lines.recv().await {
            let wanted: usize = line.trim_start_matches("expect ").parse().unwrap();
            target += wanted;
            while counted.load(Ordering::Relaxed) < target {
                changed.notified().await;
            }
            println!("done");
        }
    });
}

/// What a server speaks on its sockets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Speech {
    SocketIo,
    Mqtt,
    Nats,
}

/// What the server said in some bytes of its speech.
#[derive(Default)]
struct Heard {
    deltas: usize,
    joined: bool,
    answer: Vec<u8>,
    /// Bytes that were understood; the others are the beginning of something.
    used: usize,
}

/// MQTT 3.1.1: CONNECT and SUBSCRIBE, then PUBLISH packets.
fn hear_mqtt(bytes: &[u8]) -> Heard {
    let mut heard = Heard::default();
    while let Some(rest) = bytes.get(heard.used..).filter(|rest| rest.len() >= 2) {
        let mut length = 0;
        let mut header = 1;
        loop {
            let Some(&byte) = rest.get(header) else { return heard };
            length |= usize::from(byte & 0x7f) << (7 * (header - 1));
            header += 1;
            if byte & 0x80 == 0 {
                break;
            }
        }
        if rest.len() < header + length {
            return heard;
        }
        match rest[0] >> 4 {
            2 => heard.answer.extend([0x82, 8, 0, 1, 0, 3, b'l', b'i', b'v', 0]),
            3 => heard.deltas += 1,
            9 => heard.joined = true,
            _ => {}
        }
        heard.used += header + length;
    }
    heard
}

/// NATS: SUB and PING, then MSG lines with their payloads.
fn hear_nats(bytes: &[u8]) -> Heard {
    let mut heard = Heard::default();
    while let Some(rest) = bytes.get(heard.used..) {
        let Some(end) = rest.windows(2).position(|two| two == b"\r\n") else { return heard };
        let line = &rest[..end];
        let mut used = end + 2;
        if line.starts_with(b"MSG") {
            let length: usize = std::str::from_utf8(line).unwrap().rsplit(' ').next().unwrap().parse().unwrap();
            used += length + 2;
            if rest.len() < used {
                return heard;
            }
            heard.deltas += 1;
        } else if line.starts_with(b"INFO") {
            heard.answer.extend(b"CONNECT {\"verbose\":false}\r\nSUB liv 1\r\nPING\r\n");
        } else if line.starts_with(b"PONG") {
            heard.joined = true;
        } else if line.starts_with(b"PING") {
            heard.answer.extend(b"PONG\r\n");
        }
        heard.used += used;
    }
    heard
}

fn masked(text: &str) -> Vec<u8> {
    masked_as(0x81, text.as_bytes())
}

fn masked_as(kind: u8, text: &[u8]) -> Vec<u8> {
    let mut frame = vec![kind];
    // The mask is zero: allowed, and the payload stays as it is.
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

async fn read(port: u16, speech: Speech, token: String, counted: Arc<AtomicUsize>, changed: Arc<Notify>, joined: Arc<Semaphore>) {
    let mut socket = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let (path, protocol) = match speech {
        Speech::SocketIo => ("/socket.io/?EIO=4&transport=websocket", ""),
        Speech::Mqtt => ("/", "Sec-WebSocket-Protocol: mqtt\r\n"),
        Speech::Nats => ("/", ""),
    };
    let upgrade = format!(
        "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n{protocol}Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    );
    socket.write_all(upgrade.as_bytes()).await.unwrap();
    let mut buffer = Vec::with_capacity(256 * 1024);
    let mut speaking = Vec::new();
    let (mut head, mut subscribed) = (true, false);
    let mut piece = vec![0; 128 * 1024];
    loop {
        let count = socket.read(&mut piece).await.unwrap_or(0);
        assert!(count > 0, "the server closed a socket ({speech:?}, port {port})");
        buffer.extend_from_slice(&piece[..count]);
        let mut at = 0;
        if head {
            let Some(end) = buffer.windows(4).position(|four| four == b"\r\n\r\n") else { continue };
            at = end + 4;
            head = false;
            if speech == Speech::Mqtt {
                let name = format!("s{}", socket.local_addr().unwrap().port());
                let mut connect = vec![0x10, 12 + name.len() as u8, 0, 4, b'M', b'Q', b'T', b'T', 4, 2, 0, 0, 0, name.len() as u8];
                connect.extend(name.as_bytes());
                socket.write_all(&masked_as(0x82, &connect)).await.unwrap();
            }
        }
        let mut deltas = 0;
        while let Some((payload, end)) = frame(&buffer, at) {
            if speech != Speech::SocketIo {
                speaking.extend_from_slice(payload);
            } else if payload.starts_with(DELTA) {
                deltas += 1;
            } else if payload == b"2" {
                socket.write_all(&masked("3")).await.unwrap();
            } else if payload.starts_with(b"0{") {
                // Not before the server has opened: Node loses what comes earlier.
                socket.write_all(&masked(&format!("40/live,{{\"token\":\"{token}\"}}"))).await.unwrap();
            } else if payload.starts_with(b"40/live") && !subscribed {
                subscribed = true;
                socket.write_all(&masked("42/live,1[\"subscribe\",{\"stream\":\"events/location/6\"}]")).await.unwrap();
            } else if payload.starts_with(b"43/live,1") {
                joined.add_permits(1);
            }
            at = end;
        }
        buffer.drain(..at);
        if speech != Speech::SocketIo {
            let heard = if speech == Speech::Mqtt { hear_mqtt(&speaking) } else { hear_nats(&speaking) };
            speaking.drain(..heard.used);
            deltas = heard.deltas;
            if !heard.answer.is_empty() {
                socket.write_all(&masked_as(0x82, &heard.answer)).await.unwrap();
            }
            if heard.joined {
                joined.add_permits(1);
            }
        }
        if deltas > 0 {
            counted.fetch_add(deltas, Ordering::Relaxed);
            changed.notify_one();
        }
    }
}

/// The payload of the frame at `at`, and where the next one begins.
fn frame(buffer: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let rest = buffer.get(at..)?;
    let (length, header) = match *rest.get(1)? {
        126 => (usize::from(u16::from_be_bytes(rest.get(2..4)?.try_into().ok()?)), 4),
        127 => (usize::try_from(u64::from_be_bytes(rest.get(2..10)?.try_into().ok()?)).ok()?, 10),
        length => (usize::from(length), 2),
    };
    Some((rest.get(header..header + length)?, at + header + length))
}
