//! Processes everything that affects commands without a request of a user. Each change is a transaction that starts from the stored state. So several apis can
//! process the same occurrence. If one api misses it, another api or the next comparison with the database processes it.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bus::{Bus, Received};
use dashmap::DashMap;
use dashmap::mapref::entry::Entry;
use field::client::{Events, Settings};
use grid::control::machine::Event;
use grid::control::{AddCause, CommandId, GatewayAnswer, State};
use grid::{ClientId, GatewayId, PointId};
use store::audit::Origin;
use store::control::{OpenCommand, Site};
use store::{ReadClass, Store};
use tokio::sync::{broadcast, mpsc};
use tokio::time::{MissedTickBehavior, interval, sleep_until};
use tokio_util::sync::CancellationToken;
use wire::bus::BusMessage;
use wire::from_grid::link_state;

use crate::handle::{Control, ControlSettings, Inner};
use crate::job::Job;
use crate::open::{Links, Open};
use crate::steps::{event, expired, steps};

/// Limit of state changes that are queued for waiting requests. A request that lags behind reads the database.
const ROWS: usize = 1_024;
/// Maximum number of queued jobs. Further jobs are dropped; the comparison with the database finds the same changes within a second.
const JOBS: usize = 1_024;
/// Interval of the heartbeat in the database and of the comparison with the open commands.
const BEAT: Duration = Duration::from_secs(1);
/// An api without a heartbeat for this time counts as stopped, and the others end its commands.
const PATIENCE: Duration = Duration::from_secs(3);
/// Time limit of the last statement to the database at shutdown.
const FAREWELL: Duration = Duration::from_secs(1);
/// Number of heartbeats between two deletions of old idempotency keys.
const SWEEP_BEATS: u64 = 3_600;
/// The code of a point that reports a trip of the protection.
const TRIP: &str = "Op";

impl Control {
    /// Starts the service, which runs until `shutdown`. The broker and the database may be unreachable at times. In these times nothing can be operated.
    pub fn start(settings: ControlSettings, store: &Store, bus: Bus, shutdown: CancellationToken) -> Result<Self, field::client::Error> {
        let (id, _) = auth::new_token();
        let id = id[..16].to_owned();
        let (publisher, events) = field::client::connect(Settings::new(settings.mqtt_url, format!("switchyard-control-{id}")))?;
        let (jobs, waiting) = mpsc::channel(JOBS);
        let (rows, _) = broadcast::channel(ROWS);
        let signing_key = settings.signing_key;
        let control = Self(Arc::new(Inner {
            store: store.in_class(ReadClass::Reserved),
            bus,
            id,
            publisher,
            signing_key,
            image: Mutex::default(),
            open: DashMap::new(),
            rows,
            jobs,
        }));
        start(&control, events, waiting, shutdown);
        Ok(control)
    }
}

fn start(control: &Control, events: Events, jobs: mpsc::Receiver<Job>, shutdown: CancellationToken) {
    // Subscribe to the bus before reading the database, so that no message is missed in between.
    tokio::spawn(listen(control.clone(), control.0.bus.subscribe(), shutdown.clone()));
    tokio::spawn(drain(events, control.clone(), shutdown.clone()));
    tokio::spawn(work(control.clone(), jobs, shutdown));
}

/// Drains the events of the connection that publishes commands. These are only its own connects and disconnects.
async fn drain(mut events: Events, control: Control, shutdown: CancellationToken) {
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return control.0.publisher.close().await,
            event = events.next() => match event {
                Some(field::client::Event::Down { reason, .. }) => tracing::debug!(reason, "no orders can leave"),
                Some(_) => {}
                None => return,
            },
        }
    }
}

/// Receives messages from the bus. Never waits for the database.
async fn listen(control: Control, mut bus: bus::Subscription, shutdown: CancellationToken) {
    loop {
        let received = tokio::select! {
            () = shutdown.cancelled() => return,
            received = bus.next() => received,
        };
        match received {
            None => return,
            Some(Received::Lagged) => {
                control.later(Job::Watch);
                control.later(Job::Reload);
            }
            Some(Received::Message(message)) => apply(&control, &message),
        }
    }
}

