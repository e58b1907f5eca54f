//! Transfers packets of connections to the broker. Each connection keeps the order in both directions.

use std::collections::VecDeque;

use field::client::Qos;
use field::topic::Topic;

use super::{CONNECT_LIMIT, Event, INGEST_CLIENT, Line, MACHINES, Path, SECOND, World, spooled};
use crate::broker::{Effect, Subscriptions, ToBroker, ToClient};
use crate::process::{HOST, config};
use crate::truth::Truth;

impl World {
    pub(super) fn connect(&mut self, party: usize, life: u64) {
        let line = self.number();
        let will = if party < MACHINES {
            let Some(process) = self.machines[party].process.as_mut().filter(|process| process.life == life && process.is_leading()) else {
                return;
            };
            if process.client.line.is_some() || process.client.is_held {
                return;
            }
            let wall = self.machines[party].clock.wall(self.now);
            let Some(process) = &mut self.machines[party].process else { return };
            process.set_now(self.now, wall);
            process.client.begin(line);
            process.next_will().map(|will| (will, config().will_delay.as_micros() as i64))
        } else {
            let (gateway, _, own) = &mut self.gateways[party - MACHINES];
            if !gateway.is_running || own.is_some() {
                return;
            }
            *own = Some(line);
            let death = gateway.connect();
            let will = field::client::Will { topic: death.topic, payload: death.payload.into(), qos: Qos::AtLeastOnce, retain: false };
            Some((will, 0))
        };
        self.lines.insert(line, Line { party, life, is_open: true, is_ready: false, will, arrivals: [0; 2], stalled: VecDeque::new() });
        self.tally.reconnects += 1;
        self.send_up(line, ToBroker::Connect);
        self.after(CONNECT_LIMIT, Event::ConnectLimit(line));
        if let Some(cut) = self.cuts.get(&Path::Broker(party)).copied() {
            self.expect_silence(Path::Broker(party), cut, line);
        }
    }

    pub(super) fn send_up(&mut self, line: u64, packet: ToBroker) {
        let arrival = self.now + self.latency();
        let Some(entry) = self.lines.get_mut(&line) else { return };
        entry.arrivals[0] = arrival.max(entry.arrivals[0]);
        let arrival = entry.arrivals[0];
        self.at(arrival, Event::ToBroker(line, packet));
    }

    pub(super) fn send_down(&mut self, line: u64, packet: ToClient) {
        let arrival = self.now + self.latency();
        let Some(entry) = self.lines.get_mut(&line) else { return };
        entry.arrivals[1] = arrival.max(entry.arrivals[1]);
        let arrival = entry.arrivals[1];
        self.at(arrival, Event::ToClient(line, packet));
    }

    /// Keeps an event while the link of its connection is cut. Returns it if the link is not cut.
    pub(super) fn stall(&mut self, line: u64, event: Event) -> Option<Event> {
        let party = self.lines.get(&line)?.party;
        if self.is_cut(Path::Broker(party)) {
            self.lines.get_mut(&line)?.stalled.push_back(event);
            return None;
        }
        Some(event)
    }

    pub(super) fn reach_broker(&mut self, line: u64, packet: ToBroker) {
        let Some(Event::ToBroker(_, packet)) = self.stall(line, Event::ToBroker(line, packet)) else { return };
        if !self.broker.is_up {
            if matches!(packet, ToBroker::Connect) {
                self.send_down(line, ToClient::Closed);
            }
            return;
        }
        if let ToBroker::Connect = packet {
            let Some(entry) = self.lines.get_mut(&line) else { return };
            let (party, will) = (entry.party, entry.will.take());
            let is_ingest = party < MACHINES;
            let subscriptions = if is_ingest {
                Subscriptions::Ingest { state: Topic::State { host: HOST.to_owned() }.to_string() }
            } else {
                Subscriptions::Gateway { code: crate::field::code(party - MACHINES) }
            };
            let client = if is_ingest { INGEST_CLIENT } else { party };
            self.broker.connect(line, client, subscriptions, is_ingest, will, &mut self.truth);
        } else if self.broker.is_open(line) {
            match packet {
                ToBroker::Publish(message) => self.broker.publish(&message, &mut self.truth),
                ToBroker::Acknowledge(number) => {
                    if let Some(message) = self.broker.acknowledge(line, number) {
                        let spooled = spooled(&self.machines);
                        self.truth.acknowledge_message(&message.topic, &message.payload, spooled.into_iter());
                    }
                }
                ToBroker::Disconnect { with_will } => self.broker.close(line, with_will, &mut self.truth),
                ToBroker::Closed => self.broker.close(line, true, &mut self.truth),
                ToBroker::Connect => {}
            }
        }
        self.after_broker();
    }

