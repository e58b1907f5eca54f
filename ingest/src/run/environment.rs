//! The interface of the leader's loop to broker, bus, database and clock. A simulation runs the same loop with
//! simulated ones.

use std::collections::HashMap;
use std::sync::Arc;

use field::client::{PublishError, Publisher, Qos};
use grid::ClientId;
use store::Discovery;
use tokio::sync::{Notify, mpsc};
use wire::bus::BusMessage;

use super::background::{self, Background};
use super::dependencies::Deps;
use super::discoveries::Request;
use super::progress::Acknowledgements;
use super::supervisor::Supervisor;
use crate::clock::{Clock, Moment};
use crate::node_index::NodeIndex;
use crate::readiness::State;

/// The interface to broker, bus, database and clock. No call waits: slow operations are started, and their results are
/// passed to the loop.
pub trait Environment {
    /// Returns the current time.
    fn now(&self) -> Moment;
    /// Reports whether telemetry is taken.
    fn set_readiness(&self, state: State);
    /// Returns whether the connection to the broker is up.
    fn is_connected(&self) -> bool;
    /// Returns whether the broker has granted the subscriptions of that connection.
    fn is_subscribed(&self) -> bool;
    /// Returns the state of the acknowledgements to the broker.
    fn acknowledgements(&self) -> Acknowledgements;
    /// Sends a message to the broker if there is a connection with room for it.
    fn publish(&self, topic: &str, payload: Vec<u8>, qos: Qos, retain: bool) -> Result<(), PublishError>;
    /// Allows this process to connect to the broker again after its session was taken over.
    fn resume(&self);
    /// Replaces the connection to the broker by another one.
    fn renew(&self);
    /// Sends a message to the hubs.
    fn broadcast(&self, message: BusMessage);
    /// Requests the proof that this process is the leader, see [`super::lead::keep`].
    fn request_proof(&self);
    /// Starts a discovery; the result is [`Background::Discovered`].
    fn discover(&self, index: NodeIndex, discovery: Discovery);
    /// Starts to read the stored link states; the result is [`Background::Links`] or [`Background::NoLinks`].
    fn read_links(&self);
    /// Starts to look for events after the published ones; the result is [`Background::Missed`].
    fn look_for_missed(&self, published: HashMap<ClientId, i64>);
}

/// The interface of a real process.
pub(super) struct Live {
    pub(super) deps: Deps,
    pub(super) clock: Clock,
    pub(super) publisher: Publisher,
    pub(super) background: mpsc::UnboundedSender<Background>,
    pub(super) discoveries: mpsc::UnboundedSender<Request>,
    pub(super) supervisor: Supervisor,
    pub(super) proof_requested: Arc<Notify>,
}

impl Environment for Live {
    fn now(&self) -> Moment {
        self.clock.now()
    }

    fn set_readiness(&self, state: State) {
        self.deps.readiness.set(state);
    }

    fn is_connected(&self) -> bool {
        self.publisher.is_up()
    }

    fn is_subscribed(&self) -> bool {
        self.publisher.is_subscribed()
    }

    fn acknowledgements(&self) -> Acknowledgements {
        Acknowledgements { sent: self.publisher.sent_acknowledgements(), waiting: self.publisher.waiting_acknowledgements() }
    }

    fn publish(&self, topic: &str, payload: Vec<u8>, qos: Qos, retain: bool) -> Result<(), PublishError> {
        self.publisher.try_publish(topic, payload, qos, retain)
    }

    fn resume(&self) {
        self.publisher.resume();
    }

    fn renew(&self) {
        self.publisher.renew();
    }

    fn broadcast(&self, message: BusMessage) {
        self.deps.bus.publish(message);
    }

    fn request_proof(&self) {
        self.proof_requested.notify_one();
    }

    fn discover(&self, index: NodeIndex, discovery: Discovery) {
        // The task ends only with this process.
        let _ = self.discoveries.send((index, discovery));
    }

    fn read_links(&self) {
        let (store, answers) = (self.deps.store.clone(), self.background.clone());
        self.supervisor.spawn("that reads link states", async move {
            let answer = match store.links(None).await {
                Ok(links) => Background::Links(links),
                Err(error) => {
                    tracing::debug!(%error, "the stored link states are not compared");
                    Background::NoLinks
                }
            };
            let _ = answers.send(answer);
        });
    }

    fn look_for_missed(&self, published: HashMap<ClientId, i64>) {
        let (store, answers) = (self.deps.store.clone(), self.background.clone());
        self.supervisor.spawn("that looks for missed events", async move {
            let _ = answers.send(Background::Missed(background::missed(&store, published).await));
        });
    }
}
