//! Operating breakers: between the call of a person and the order to a gateway, and back. Each decision is one transaction (`store::control`) by the rules of
//! the domain (`grid::control`); here is what happens around it.
//!
//! - `request`: what somebody asks for, decided and answered. `decide`: its facts.
//! - `service`: what happens by itself, until shutdown: answers of gateways, positions, deadlines, links and sessions that end, apis that have gone.
//! - `image`: positions and links as the bus has them. `send`: the only place that an order leaves from.

mod decide;
mod error;
mod image;
mod request;
mod send;
mod service;
mod status;

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bus::Bus;
use field::client::{Publisher, Settings};
use grid::control::State;
use grid::control::machine::Effect;
use grid::{ClientId, GatewayId, Lease, LinkOrder, Micros, PointId};
use store::Store;
use store::control::Committed;
use tokio::sync::{broadcast, mpsc};
use tokio_util::sync::CancellationToken;
use wire::bus::BusMessage;
use wire::control::CommandRow;

pub use decide::throw_of;
pub use ed25519_dalek::SigningKey;
pub use error::Error;
use image::Image;
pub use request::{Action, Outcome, RefusalClass, Wanted, no_right};
use service::Job;

/// States that wait for callers who wait for one; who falls behind reads the database.
const ROWS: usize = 1_024;
/// Happenings that wait to be dealt with. What comes beyond is made up for by the next look at the database, within a second.
const JOBS: usize = 1_024;

/// What operating works with.
#[derive(Clone)]
pub struct ControlSettings {
    /// The broker, `mqtt://[user:password@]host[:port]`. Only this service may publish orders there.
    pub mqtt_url: String,
    /// What signs orders for gateways that want that: an Ed25519 key. Without it such gateways refuse every order.
    pub signing_key: Option<SigningKey>,
}

/// The service that minds commands; clones are the same.
#[derive(Clone)]
pub struct Control(Arc<Inner>);

struct Inner {
    store: Store,
    bus: Bus,
    /// This api among others.
    id: String,
    publisher: Publisher,
    signing_key: Option<SigningKey>,
    image: Mutex<Image>,
    open: Mutex<HashMap<String, Open>>,
    rows: broadcast::Sender<Arc<CommandRow>>,
    jobs: mpsc::Sender<Job>,
}

/// A command that is not over. Bounded by the points that can be operated: each has at most one.
#[derive(Debug, Clone)]
struct Open {
    client: ClientId,
    point: PointId,
    gateway: GatewayId,
    device: String,
    session: i64,
    state: State,
    /// When its state ends by itself, by a clock that nobody sets.
    due: Instant,
    /// When it was learned.
    noted: Instant,
    /// What was known of its links when it was decided.
    links: Links,
}

/// What a decision knew of the links between us and a device: news that are older than that say nothing of the command that it made.
#[derive(Debug, Clone, Copy)]
struct Links {
    /// Not later than the look at what the bus had told; what it tells afterwards was not known.
    at: Instant,
    /// The place of the gateway's state.
    gateway: Option<LinkOrder>,
    /// The place of its device's state.
    device: Option<LinkOrder>,
}

impl Links {
    /// Of a decision that others made: what is heard from now on may be about it.
    fn unknown(at: Instant) -> Self {
        Self { at, gateway: None, device: None }
    }

    /// Returns whether the decision knew a link state of this place, or a newer one. The bus may be behind the database by a moment.
    fn knew(&self, of_device: bool, heard: Instant, order: LinkOrder) -> bool {
        let known = if of_device { self.device } else { self.gateway };
        heard <= self.at || known.is_some_and(|known| order <= known)
    }
}

impl Control {
    /// Starts minding commands; it goes on until `shutdown`. The broker and the database may be away meanwhile: then nothing is operated.
    pub fn start(settings: ControlSettings, store: Store, bus: Bus, shutdown: CancellationToken) -> Result<Self, field::client::Error> {
        let (id, _) = auth::new_token();
        let id = id[..16].to_owned();
        let (publisher, events) = field::client::connect(Settings::new(settings.mqtt_url, format!("switchyard-control-{id}")))?;
        let (jobs, waiting) = mpsc::channel(JOBS);
        let (rows, _) = broadcast::channel(ROWS);
        let signing_key = settings.signing_key;
        let control =
            Self(Arc::new(Inner { store, bus, id, publisher, signing_key, image: Mutex::default(), open: Mutex::default(), rows, jobs }));
        service::start(&control, events, waiting, shutdown);
        Ok(control)
    }

