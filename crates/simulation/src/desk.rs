//! The interface of a simulated ingest process. Operations that the process starts wait here as actions until the world
//! executes them. So no operation has an immediate effect.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use std::time::Duration;

use field::client::{PublishError, Qos};
use grid::{ClientId, Micros};
use ingest::clock::{Moment, Timer};
use ingest::node_index::NodeIndex;
use ingest::readiness::State;
use ingest::run::lead::Leases;
use ingest::run::{Acknowledgements, Environment};
use ingest::writer::{Database, Failure};
use store::Discovery;
use store::lead::{Retaken, Tenure};
use store::writer::{Batch, Committed};
use tokio::sync::{Notify, oneshot};
use wire::bus::BusMessage;

use crate::database::{Answer, Query};

/// The first and the longest pause before a new connection to the database.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// A started operation.
pub(crate) enum Action {
    /// A message to the broker.
    Publish { topic: String, payload: Vec<u8>, qos: Qos, retain: bool },
    /// The next connection to the broker may be made.
    Resume,
    /// The connection to the broker is replaced.
    Renew,
    /// A message to the hubs.
    Broadcast(BusMessage),
    /// A pause.
    Sleep(Duration, oneshot::Sender<()>),
    /// A write to the disk.
    Flush(oneshot::Sender<()>),
    /// A request to the database, after a pause. The answer to a lost request is `None`.
    Ask { connection: u64, query: Query, pause: Duration, answer: oneshot::Sender<Option<Answer>> },
    /// A connection to the database is closed.
    Close(u64),
    /// Reads the stored link states.
    ReadLinks,
}

pub(crate) struct Inner {
    pub(crate) now: Moment,
    pub(crate) is_connected: bool,
    pub(crate) acknowledgements: Acknowledgements,
    pub(crate) actions: Vec<Action>,
    /// The connections to the database that this process regards as open.
    pub(crate) open: BTreeSet<u64>,
    random: fastrand::Rng,
    connections: Rc<Cell<u64>>,
}

/// The desk of one life of a process. Clones share it.
#[derive(Clone)]
pub(crate) struct Desk {
    pub(crate) inner: Rc<RefCell<Inner>>,
    pub(crate) proof_requested: std::sync::Arc<Notify>,
}

impl Desk {
    /// Returns an empty desk. `connections` numbers the connections to the database of all processes.
    pub(crate) fn new(random: fastrand::Rng, connections: Rc<Cell<u64>>) -> Self {
        let inner = Inner {
            now: Moment { wall: Micros(0), steady: Micros(0) },
            is_connected: false,
            acknowledgements: Acknowledgements::default(),
            actions: Vec::new(),
            open: BTreeSet::new(),
            random,
            connections,
        };
        Self { inner: Rc::new(RefCell::new(inner)), proof_requested: std::sync::Arc::default() }
    }

    pub(crate) fn act(&self, action: Action) {
        self.inner.borrow_mut().actions.push(action);
    }

    pub(crate) fn toss(&self) -> bool {
        self.inner.borrow_mut().random.bool()
    }

    pub(crate) async fn flush(&self) {
        let (sender, done) = oneshot::channel();
        self.act(Action::Flush(sender));
        // If the sender is dropped, the process has ended and this future is not polled again.
        let _ = done.await;
    }

    pub(crate) fn new_connection(&self) -> u64 {
        let inner = self.inner.borrow();
        inner.connections.set(inner.connections.get() + 1);
        inner.connections.get()
    }

    pub(crate) fn begin(&self, connection: u64, query: Query, pause: Duration) -> oneshot::Receiver<Option<Answer>> {
        let (sender, answer) = oneshot::channel();
        self.act(Action::Ask { connection, query, pause, answer: sender });
        answer
    }

    async fn ask(&self, connection: u64, query: Query) -> Option<Answer> {
        let answer = self.begin(connection, query, Duration::ZERO).await.ok().flatten();
        if answer.is_none() {
            self.close(connection);
        }
        answer
    }

    fn close(&self, connection: u64) {
        self.inner.borrow_mut().open.remove(&connection);
        self.act(Action::Close(connection));
    }
}

impl Timer for Desk {
    async fn sleep(&self, duration: Duration) {
        let (sender, done) = oneshot::channel();
        self.act(Action::Sleep(duration, sender));
        let _ = done.await;
    }
}

impl Environment for Desk {
    fn now(&self) -> Moment {
        self.inner.borrow().now
    }

    fn set_readiness(&self, _: State) {}

    fn is_connected(&self) -> bool {
        self.inner.borrow().is_connected
    }

    fn is_subscribed(&self) -> bool {
        self.is_connected()
    }

    fn acknowledgements(&self) -> Acknowledgements {
        self.inner.borrow().acknowledgements
    }

