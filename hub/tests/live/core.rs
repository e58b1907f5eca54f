//! When the core hangs or panics, no value may look live.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::{Context, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, registry};

use crate::client::Client;
use crate::seeding::now;
use crate::site::Site;

/// The effect on the thread that logs about the point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    None,
    Freeze,
    Panic,
}

#[derive(Debug)]
struct State {
    point: i64,
    fault: Fault,
    frozen: bool,
}

/// A process has one subscriber of its log, so tests in one process run one after the other.
static TRAP: OnceLock<Trap> = OnceLock::new();
static ONE_AT_A_TIME: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

/// Stops the core in the middle of its work: when it logs a value of one point.
#[derive(Debug, Clone)]
struct Trap(Arc<(Mutex<State>, Condvar)>);

impl Trap {
    /// Sets the trap for one point in this process.
    fn set(point: i64, fault: Fault) -> Self {
        let trap = TRAP.get_or_init(|| {
            let trap = Self(Arc::new((Mutex::new(State { point, fault: Fault::None, frozen: false }), Condvar::new())));
            registry().with(trap.clone().with_filter(filter_fn(|metadata| metadata.target() == "trace"))).init();
            trap
        });
        *trap.state() = State { point, fault, frozen: false };
        trap.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_while(&self, condition: impl Fn(&State) -> bool) {
        drop(self.0.1.wait_while(self.state(), |state| condition(state)).unwrap_or_else(PoisonError::into_inner));
    }

    /// Waits until the core is frozen.
    async fn closed(&self) {
        let trap = self.clone();
        tokio::task::spawn_blocking(move || trap.wait_while(|state| !state.frozen)).await.expect("frozen");
    }

    fn open(&self) {
        self.state().fault = Fault::None;
        self.0.1.notify_all();
    }
}

/// Whether a log event is about the point.
struct About {
    point: i64,
    found: bool,
}

impl Visit for About {
    fn record_i64(&mut self, field: &Field, value: i64) {
        self.found |= field.name() == "point" && value == self.point;
    }

    fn record_debug(&mut self, _: &Field, _: &dyn std::fmt::Debug) {}
}

impl<S: Subscriber> Layer<S> for Trap {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let State { point, fault, .. } = *self.state();
        let mut about = About { point, found: false };
        event.record(&mut about);
        match fault {
            Fault::Freeze if about.found => {
                self.state().frozen = true;
                self.0.1.notify_all();
                self.wait_while(|state| state.fault == Fault::Freeze);
            }
            Fault::Panic if about.found => panic!("a fault of the core"),
            _ => {}
        }
    }
}

fn sent_at(heartbeat: &Value) -> i64 {
    heartbeat["server_time"].as_i64().expect("a time")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn frozen_core_sends_no_heartbeat_and_is_not_ready() {
    let _alone = ONE_AT_A_TIME.lock().await;
    let site = Site::start(|config| config).await;
    let mut client = Client::sign_in(site.port, &site.token().await).await;
    client.event("heartbeat").await;
    let point = site.own.currents[30];
    let trap = Trap::set(point.0, Fault::Freeze);
    site.change(point, 5.0);
    trap.closed().await;
    let frozen = now().millis();
    // Long enough to receive heartbeats that must not be sent.
    for _ in 0..4 {
        assert!(!site.probe.works(Duration::from_secs(1)).await, "a core that is stuck is not ready");
    }
    let freed = now().millis();
    trap.open();
    assert!(site.probe.works(Duration::from_mins(1)).await, "it works again");
    loop {
        let sent = sent_at(&client.event("heartbeat").await);
        if sent >= freed {
            return;
        }
        // The thread of a session may be interrupted between checking the core and reading the clock.
        assert!(sent < frozen + 3_000, "sent {} ms after the core had stopped", sent - frozen);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn panic_of_the_core_is_reported() {
    let _alone = ONE_AT_A_TIME.lock().await;
    let mut site = Site::start(|config| config).await;
    assert!(site.probe.works(Duration::from_mins(1)).await);
    let point = site.own.currents[30];
    let _trap = Trap::set(point.0, Fault::Panic);
    site.change(point, 5.0);
    assert!((&mut site.core).await.expect_err("it ends").is_panic());
    assert!(!site.probe.works(Duration::from_mins(1)).await, "nor is it ready");
}
