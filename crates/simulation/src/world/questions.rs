//! Queries to the database and their answers. A query may arrive after its process has stopped waiting for the answer.

use std::time::Duration;

use super::{Answerer, Event, Path, PendingQuery, ToDatabase, World};
use crate::clock::true_time;
use crate::database::{Answer, Query};
use crate::field::number_of;
use crate::process::config;
use crate::truth::Truth;

impl World {
    pub(super) fn ask(&mut self, peer: usize, life: u64, connection: u64, query: Query, pause: Duration, answer: Answerer) {
        let number = self.number();
        self.queries.insert(number, PendingQuery { peer, connection, life, query: Some(query), answer: Some(answer) });
        let pause = pause.as_micros() as i64;
        self.send_to_database(peer, connection, ToDatabase::Ask(number), pause);
        self.after(pause + config().commit_timeout.as_micros() as i64, Event::Limit(number));
    }

    pub(super) fn send_to_database(&mut self, peer: usize, connection: u64, packet: ToDatabase, pause: i64) {
        let arrival = self.now + pause + self.latency();
        let last = self.arrivals.entry(connection).or_default();
        *last = arrival.max(*last);
        let arrival = *last;
        if let ToDatabase::Close(_) = packet {
            self.arrivals.remove(&connection);
        }
        self.at(arrival, Event::Database(peer, packet));
    }

    pub(super) fn reach_database(&mut self, peer: usize, packet: ToDatabase) {
        if self.is_cut(Path::Database(peer)) {
            self.stalled.entry(peer).or_default().push_back(packet);
            return;
        }
        match packet {
            ToDatabase::Close(connection) => self.database.close(connection),
            ToDatabase::Ask(number) => {
                let Some(pending) = self.queries.get_mut(&number) else { return };
                let (connection, life, query) = (pending.connection, pending.life, pending.query.take());
                let is_up = self.database.is_up;
                if let Some(Query::Commit(batch, tenure)) = query.as_ref().filter(|_| is_up) {
                    let term = tenure.as_ref().map(|tenure| tenure.term.0);
                    let states: Vec<_> =
                        batch.gateways.iter().filter_map(|mark| Some((number_of(mark.gateway), mark.online?, mark.order))).collect();
                    let values: Vec<_> = batch.samples.iter().filter_map(|sample| sample.reading.value).collect();
                    let dead: Vec<_> = batch.dead.iter().map(|dead| (&dead.reason, Truth::values_of(&dead.topic, &dead.payload))).collect();
                    self.note(|| {
                        format!("life {life} commits in term {term:?}: values {values:?}, states {states:?}, dead letters {dead:?}")
                    });
                }
                let answer = query.filter(|_| is_up).and_then(|query| self.database.answer(connection, peer, life, query, &mut self.truth));
                let latency = self.latency();
                self.after(latency, Event::Reply(number, answer));
            }
        }
    }

    pub(super) fn reply(&mut self, number: u64, answer: Option<Answer>) {
        let Some(pending) = self.queries.get(&number) else { return };
        // If the link is cut, the answer is lost, and the time limit ends the wait.
        if !self.is_cut(Path::Database(pending.peer)) {
            self.finish(number, answer);
        }
    }

    pub(super) fn finish(&mut self, number: u64, answer: Option<Answer>) {
        let Some(pending) = self.queries.get_mut(&number) else { return };
        let (peer, life, connection) = (pending.peer, pending.life, pending.connection);
        let Some(answerer) = pending.answer.take() else { return };
        // A query that waits in a cut link still arrives later, although its answer is no longer awaited.
        if pending.query.is_none() {
            self.queries.remove(&number);
        }
        match answerer {
            Answerer::Process(sender) => self.with(peer, life, |process| {
                if answer.is_some() {
                    process.desk.inner.borrow_mut().open.insert(connection);
                } else {
                    process.desk.inner.borrow_mut().open.remove(&connection);
                }
                let _ = sender.send(answer);
            }),
            Answerer::HubLoad(life) => self.loaded(life, answer),
            Answerer::HubReconcile(life) => {
                if let Some(Answer::Loaded(read)) = answer.filter(|_| life == self.hub.life) {
                    self.hub.image.reconcile(read.0.links(), &read.1, true_time(self.now));
                    self.check_shown();
                }
            }
        }
    }
}