    fn publish(&self, topic: &str, payload: Vec<u8>, qos: Qos, retain: bool) -> Result<(), PublishError> {
        if !self.is_connected() {
            return Err(PublishError::Down);
        }
        self.act(Action::Publish { topic: topic.to_owned(), payload, qos, retain });
        Ok(())
    }

    fn resume(&self) {
        self.act(Action::Resume);
    }

    fn renew(&self) {
        self.act(Action::Renew);
    }

    fn broadcast(&self, message: BusMessage) {
        self.act(Action::Broadcast(message));
    }

    fn request_proof(&self) {
        self.proof_requested.notify_one();
    }

    fn discover(&self, _: NodeIndex, discovery: Discovery) {
        // Every point is in the registry from the start, so a value was mistaken for another metric.
        panic!("nothing is to be discovered here: {discovery:?}");
    }

    fn read_links(&self) {
        self.act(Action::ReadLinks);
    }

    fn look_for_missed(&self, _: HashMap<ClientId, i64>) {}
}

/// A lock in the database that a process has taken. The process may not know that it has lost the lock.
pub(crate) struct Lead {
    pub(crate) tenure: Tenure,
    connection: Connected,
}

/// A connection that is closed when it is dropped.
struct Connected {
    desk: Desk,
    number: u64,
}

impl Drop for Connected {
    fn drop(&mut self) {
        self.desk.close(self.number);
    }
}

fn lost() -> store::Error {
    store::Error::Data("the connection is lost".to_owned())
}

impl Leases for Desk {
    type Lead = Lead;

    fn tenure<'a>(&self, lead: &'a Lead) -> &'a Tenure {
        &lead.tenure
    }

    async fn take(&self, name: &str) -> store::Result<Option<Lead>> {
        let connection = Connected { desk: self.clone(), number: self.new_connection() };
        match self.ask(connection.number, Query::Take).await {
            Some(Answer::Taken(term)) => Ok(term.map(|term| Lead { tenure: Tenure { name: name.to_owned(), term }, connection })),
            _ => Err(lost()),
        }
    }

    async fn retake(&self, tenure: &Tenure) -> store::Result<Retaken<Lead>> {
        let connection = Connected { desk: self.clone(), number: self.new_connection() };
        match self.ask(connection.number, Query::Retake).await {
            Some(Answer::Locked { stored, is_locked }) => {
                Ok(tenure.retaken(stored, is_locked.then(|| Lead { tenure: tenure.clone(), connection })))
            }
            _ => Err(lost()),
        }
    }

    async fn holds(&self, lead: &Lead, patience: Duration) -> bool {
        let number = lead.connection.number;
        self.within(patience, self.ask(number, Query::Ping)).await.flatten().is_some()
    }
}

/// A writer's connection to the database.
pub(crate) struct Connection {
    desk: Desk,
    connected: Option<Connected>,
    attempt: Option<(Connected, oneshot::Receiver<Option<Answer>>)>,
    pause: Duration,
    has_failed: bool,
}

impl Connection {
    pub(crate) fn new(desk: Desk) -> Self {
        Self { desk, connected: None, attempt: None, pause: Duration::ZERO, has_failed: false }
    }

    fn fail(&mut self) {
        self.connected = None;
        self.has_failed = true;
        self.pause = (self.pause * 2).clamp(FIRST_PAUSE, LONGEST_PAUSE);
    }
}

impl Database for Connection {
    fn is_up(&self) -> bool {
        self.connected.as_ref().is_some_and(|connected| self.desk.inner.borrow().open.contains(&connected.number))
    }

    async fn up(&mut self) {
        while !self.is_up() {
            let attempt = self.attempt.get_or_insert_with(|| {
                let number = self.desk.new_connection();
                let answer = self.desk.begin(number, Query::Connect, self.pause);
                (Connected { desk: self.desk.clone(), number }, answer)
            });
            let answer = (&mut attempt.1).await.ok().flatten();
            let connected = self.attempt.take().map(|(connected, _)| connected);
            self.connected = connected.filter(|_| answer.is_some());
            if self.connected.is_none() {
                self.fail();
            }
        }
    }

    fn take_recovered(&mut self) -> bool {
        self.is_up() && std::mem::take(&mut self.has_failed)
    }

    async fn commit(&mut self, batch: &Batch, tenure: Option<&Tenure>) -> Result<Committed, Failure> {
        let Some(number) = self.connected.as_ref().map(|connected| connected.number).filter(|_| self.is_up()) else {
            return Err(Failure::Unavailable);
        };
        match self.desk.ask(number, Query::Commit(Box::new(batch.clone()), tenure.cloned())).await {
            Some(Answer::Committed(Ok(committed))) => {
                self.pause = Duration::ZERO;
                Ok(committed)
            }
            Some(Answer::Committed(Err(Failure::Deposed))) => Err(Failure::Deposed),
            _ => {
                self.fail();
                Err(Failure::Unavailable)
            }
        }
    }

    async fn flush(&mut self) {}
}
