//! Tests that ingest ends when one of its tasks panics.

use std::sync::{Mutex, OnceLock, PoisonError};

use ingest::readiness::State;
use ingest::{Deps, Error, Readiness};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::{Context, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;

use crate::rig::{PATIENCE, Rig, Rtu, current, database_client, followed, now_ms};

/// The log message that makes a task panic. A process has only one log subscriber, so the tests of a process run one at
/// a time.
static TRIGGER: Mutex<Option<&str>> = Mutex::new(None);
static SUBSCRIBED: OnceLock<()> = OnceLock::new();
static ONE_AT_A_TIME: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

/// Makes the first task panic that logs `message`.
fn panic_at(message: &'static str) {
    SUBSCRIBED.get_or_init(|| tracing_subscriber::registry().with(Trap).init());
    *TRIGGER.lock().unwrap_or_else(PoisonError::into_inner) = Some(message);
}

struct Trap;

impl<S: Subscriber> Layer<S> for Trap {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut message = Message(String::new());
        event.record(&mut message);
        let mut trigger = TRIGGER.lock().unwrap_or_else(PoisonError::into_inner);
        if trigger.is_some_and(|trigger| message.0 == trigger) {
            *trigger = None;
            drop(trigger);
            panic!("a fault of this task");
        }
    }
}

/// The text of a log message.
struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        if field.name() == "message" {
            self.0 = format!("{value:?}");
        }
    }
}

/// Starts an ingest whose result the caller awaits, and waits until it takes telemetry.
async fn start(rig: &Rig) -> JoinHandle<Result<(), Error>> {
    let readiness = Readiness::default();
    let registry = followed(&rig.store, &rig.database_url, &CancellationToken::new()).await;
    let (database_url, store, bus) = (rig.database_url.clone(), rig.store.clone(), rig.bus.clone());
    let deps = Deps { database_url, store, registry, bus, readiness: readiness.clone() };
    let running = tokio::spawn(ingest::run(rig.config(), deps, CancellationToken::new()));
    tokio::time::timeout(PATIENCE, readiness.reached(State::Subscribed)).await.expect("subscriptions in time");
    running
}

async fn ended(running: JoinHandle<Result<(), Error>>) -> String {
    let ended = tokio::time::timeout(PATIENCE, running).await.expect("ingest ends").expect("it reports the panic");
    ended.expect_err("a panic is an error").to_string()
}

#[tokio::test]
async fn panic_of_a_writer_ends_ingest() {
    let _alone = ONE_AT_A_TIME.lock().await;
    let (database, broker) = (testkit::database().await, testkit::broker().await);
    let rig = Rig::prepare(database.url(), &broker.url(), |config| config).await;
    let running = start(&rig).await;
    let mut rtu = Rtu::connect(&broker.url(), "RTU1").await;
    rtu.birth(true).await;
    rtu.boxed(1, false, vec![current(1.0, now_ms())]).await;
    rtu.acknowledged(1).await;
    panic_at("the database does not take a batch");
    database_client(database.url()).await.batch_execute("ALTER TABLE latest RENAME TO latest_gone").await.expect("renamed");
    rtu.boxed(2, false, vec![current(2.0, now_ms())]).await;
    assert!(ended(running).await.contains("writer"));
}

#[tokio::test]
async fn panic_of_the_connection_to_the_broker_ends_ingest() {
    let _alone = ONE_AT_A_TIME.lock().await;
    let (database, mut broker) = (testkit::database().await, testkit::broker().await);
    let rig = Rig::prepare(database.url(), &broker.url(), |config| config).await;
    let running = start(&rig).await;
    panic_at("MQTT connection is down");
    broker.kill();
    assert!(ended(running).await.contains("MQTT"));
}
