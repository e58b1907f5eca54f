//! A process that runs schedules of reports with a clock that the test sets, and queries for tests.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use futures_util::FutureExt as _;
use grid::{ClientId, Micros};
use permits::{FairQueue, HeavySlot, LimitOwner, Owner};
use serde_json::{Value, json};
use store::Store;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::energy_field::now;
use crate::server::{Answer, ServeSettings, Server, deps};

pub(crate) const DAY_MS: i64 = 24 * 3_600_000;
/// Time between the end of the days and the report, ms.
pub(crate) const SETTLES_MS: i64 = 65 * 60_000;
/// Time limit of each wait in a test.
const PATIENCE: Duration = Duration::from_mins(2);

/// Number of slots of heavy reads of a process.
const SLOTS: usize = 6;
/// A utility without reports.
const OTHER: ClientId = ClientId(i64::MAX);

/// A clock that can be set, and the time that has passed on it.
#[derive(Clone)]
pub(crate) struct Clock {
    wall: Arc<AtomicI64>,
    passed_us: Arc<AtomicI64>,
}

impl Clock {
    /// Creates a stopped clock with the present time.
    pub(crate) fn of_now() -> Self {
        Self { wall: Arc::new(AtomicI64::new(now().0)), passed_us: Arc::default() }
    }

    /// Lets time pass up to an instant.
    pub(crate) fn set(&self, at: Micros) {
        let passed = at.0 - self.wall.swap(at.0, Ordering::SeqCst);
        assert!(passed >= 0, "time does not pass backwards");
        self.passed_us.fetch_add(passed, Ordering::SeqCst);
    }

    /// Sets the time without letting any pass.
    pub(crate) fn jump(&self, at: Micros) {
        self.wall.store(at.0, Ordering::SeqCst);
    }

    fn at(&self) -> Micros {
        Micros(self.wall.load(Ordering::SeqCst))
    }

    fn passed(&self) -> Duration {
        Duration::from_micros(self.passed_us.load(Ordering::SeqCst).unsigned_abs())
    }
}

/// A process that runs schedules.
pub(crate) struct Minder {
    /// Its queue of heavy reads, with [`SLOTS`] slots.
    pub(crate) queue: FairQueue,
    task: JoinHandle<()>,
    stop: CancellationToken,
}

impl Minder {
    pub(crate) async fn start(server: &Server, clock: &Clock) -> Self {
        Self::keeping(server, clock, 1 << 30).await
    }

    /// Starts it with a time limit for runs.
    pub(crate) async fn hurried(server: &Server, clock: &Clock, made_within: Duration) -> Self {
        Self::with(server, clock, 1 << 30, made_within).await
    }

    /// Starts it with a limit of stored bytes per utility.
    pub(crate) async fn keeping(server: &Server, clock: &Clock, kept_bytes_max: i64) -> Self {
        Self::with(server, clock, kept_bytes_max, Duration::from_hours(1)).await
    }

    async fn with(server: &Server, clock: &Clock, kept_bytes_max: i64, made_within: Duration) -> Self {
        let store = Store::connect(server.database.url(), SLOTS).await.expect("connected");
        let stop = CancellationToken::new();
        let settings = ServeSettings {
            registry: server.registry.clone(),
            broker: testkit::shared_mqtt_url(),
            demo_logins: false,
            second_factor: identity::SecondFactor::Offered,
            smtp: server.smtp.clone(),
            power_bi: None,
        };
        let deps = deps(store, bus::Bus::local(16), settings, &stop);
        let (clock, counter) = (clock.clone(), clock.clone());
        let settings = reports::schedule::ScheduleSettings {
            database_url: server.database.url().to_owned(),
            kept_bytes_max,
            poll: Duration::from_millis(20),
            made_within,
            sweep: Duration::from_millis(20),
            clock: Arc::new(move || clock.at()),
            counter: Arc::new(move || counter.passed()),
        };
        let queue = deps.reports.queue().clone();
        let task = tokio::spawn(reports::schedule::mind_schedules(settings, deps.reports, stop.clone()));
        Self { queue, task, stop }
    }