fn apply(control: &Control, message: &BusMessage) {
    match message {
        BusMessage::Changes { changes, .. } => {
            let mut jobs = Vec::new();
            let mut image = control.image();
            for change in changes {
                let Some((point, reading)) = image.take(change) else { continue };
                let tripped = point.code == TRIP && reading.value.is_some_and(|value| value > 0.5);
                if tripped {
                    jobs.push(Job::Tripped { gateway: point.gateway, device: point.device.clone(), source: reading.source });
                } else {
                    jobs.push(Job::Moved { point: point.id, reading });
                }
            }
            drop(image);
            let open: HashSet<PointId> = control.open().iter().map(|open| open.point).collect();
            if !open.is_empty() {
                jobs.into_iter()
                    .filter(|job| !matches!(job, Job::Moved { point, .. } if !open.contains(point)))
                    .for_each(|job| control.later(job));
            }
        }
        BusMessage::CommandAnswer { client, gateway, command, state, add_cause, .. } => {
            let (Ok(command), Some(answer)) = (command.parse(), GatewayAnswer::parse(state)) else {
                metrics::counter!("control_answers_unread_total").increment(1);
                return tracing::warn!(client, gateway, "a gateway's answer to a command cannot be read");
            };
            let cause = add_cause.and_then(AddCause::from_code);
            control.later(Job::Answered { client: ClientId(*client), gateway: GatewayId(*gateway), command, answer, cause });
        }
        BusMessage::Gateway { gateway, online, since, order, changed, .. } => {
            let (gateway, link) = (GatewayId(*gateway), link_state(*online, *since, *order));
            // State and time are set under one lock: a decision has either read the links before this time or knows this state.
            let received = {
                let mut image = control.image();
                image.gateway(gateway, link, *changed);
                Instant::now()
            };
            // A confirmation of the link state is not an interruption.
            if *changed {
                control.later(Job::Cut { gateway, device: None, received, order: link.order });
            }
        }
        BusMessage::Device { gateway, device, online, since, order, changed, .. } => {
            let (gateway, link) = (GatewayId(*gateway), link_state(*online, *since, *order));
            let received = {
                let mut image = control.image();
                image.device(gateway, device, link);
                Instant::now()
            };
            // The birth of a device after that of its gateway is already covered by the gateway's. A birth of the device alone means that
            // it restarted behind the gateway.
            if *changed {
                control.later(Job::Cut { gateway, device: Some(device.clone()), received, order: link.order });
            }
        }
        BusMessage::Commands { rows, .. } => {
            for (at, row) in rows.iter().enumerate() {
                if rows[at + 1..].iter().any(|later| later.command_id == row.command_id) {
                    continue;
                }
                let over = State::parse(&row.state).is_none_or(State::is_final);
                let known = control.open().get(&row.command_id).is_some_and(|open| open.state.as_str() == row.state);
                if over {
                    control.open().remove(&row.command_id);
                } else if !known {
                    control.later(Job::Reload);
                }
                let _ = control.0.rows.send(Arc::new(row.clone()));
            }
        }
        BusMessage::CommandEpoch { gateway, epoch, .. } => control.image().epoch(GatewayId(*gateway), *epoch),
        BusMessage::Session { session, .. } => control.later(Job::SessionEnded { session: *session }),
        BusMessage::Alive { ingest, clients, share, since } => control.image().alive(ingest, clients, *share, *since),
        BusMessage::Registry { .. } => control.later(Job::Watch),
        BusMessage::Events { .. }
        | BusMessage::Tags { .. }
        | BusMessage::Areas { .. }
        | BusMessage::Acknowledged { .. }
        | BusMessage::Alarms { .. }
        | BusMessage::Faults { .. }
        | BusMessage::AlarmRules { .. }
        | BusMessage::AlarmsAlive { .. } => {}
    }
}

/// Processes jobs one after the other.
async fn work(control: Control, mut jobs: mpsc::Receiver<Job>, shutdown: CancellationToken) {
    let mut beat = interval(BEAT);
    beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut beats: u64 = 0;
    control.watch().await;
    loop {
        let due = control.open().iter().map(|open| open.due).min();
        tokio::select! {
            () = shutdown.cancelled() => break,
            _ = beat.tick() => {
                control.beat(beats).await;
                beats += 1;
            }
            () = sleep_until(due.unwrap_or_else(Instant::now).into()), if due.is_some() => control.overdue().await,
            Some(job) = jobs.recv() => control.deal_with(job).await,
        }
    }
    let store = &control.0.store;
    match tokio::time::timeout(FAREWELL, store.control_leave(&control.0.id)).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::debug!(%error, "the shutdown of command supervision could not be stored; another api takes over in 3 s"),
        Err(_) => tracing::debug!("the shutdown of command supervision could not be stored in time; another api takes over in 3 s"),
    }
}

