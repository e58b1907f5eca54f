//! A gateway that receives commands over Sparkplug. The test sets its behaviour and reads what it received and did.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use field::client::{Event, Publisher, Qos, Settings, Will, connect};
use field::command::{Answer, COMMAND_EPOCH, Order};
use field::sparkplug::{BD_SEQ, Metric, MetricValue, Payload, REBIRTH};
use field::topic::{MessageKind, Topic};
use grid::control::{Action, AddCause, GatewayAnswer};

/// How the gateway reacts to commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manner {
    /// It operates.
    Good,
    /// It neither answers nor operates.
    Silent,
    /// Selects, and refuses to operate.
    Refuse(AddCause),
    /// Refuses to select.
    RefuseSelect(AddCause),
    /// It accepts, and the breaker does not move.
    Stuck,
    /// It accepts; the breaker leaves the old position and returns to it.
    Rebound,
    /// It accepts and reports the target position with a clock that is ahead.
    Ahead,
    /// It accepts, and its connection ends.
    Die,
}

/// The state of the gateway.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) manner: Manner,
    /// The received commands.
    pub(crate) orders: Vec<Order>,
    /// The movements, by id and action of the command.
    pub(crate) moves: Vec<String>,
    /// Whether the broker retained any command.
    pub(crate) retained: bool,
    position: i32,
    seq: u64,
    /// The bdSeq that connects a birth to the death of the same connection.
    bd_seq: u64,
    /// The epoch in signed commands, if it requires signatures.
    pub(crate) command_epoch: Option<u64>,
}

/// A gateway that is connected to the broker.
#[derive(Clone)]
pub(crate) struct Gateway {
    publisher: Publisher,
    group: String,
    node: String,
    state: Arc<Mutex<State>>,
}

pub(crate) fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_millis() as u64
}