    /// Takes all slots of heavy reads for reads of another utility.
    pub(crate) async fn take_slots(&self) -> Vec<HeavySlot> {
        let mut slots = Vec::new();
        for run in 0..SLOTS {
            let owner = Owner { user: LimitOwner::Run(i64::MAX - i64::try_from(run).expect("small")), utility: OTHER };
            slots.push(self.queue.slot(owner).await.expect("a slot"));
        }
        slots
    }

    /// Waits until a run waits for one of the slots that [`Self::take_slots`] has taken.
    pub(crate) async fn until_queued(&self) {
        timeout(PATIENCE, self.queue.other_utility_waits(OTHER)).await.expect("no run waits for a slot");
    }

    /// Waits until no run waits for a slot.
    pub(crate) async fn until_not_queued(&self) {
        let attempt = async {
            while self.queue.other_utility_waits(OTHER).now_or_never().is_some() {
                sleep(Duration::from_millis(20)).await;
            }
        };
        timeout(PATIENCE, attempt).await.expect("a run waits for a slot");
    }

    /// Ends it at once, at any point.
    pub(crate) async fn kill(self) {
        self.task.abort();
        while !self.task.is_finished() {
            tokio::task::yield_now().await;
        }
    }
}

impl Drop for Minder {
    fn drop(&mut self) {
        self.task.abort();
        self.stop.cancel();
    }
}

/// Returns a daily report of the events of the whole utility at midnight; events of today are in the next one.
pub(crate) fn nightly(server: &Server) -> Value {
    json!({
        "name": "Events of the day", "question": { "report": "EVENT_LOG", "level": "client", "levelId": server.one.client.0 }, "period": "day",
        "format": "csv", "every": "day", "time": "00:00"
    })
}

/// Creates a schedule and returns it.
pub(crate) async fn schedule(server: &Server, token: &str, entry: &Value) -> Value {
    let answer = server.json_as(token, "POST", "/api/reports/schedules", entry).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()["result"].clone()
}

pub(crate) fn instant(reported: &Value) -> Micros {
    reported.as_str().and_then(wire::time::parse_iso).unwrap_or_else(|| panic!("no time: {reported}"))
}

pub(crate) async fn get(server: &Server, token: &str, path: &str) -> Answer {
    server.get_as(token, &format!("/api/reports/{path}")).await
}

/// Returns the runs of a schedule, sorted by due time.
pub(crate) async fn runs(server: &Server, token: &str, schedule: &Value) -> Vec<Value> {
    let answer = get(server, token, &format!("schedules/{}/runs", schedule["id"])).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let mut runs = answer.json()["result"].as_array().expect("runs").clone();
    runs.sort_by_key(|run| instant(&run["due"]));
    runs
}

/// Waits until the runs of a schedule match.
pub(crate) async fn until(server: &Server, token: &str, schedule: &Value, are: impl Fn(&[Value]) -> bool) -> Vec<Value> {
    let attempt = async {
        loop {
            let found = runs(server, token, schedule).await;
            if are(&found) {
                return found;
            }
            sleep(Duration::from_millis(20)).await;
        }
    };
    let Ok(found) = timeout(PATIENCE, attempt).await else {
        panic!("they stay as they are: {:?}", runs(server, token, schedule).await);
    };
    found
}

/// Returns whether all runs have ended.
pub(crate) fn ended(runs: &[Value]) -> bool {
    !runs.is_empty() && runs.iter().all(|run| run["state"] != "waiting" && run["state"] != "running")
}

/// Waits until a query of the database returns true.
pub(crate) async fn until_stored(server: &Server, question: &str) {
    let client = server.database.client().await;
    let attempt = async {
        while !client.query_one(question, &[]).await.expect("an answer").get::<_, bool>(0) {
            sleep(Duration::from_millis(20)).await;
        }
    };
    assert!(timeout(PATIENCE, attempt).await.is_ok(), "never true: {question}");
}