impl Control {
    async fn deal_with(&self, job: Job) {
        match job {
            Job::Answered { client, gateway, command, answer, cause } => self.answered(client, gateway, command, answer, cause).await,
            Job::Moved { point, reading } => {
                for (id, open) in self.open_where(|open| open.point == point && open.state.is_executing()) {
                    self.advance(
                        open.client,
                        open.point,
                        |site| has(site, &id),
                        |control, site| vec![event(site, &reading), control.position(site)],
                    )
                    .await;
                }
            }
            Job::Tripped { gateway, device, source } => {
                for (id, open) in self.open_where(|open| open.gateway == gateway && open.device == device) {
                    self.advance(open.client, open.point, |site| has(site, &id), |_, _| vec![Some(Event::Trip { source })]).await;
                }
            }
            Job::Cut { gateway, device, received, order } => {
                let concerned = |open: &Open| open.gateway == gateway && device.as_ref().is_none_or(|device| *device == open.device);
                for (id, open) in self.open_where(|open| concerned(open) && !open.links.knew(device.is_some(), received, order)) {
                    // Another command may hold the point by now, and its decision knew of this link state.
                    self.advance(open.client, open.point, |site| has(site, &id), |_, _| vec![Some(Event::LinkLost)]).await;
                }
            }
            Job::Unsent { client, point, command } => {
                self.advance(client, point, |_| true, |_, _| vec![Some(Event::Unsent { id: command })]).await;
            }
            Job::SessionEnded { session } => {
                for (_, open) in self.open_where(|open| open.session == session && !open.state.is_executing()) {
                    self.end_session(open.client, open.point, session).await;
                }
            }
            Job::Look => {}
            Job::Reload => self.reload().await,
            Job::Watch => self.watch().await,
        }
    }

    /// Returns the open commands that match, with their ids.
    fn open_where(&self, matches: impl Fn(&Open) -> bool) -> Vec<(String, Open)> {
        self.open().iter().filter(|open| matches(open)).map(|open| (open.key().clone(), open.clone())).collect()
    }

    /// Applies an answer of a gateway. An answer of another gateway than the one that received the command is ignored.
    async fn answered(&self, client: ClientId, gateway: GatewayId, command: CommandId, answer: GatewayAnswer, cause: Option<AddCause>) {
        let known = self.open().get(&command.to_string()).map(|open| (open.client, open.point));
        let point = match known {
            Some((of, point)) if of == client => Some(point),
            Some(_) => None,
            // A command of another api that this process has not received yet.
            None => self.0.store.command(client, &command.to_string()).await.ok().flatten().map(|record| record.point),
        };
        let Some(point) = point else {
            metrics::counter!("control_answers_foreign_total").increment(1);
            return tracing::warn!(%client, %gateway, %command, "a gateway answers to a command that it was not given");
        };
        self.advance(client, point, |site| site.gateway == gateway, |_, _| vec![Some(Event::Answered { id: command, answer, cause })])
            .await;
    }

    async fn end_session(&self, client: ClientId, point: PointId, session: i64) {
        let of_session = |site: &Site| site.held.as_ref().is_some_and(|held| held.command.holder.session == session);
        let ended = |_: &Self, site: &Site| vec![site.held.as_ref().map(|held| Event::SessionEnded(held.command.holder))];
        self.advance(client, point, of_session, ended).await;
    }

    /// Returns the newest position of a point, as an event.
    fn position(&self, site: &Site) -> Option<Event> {
        let reading = self.image().newest(site.point, site.latest)?;
        event(site, &reading)
    }

    /// Applies events to the command that holds a point, in one transaction.
    async fn advance(
        &self,
        client: ClientId,
        point: PointId,
        concerns: impl FnOnce(&Site) -> bool,
        events: impl FnOnce(&Self, &Site) -> Vec<Option<Event>>,
    ) {
        let origin = Origin { client: Some(client), from: "control".to_owned(), ..Origin::default() };
        let step = |site: &Site| {
            if site.held.is_none() || !concerns(site) {
                return None;
            }
            Some(steps(site, events(self, site).into_iter().flatten()))
        };
        match self.0.store.advance(client, point, &origin, step).await {
            Ok(Some(committed)) => self.carry_out(&committed, Links::unknown(Instant::now())),
            Ok(None) => {}
            // The next comparison with the database repeats the attempt.
            Err(error) => tracing::warn!(%error, %client, %point, "the new state of a command could not be stored; trying again"),
        }
    }