    pub(crate) fn after_broker(&mut self) {
        for effect in self.broker.take_effects() {
            match effect {
                Effect::Send(line, packet) => {
                    self.tally.takeovers += u64::from(matches!(packet, ToClient::TakenOver));
                    self.send_down(line, packet);
                }
                Effect::DelayWill(line, delay) => self.after(delay, Event::Will(line)),
            }
        }
    }

    pub(super) fn reach_client(&mut self, line: u64, packet: ToClient) {
        let Some(Event::ToClient(_, packet)) = self.stall(line, Event::ToClient(line, packet)) else { return };
        let Some(entry) = self.lines.get_mut(&line).filter(|line| line.is_open) else { return };
        let (party, life) = (entry.party, entry.life);
        match packet {
            ToClient::TakenOver => self.close_line(line, true),
            ToClient::Closed => self.close_line(line, false),
            ToClient::Ready { session_present } => {
                entry.is_ready = true;
                if party < MACHINES {
                    self.note(|| format!("machine {party}: connected to the broker"));
                    self.with(party, life, |process| process.up(session_present));
                } else {
                    let gateway = party - MACHINES;
                    self.note(|| format!("gateway {gateway}: connected to the broker"));
                    self.gateways[gateway].0.is_up = true;
                    let now_ms = self.gateway_ms(gateway);
                    let births = self.gateways[gateway].0.birth(self.now, now_ms);
                    self.send_of(gateway, births);
                }
            }
            ToClient::Publish(message, number) => {
                let values = || Truth::values_of(&message.topic, &message.payload);
                self.note(|| format!("{} {:?} reaches {party}, to be acknowledged: {number:?}", message.topic, values()));
                if party < MACHINES {
                    self.with(party, life, |process| process.deliver(line, message, number));
                } else {
                    if let Some(number) = number {
                        self.send_up(line, ToBroker::Acknowledge(number));
                    }
                    let gateway = party - MACHINES;
                    let now_ms = self.gateway_ms(gateway);
                    let (messages, forgotten) = self.gateways[gateway].0.take(&message, self.now, now_ms, &mut self.random);
                    if !forgotten.is_empty() {
                        let spooled = spooled(&self.machines);
                        self.truth.acknowledge("a gateway", &forgotten, spooled.into_iter());
                    }
                    self.send_of(gateway, messages);
                }
            }
        }
    }

    /// Closes the client's end of a connection.
    pub(crate) fn close_line(&mut self, line: u64, taken_over: bool) {
        let Some(entry) = self.lines.get_mut(&line).filter(|line| line.is_open) else { return };
        entry.is_open = false;
        let (party, life) = (entry.party, entry.life);
        self.note(|| format!("{party}: the connection to the broker is over, taken over: {taken_over}"));
        self.send_up(line, ToBroker::Closed);
        let pause = self.random.i64(SECOND / 10..2 * SECOND);
        if party < MACHINES {
            self.with(party, life, |process| {
                if process.client.line == Some(line) {
                    process.down(taken_over);
                }
            });
        } else {
            let (gateway, _, own) = &mut self.gateways[party - MACHINES];
            if *own == Some(line) {
                *own = None;
                gateway.down();
            }
        }
        // Only ingest waits after a takeover, until its lead is proven. The client of a gateway connects again, as after any break.
        if !taken_over || party >= MACHINES {
            self.after(pause, Event::Connect(party, life));
        }
    }
}
