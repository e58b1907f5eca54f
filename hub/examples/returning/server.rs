//! Runs the hub under test in a process that can be killed.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use grid::ClientId;
use hub::{Deps, HubConfig};
use registry::FollowSettings;
use store::Store;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use wire::bus::{BusMessage, Change};

use crate::seeding::now;

/// The application name of the hub's connections, by which the database identifies them.
pub(crate) const APPLICATION: &str = "returning_hub";

/// Measurands that change in one message. `CHANGE_EVERY`: time between two messages.
const CHANGES: usize = 10;
const CHANGE_EVERY: Duration = Duration::from_millis(50);

/// A running hub; killed when it is dropped.
pub(crate) struct Server {
    child: Child,
    pub(crate) port: u16,
    /// Time from the start of the process until the hub was ready.
    pub(crate) ready: Duration,
}

impl Server {
    /// Starts the hub and waits until it has loaded its process image.
    pub(crate) fn start(url: &str) -> Result<Self, String> {
        let (own, began) = (std::env::current_exe().unwrap(), Instant::now());
        let joint = if url.contains('?') { '&' } else { '?' };
        let url = format!("{url}{joint}application_name={APPLICATION}");
        let child = Command::new(own).arg("hub").env("BENCH_DATABASE", url).stdout(Stdio::piped()).spawn().unwrap();
        let mut server = Self { child, port: 0, ready: Duration::ZERO };
        let mut line = String::new();
        BufReader::new(server.child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        server.port = line.trim().strip_prefix("ready ").and_then(|port| port.parse().ok()).ok_or(format!("the hub printed {line:?}"))?;
        server.ready = began.elapsed();
        Ok(server)
    }

    /// Returns the processor time that the process has used, s.
    pub(crate) fn cpu_seconds(&self) -> f64 {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap_or_default();
        let after_name = stat.rsplit(')').next().unwrap_or_default();
        let ticks = after_name.split_whitespace().skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok());
        // The time is in clock ticks; USER_HZ is 100 on Linux.
        ticks.sum::<f64>() / 100.0
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs the hub, and publishes changing values like an ingest.
pub(crate) async fn serve(url: &str) {
    let store = Store::connect(url, 8).await.unwrap();
    let bus = bus::Bus::local(16_384);
    let client = ClientId(1);
    let points = store.registry(None).await.unwrap().points;
    let points: Vec<i64> = points.iter().filter(|point| point.encoding().is_none()).map(|point| point.id.0).collect();
    // All clients connect from one address within a second.
    let config = HubConfig { sockets_max: 100_000, sockets_unauthenticated_per_address: 100_000, ..HubConfig::default() };
    let shutdown = CancellationToken::new();
    let registry = registry::follow(store.clone(), FollowSettings::new(url), shutdown.clone()).await.unwrap();
    let hub::Running { routes, probe, .. } = hub::start(config, Deps { store, registry, bus: bus.clone() }, shutdown);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    while !probe.works(Duration::from_secs(1)).await {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    println!("ready {}", listener.local_addr().unwrap().port());
    let ingest = async {
        let mut every = tokio::time::interval(CHANGE_EVERY);
        for number in 0_usize.. {
            every.tick().await;
            if number.is_multiple_of(10) {
                bus.publish(BusMessage::Alive { ingest: "bench".into(), clients: Vec::new(), share: None, since: (0, 0) });
            }
            let at = now().0;
            let change = |index: usize| Change {
                point: points[(number * CHANGES + index) % points.len()],
                value: Some((number % 2 + 1) as f64),
                quality: 0,
                source: at,
                received: at,
                epoch: 1,
                seq: at,
            };
            bus.publish(BusMessage::Changes { client: client.0, changes: (0..CHANGES).map(change).collect() });
        }
    };
    let (served, ()) = tokio::join!(axum::serve(listener, routes.into_make_service_with_connect_info::<std::net::SocketAddr>()), ingest);
    served.unwrap();
}