    /// Ends states whose deadline has passed on the monotonic clock, whatever the wall clock shows.
    async fn overdue(&self) {
        let now = Instant::now();
        let over: Vec<(String, Open)> = self.open_where(|open| open.due <= now);
        for (id, open) in over {
            let Ok(command) = id.parse::<CommandId>() else { continue };
            let as_known = |site: &Site| {
                let held = site.held.as_ref().map(|held| (held.command.id, held.command.state));
                held == Some((command, open.state))
            };
            let origin = Origin { client: Some(open.client), from: "control".to_owned(), ..Origin::default() };
            let step = |site: &Site| as_known(site).then(|| expired(site, self.position(site)));
            match self.0.store.advance(open.client, open.point, &origin, step).await {
                Ok(Some(committed)) => self.carry_out(&committed, Links::unknown(Instant::now())),
                Ok(None) => {
                    // Another task or api was first.
                    self.open().remove_if(&id, |_, entry| entry.noted == open.noted);
                }
                Err(error) => {
                    tracing::warn!(%error, command = id, "the end of a command could not be entered; trying again");
                    if let Some(mut entry) = self.open().get_mut(&id) {
                        entry.due = now + BEAT;
                    }
                }
            }
        }
    }

    async fn beat(&self, beats: u64) {
        if let Err(error) = self.0.store.control_beat(&self.0.id).await {
            return tracing::warn!(%error, "commands cannot be minded: the database is away");
        }
        if beats.is_multiple_of(SWEEP_BEATS)
            && let Err(error) = self.0.store.sweep_requests().await
        {
            tracing::debug!(%error, "old requests stay for now");
        }
        self.reload().await;
    }

    /// Compares the open commands with the database, and ends those whose api or session has ended.
    async fn reload(&self) {
        let read_at = Instant::now();
        let found = match self.0.store.open_commands(PATIENCE).await {
            Ok(found) => found,
            Err(error) => return tracing::warn!(%error, "the open commands cannot be read"),
        };
        {
            let ids: HashSet<&str> = found.iter().map(|open| open.id.as_str()).collect();
            let open = self.open();
            open.retain(|id, entry| entry.noted > read_at || ids.contains(id.as_str()));
            for command in &found {
                let Some(state) = State::parse(&command.state) else { continue };
                let due = read_at + Duration::from_millis(u64::try_from(command.left_ms).unwrap_or_default());
                // Known states keep the deadline that was measured from their receipt, so that setting the wall clock does not prolong
                // them.
                let OpenCommand { client, point, gateway, device, session, .. } = command.clone();
                let as_stored = |links| Open { client, point, gateway, device, session, state, due, noted: read_at, links };
                match open.entry(command.id.clone()) {
                    Entry::Occupied(known) if known.get().state == state || known.get().noted > read_at => {}
                    Entry::Occupied(mut known) => {
                        let links = known.get().links;
                        known.insert(as_stored(links));
                    }
                    Entry::Vacant(place) => drop(place.insert(as_stored(Links::unknown(read_at)))),
                }
            }
        }
        for command in found {
            let OpenCommand { client, point, session, orphan, session_over, .. } = command;
            let Some(state) = State::parse(&command.state) else { continue };
            if orphan {
                // The device may have reported its position before, which decides the outcome.
                self.advance(client, point, |_| true, |control, site| vec![control.position(site), Some(Event::Restarted)]).await;
            } else if session_over && !state.is_executing() {
                self.end_session(client, point, session).await;
            } else if state.is_executing() {
                self.advance(client, point, |_| true, |control, site| vec![control.position(site)]).await;
            }
        }
    }

    async fn watch(&self) {
        match self.0.store.status_points().await {
            Ok(points) => self.image().watch(points),
            Err(error) => tracing::warn!(%error, "the status points cannot be read; positions come from the database until they can"),
        }
    }
}

/// Returns whether this command still holds the point.
fn has(site: &Site, command: &str) -> bool {
    site.held.as_ref().is_some_and(|held| held.command.id.to_string() == command)
}
