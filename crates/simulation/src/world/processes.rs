//! The machines that run an ingest: carries out what a process starts, and returns the results.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Duration;

use field::client::Qos;
use field::topic::{MessageKind, Topic};
use tokio::sync::oneshot;

use super::{Answerer, Event, SECOND, ToDatabase, World};
use crate::broker::{Message, ToBroker};
use crate::database::Query;
use crate::desk::{Action, Desk};
use crate::field::gateway_of;
use crate::process::{Process, Progress, Received};

impl World {
    pub(super) fn is_alive(&self, machine: usize, life: u64) -> bool {
        self.machines[machine].process.as_ref().is_some_and(|process| process.life == life)
    }

    pub(super) fn start(&mut self, machine: usize) {
        if self.machines[machine].process.is_some() {
            return;
        }
        let life = self.number();
        self.note(|| format!("machine {machine} starts ingest as life {life}"));
        let desk = Desk::new(self.random.fork(), Rc::clone(&self.connections));
        let files = self.machines[machine].files.clone();
        self.machines[machine].process = Some(Process::new(life, self.now, desk, files));
        self.with(machine, life, |_| {});
    }

    /// Crashes the process of a machine.
    pub(crate) fn crash(&mut self, machine: usize) {
        let Some(process) = self.machines[machine].process.take() else { return };
        self.note(|| format!("machine {machine}: life {} ends", process.life));
        if let Some(line) = process.client.line {
            self.send_up(line, ToBroker::Closed);
            if let Some(line) = self.lines.get_mut(&line) {
                line.is_open = false;
            }
        }
        // Includes connections whose first query has not arrived yet.
        let known = self.database.connections.iter().filter(|(_, peer)| **peer == machine).map(|(connection, _)| *connection);
        let unanswered = self.queries.values().filter(|query| query.peer == machine).map(|query| query.connection);
        let open: BTreeSet<u64> = known.chain(unanswered).collect();
        for connection in open {
            self.send_to_database(machine, connection, ToDatabase::Close(connection), 0);
        }
    }

    /// Applies an event to a process, runs it, and carries out what it starts.
    pub(super) fn with(&mut self, machine: usize, life: u64, happens: impl FnOnce(&mut Process)) {
        let (now, wall) = (self.now, self.machines[machine].clock.wall(self.now));
        let Some(process) = self.machines[machine].process.as_mut().filter(|process| process.life == life) else { return };
        process.set_now(now, wall);
        happens(process);
        let (received, received_from, connected_at) = (&mut self.received, &mut self.received_from[machine], &mut self.connected_at);
        let (progress, acknowledgements) = process.run(now, |event| match event {
            Received::Connection => {
                *connected_at = now;
                received_from.clear();
            }
            // A message from before the connection says nothing about the present.
            Received::Message { is_old: true, .. } => {}
            Received::Message { topic, is_old: false } => {
                if let Ok(Topic::Edge { kind, node, .. }) = Topic::parse(topic)
                    && kind != MessageKind::NDeath
                    && let Some(gateway) = gateway_of(&node)
                {
                    received[gateway] = now;
                    received_from.insert(gateway);
                }
            }
        });
        let line = process.client.line;
        let actions = std::mem::take(&mut process.desk.inner.borrow_mut().actions);
        if let Some(line) = line {
            for number in acknowledgements {
                self.send_up(line, ToBroker::Acknowledge(number));
            }
        }
        for action in actions {
            self.take_up(machine, life, line, action);
        }
        match progress {
            Progress::None => {}
            Progress::Leads => {
                self.note(|| format!("machine {machine}: life {life} leads"));
                self.after(0, Event::Connect(machine, life));
                self.after(0, Event::Tick(machine, life));
            }
            Progress::Over => {
                if let Some(line) = line {
                    self.send_up(line, ToBroker::Disconnect { with_will: false });
                }
                if let Some(process) = &mut self.machines[machine].process {
                    process.client.line = None;
                }
                self.crash(machine);
                let pause = self.random.i64(SECOND / 10..2 * SECOND);
                self.after(pause, Event::Start(machine));
            }
        }
    }

    pub(super) fn take_up(&mut self, machine: usize, life: u64, line: Option<u64>, action: Action) {
        match action {
            Action::Publish { topic, payload, qos, retain } => {
                if let Some(line) = line {
                    let is_qos_1 = qos != Qos::AtMostOnce;
                    self.send_up(line, ToBroker::Publish(Message { topic, payload: payload.into(), is_qos_1, retain, is_old: false }));
                }
            }
            Action::Resume => {
                if let Some(process) = self.machines[machine].process.as_mut().filter(|process| process.client.is_held) {
                    process.client.is_held = false;
                    self.after(0, Event::Connect(machine, life));
                }
            }
            Action::Renew => {
                if let Some(line) = line {
                    self.close_line(line, false);
                }
            }
            Action::Broadcast(message) => {
                self.check_confirmed(machine, &message);
                self.broadcast(machine, message);
            }
            Action::Sleep(duration, done) => self.after(duration.as_micros() as i64, Event::Wake(machine, life, done)),
            Action::Flush(done) => {
                let delay = if self.random.u8(..20) == 0 { self.random.i64(SECOND / 10..SECOND) } else { self.random.i64(500..20_000) };
                self.tally.spooled += 1;
                self.after(delay, Event::Wake(machine, life, done));
            }
            Action::Ask { connection, query, pause, answer } => {
                self.ask(machine, life, connection, query, pause, Answerer::Process(answer));
            }
            Action::Close(connection) => self.send_to_database(machine, connection, ToDatabase::Close(connection), 0),
            Action::ReadLinks => {
                let (sender, answer) = oneshot::channel();
                if let Some(process) = &mut self.machines[machine].process {
                    process.await_links(answer);
                    let connection = process.desk.new_connection();
                    self.ask(machine, life, connection, Query::Load, Duration::ZERO, Answerer::Process(sender));
                }
            }
        }
    }
}