impl Gateway {
    /// Connects and publishes its birth, with its breaker in this position.
    pub(crate) async fn start(url: &str, group: &str, node: &str, position: i32) -> Self {
        let filters = [(MessageKind::DCmd, "+"), (MessageKind::NCmd, "")]
            .map(|(kind, device)| (Topic::edge(group, kind, node, device).to_string(), Qos::AtMostOnce));
        let death = Payload { timestamp: None, seq: None, metrics: vec![Metric::new(BD_SEQ, MetricValue::UInt64(0))] }.encode();
        let topic = Topic::edge(group, MessageKind::NDeath, node, "").to_string();
        let will = move |_| Will { topic: topic.clone(), payload: death.clone().into(), qos: Qos::AtLeastOnce, retain: false };
        let settings = Settings { subscriptions: filters.into(), will: Some(Arc::new(will)), ..Settings::new(url, testkit::unique(node)) };
        let (publisher, mut events) = connect(settings).expect("a good address");
        while !matches!(events.next().await.expect("a connection"), Event::Up { .. }) {}
        let state = State {
            manner: Manner::Good,
            orders: Vec::new(),
            moves: Vec::new(),
            retained: false,
            position,
            seq: 0,
            bd_seq: 0,
            command_epoch: None,
        };
        let gateway = Self { publisher, group: group.to_owned(), node: node.to_owned(), state: Arc::new(Mutex::new(state)) };
        gateway.birth().await;
        let listening = gateway.clone();
        tokio::spawn(async move {
            while let Some(event) = events.next().await {
                let Event::Message(message) = event else { continue };
                let payload = Payload::decode(&message.payload).expect("a payload");
                if payload.metric(REBIRTH).is_some() && listening.state().manner != Manner::Silent {
                    listening.birth().await;
                }
                if let Some(order) = Order::decode(&payload) {
                    listening.state().retained |= message.retain;
                    let obeying = listening.clone();
                    tokio::spawn(async move { obeying.obey(order.expect("a whole order")).await });
                }
            }
        });
        gateway
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn behave(&self, manner: Manner) {
        self.state().manner = manner;
    }

    /// Returns the actions of the received commands.
    pub(crate) fn actions(&self) -> Vec<Action> {
        self.state().orders.iter().map(|order| order.action).collect()
    }

    pub(crate) fn moves(&self) -> usize {
        self.state().moves.len()
    }

    pub(crate) async fn birth(&self) {
        self.node_birth().await;
        self.device_birth().await;
    }

    /// Publishes the birth of the device, with the position of the breaker.
    pub(crate) async fn device_birth(&self) {
        let position = self.state().position;
        self.send(MessageKind::DBirth, "F1", vec![pos(position)]).await;
    }

    /// Starts a new session without the births of its devices.
    pub(crate) async fn come_back(&self) {
        self.state().bd_seq += 1;
        self.node_birth().await;
    }

    async fn node_birth(&self) {
        let bd_seq = self.state().bd_seq;
        let mut metrics = vec![Metric::new(BD_SEQ, MetricValue::UInt64(bd_seq))];
        metrics.extend(self.state().command_epoch.map(|epoch| Metric::new(COMMAND_EPOCH, MetricValue::UInt64(epoch))));
        self.send(MessageKind::NBirth, "", metrics).await;
    }

    /// Publishes its births as after a restart that was not reported.
    pub(crate) async fn restart(&self) {
        self.state().bd_seq += 1;
        self.birth().await;
    }

    /// Reports a new value of the device.
    pub(crate) async fn report(&self, metric: Metric) {
        if let (Some("F1CB/Pos"), MetricValue::Int32(position)) = (metric.name.as_deref(), &metric.value) {
            self.state().position = *position;
        }
        self.send(MessageKind::DData, "F1", vec![metric]).await;
    }

    /// Drops the connection; the broker publishes the death.
    pub(crate) fn die(&self) {
        self.publisher.abort();
    }

    /// Publishes an answer to a command.
    pub(crate) async fn say(&self, order: &Order, state: GatewayAnswer, cause: Option<AddCause>) {
        let answer = Answer { asset: order.asset.clone(), id: order.id, state, cause };
        self.send(MessageKind::DData, "F1", answer.encode(now_ms())).await;
    }

    async fn obey(&self, order: Order) {
        let manner = {
            let mut state = self.state();
            state.orders.push(order.clone());
            state.manner
        };
        match (order.action, manner) {
            (_, Manner::Silent) => {}
            (Action::Select, Manner::RefuseSelect(cause)) | (Action::Execute | Action::Direct, Manner::Refuse(cause)) => {
                self.say(&order, GatewayAnswer::Refused, Some(cause)).await;
            }
            (Action::Select, _) => self.say(&order, GatewayAnswer::Selected, None).await,
            (Action::Cancel, _) => self.say(&order, GatewayAnswer::Cancelled, None).await,
            (Action::Execute | Action::Direct, manner) => {
                self.say(&order, GatewayAnswer::Accepted, None).await;
                self.carry_out(&order, manner).await;
            }
        }
    }

    async fn carry_out(&self, order: &Order, manner: Manner) {
        match manner {
            Manner::Good => {
                self.state().moves.push(format!("{} {}", order.id, order.action.as_str()));
                self.report(pos(0)).await;
                tokio::time::sleep(Duration::from_millis(30)).await;
                self.report(pos(order.target.code())).await;
                self.say(order, GatewayAnswer::Terminated, None).await;
            }
            Manner::Rebound => {
                self.report(pos(0)).await;
                tokio::time::sleep(Duration::from_millis(30)).await;
                self.report(pos(order.from.code())).await;
            }
            Manner::Ahead => self.report(pos(order.target.code()).at(now_ms() + 240_000)).await,
            Manner::Die => self.die(),
            _ => {}
        }
    }

    async fn send(&self, kind: MessageKind, device: &str, metrics: Vec<Metric>) {
        let seq = {
            let mut state = self.state();
            state.seq = if kind == MessageKind::NBirth { 0 } else { (state.seq + 1) % 256 };
            state.seq
        };
        let payload = Payload { timestamp: Some(now_ms()), seq: Some(seq), metrics }.encode();
        let topic = Topic::edge(&self.group, kind, &self.node, device).to_string();
        let _ = self.publisher.publish(&topic, payload, Qos::AtLeastOnce, false).await;
    }
}

/// Returns the metric of the breaker's position with the present time.
pub(crate) fn pos(position: i32) -> Metric {
    Metric::new("F1CB/Pos", MetricValue::Int32(position)).at(now_ms())
}