    fn image(&self) -> MutexGuard<'_, Image> {
        self.0.image.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open(&self) -> MutexGuard<'_, HashMap<String, Open>> {
        self.0.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the ingests that are heard vouch for: of other gateways nothing is live.
    pub fn leases(&self) -> Vec<Lease> {
        self.image().leases()
    }

    /// Does what follows from a decision that is on record: the order to the gateway first, then the news.
    fn carry_out(&self, committed: &Committed, links: Links) {
        self.note(committed, links);
        let operator = committed.rows.last().map(|row| row.operator.as_str());
        let operator = operator.or(committed.site.held.as_ref().map(|held| held.operator.as_str())).unwrap_or_default();
        for effect in &committed.effects {
            match effect {
                Effect::Publish { id, .. } => {
                    if let Err(error) = self.send(committed, operator, *effect) {
                        tracing::warn!(%error, command = %id, "an order could not leave; it will not be sent again");
                        self.later(Job::Unsent { client: committed.client, point: committed.site.point, command: *id });
                    }
                }
                Effect::Alarm { id } => {
                    metrics::counter!("control_alarms_total").increment(1);
                    tracing::warn!(command = %id, asset = committed.site.asset_name, "a command did not end as it should: look at the device");
                }
                Effect::Interrogate => self.interrogate(&committed.site),
            }
        }
        self.tell(committed);
    }

    /// Keeps in mind which command has the point now.
    fn note(&self, committed: &Committed, links: Links) {
        let Committed { client, site, rows, holds, .. } = committed;
        let mut open = self.open();
        let before = holds.and_then(|(command, _)| open.get(&command.id.to_string()).cloned());
        for row in rows {
            open.remove(&row.id);
        }
        if let Some((command, left_ms)) = holds {
            let now = Instant::now();
            let due = now + Duration::from_millis(u64::try_from(*left_ms).unwrap_or_default());
            // A state that goes on ends when it was to end, whatever the wall clock says by now.
            let same = before.as_ref().filter(|before| before.state == command.state);
            let due = same.map_or(due, |before| due.min(before.due));
            let links = before.as_ref().map_or(links, |before| before.links);
            open.insert(
                command.id.to_string(),
                Open {
                    client: *client,
                    point: site.point,
                    gateway: site.gateway,
                    device: site.device.clone(),
                    session: command.holder.session,
                    state: command.state,
                    due,
                    noted: now,
                    links,
                },
            );
        }
        drop(open);
        // Deadlines may be nearer now.
        self.later(Job::Look);
    }

    /// Tells everybody of the states that were reached.
    fn tell(&self, committed: &Committed) {
        let Committed { client, epoch, from, rows, .. } = committed;
        let Some(offset) = rows.last().map(|row| row.offset) else { return };
        let rows: Vec<CommandRow> = rows.iter().map(CommandRow::from).collect();
        for row in &rows {
            // Nobody waiting is no error.
            let _ = self.0.rows.send(Arc::new(row.clone()));
        }
        self.0.bus.publish(BusMessage::Commands { client: client.0, epoch: epoch.clone(), from: *from, offset, rows });
    }

    /// Has something dealt with; at the bound it is dropped, and the next look at the database makes up for it.
    fn later(&self, job: Job) {
        if self.0.jobs.try_send(job).is_err() {
            metrics::counter!("control_jobs_dropped_total").increment(1);
        }
    }
}

impl std::fmt::Debug for Control {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Control ")?;
        f.write_str(&self.0.id)?;
        f.write_char(' ')
    }
}

/// The wall clock, by which rows are stamped.
fn now() -> Micros {
    Micros(jiff::Timestamp::now().as_microsecond())
}
