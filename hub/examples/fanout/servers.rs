//! The servers of this repository: the hub with a real database, and a bare TCP server that writes the same bytes.

use std::io::BufRead;
use std::net::SocketAddr;
use std::time::Duration;

use grid::ClientId;
use hub::{Deps, HubConfig};
use registry::FollowSettings;
use store::Store;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::{broadcast, mpsc};
use tokio_util::sync::CancellationToken;
use wire::bus::BusMessage;
use wire::rows::EventRow;

use crate::seeding;

const CLIENT: i64 = 1;
const LOCATION: i64 = 6;

/// Returns the counts of the lines `go N` from standard input.
fn commands() -> mpsc::UnboundedReceiver<usize> {
    let (sender, receiver) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            let _ = sender.send(line.trim_start_matches("go ").parse().unwrap_or(0));
        }
    });
    receiver
}

fn row(offset: i64) -> EventRow {
    EventRow {
        asset_name: "F3 Old Harbour CB".into(),
        signal: "Position".into(),
        event_time: "2026-11-03T08:32:51.402Z".into(),
        change_to: "OPEN".into(),
        value: Some(1.0),
        asset_id: 4_711,
        point_id: 9_001,
        location_id: LOCATION,
        location_name: "Q".into(),
        received_time: String::new(),
        quality: 0,
        offset,
    }
}

/// Inserts a utility with one substation and a signed-in user. Returns the access token of the user.
pub(crate) async fn seed(url: &str) -> String {
    let store = Store::connect(url, 2).await.unwrap();
    let (client, path) = seeding::utility(&store, "B").await;
    let location = seeding::substation(&store, client, path.last().copied(), "N").await;
    assert_eq!((client.0, location.0), (CLIENT, LOCATION), "ids of an empty database count from 1");
    let member = seeding::member(&store, client, "bench", 2, None).await;
    seeding::session(&store, member).await.1
}

/// Runs the hub. Each `go N` publishes N events on the bus, one per message.
pub(crate) fn hub(url: &str) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    runtime.block_on(async {
        let store = Store::connect(url, 4).await.unwrap();
        let bus = bus::Bus::local(16_384);
        let (epoch, mut top) = store.event_stream(ClientId(CLIENT)).await.unwrap();
        let one_person = 100_000;
        let config = HubConfig {
            // The backlog of 2,000 messages must fit into the outbox of a socket.
            outbox_bytes: 64 * 1024 * 1024,
            outbox_age: Duration::from_mins(2),
            // A ping waits behind the backlog in the buffers of the kernel. With the default of 5 s the hub closes sockets on a slow machine.
            ping_timeout: Duration::from_mins(2),
            sockets_per_session: one_person,
            sockets_per_member: one_person,
            sockets_unauthenticated_per_address: one_person,
            ..HubConfig::default()
        };
        let shutdown = CancellationToken::new();
        let registry = registry::follow(store.clone(), FollowSettings::new(url), shutdown.clone()).await.unwrap();
        let routes = hub::start(config, Deps { store, registry, bus: bus.clone() }, shutdown).routes;
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        println!("ready {} {}", listener.local_addr().unwrap().port(), std::process::id());
        tokio::spawn(async move { axum::serve(listener, routes.into_make_service_with_connect_info::<SocketAddr>()).await });
        let mut commands = commands();
        while let Some(count) = commands.recv().await {
            for _ in 0..count {
                let message =
                    BusMessage::Events { client: CLIENT, epoch: epoch.clone(), from: top, offset: top + 1, rows: vec![row(top + 1)] };
                bus.publish(message);
                top += 1;
            }
        }
    });
}

/// Runs the server that shows the upper limit of performance. It joins the frames of all messages of a `go` once, and writes the same bytes to every socket.
pub(crate) fn raw() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    runtime.block_on(async {
        let (sender, _) = broadcast::channel::<bytes::Bytes>(64);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        println!("ready {} {}", listener.local_addr().unwrap().port(), std::process::id());
        let joining = sender.clone();
        tokio::spawn(async move {
            while let Ok((mut socket, _)) = listener.accept().await {
                let mut blocks = joining.subscribe();
                tokio::spawn(async move {
                    let mut ask = vec![0; 4_096];
                    let _ = socket.read(&mut ask).await;
                    let _ = socket.write_all(b"HTTP/1.1 101 Switching Protocols\r\n\r\n").await;
                    let _ = socket.write_all(&frame("43/live,1[]")).await;
                    while let Ok(block) = blocks.recv().await {
                        if socket.write_all(&block).await.is_err() {
                            return;
                        }
                    }
                });
            }
        });
        let mut commands = commands();
        let mut top = 0;
        while let Some(count) = commands.recv().await {
            let mut block = Vec::new();
            for _ in 0..count {
                block.extend(frame(&delta_text(top)));
                top += 1;
            }
            let _ = sender.send(block.into());
        }
    });
}

/// Returns a message in the form that the hub sends.
pub(crate) fn delta_text(from: i64) -> String {
    let delta =
        serde_json::json!({ "stream": "events/location/6", "epoch": "e", "from": from, "offset": from + 1, "rows": [row(from + 1)] });
    format!("42/live,[\"delta\",{delta}]")
}

fn frame(text: &str) -> Vec<u8> {
    let mut frame = vec![0x81];
    match text.len() {
        length @ 0..126 => frame.push(length as u8),
        length => {
            frame.push(126);
            frame.extend((length as u16).to_be_bytes());
        }
    }
    frame.extend(text.as_bytes());
    frame
}
