//! The bus, which loses messages, and the hub, which shows the values that it receives.

use std::collections::BTreeMap;
use std::time::Duration;

use hub::ProcessImage;
use wire::bus::BusMessage;

use super::{Answerer, Event, HUB, Hub, Path, SECOND, World, since_start};
use crate::clock::true_time;
use crate::database::{Answer, Query};

impl World {
    pub(super) fn broadcast(&mut self, machine: usize, message: BusMessage) {
        let arrival = (self.now + self.latency()).max(self.bus_arrivals[machine]);
        self.bus_arrivals[machine] = arrival;
        let is_lost = self.is_cut(Path::Bus(machine)) || self.faults.loses_message(&mut self.random);
        self.tally.lost_messages += u64::from(is_lost);
        let message = (!is_lost).then(|| Box::new(message));
        self.at(arrival, Event::Bus(self.hub.life, message));
    }

    pub(super) fn bus(&mut self, life: u64, message: Option<Box<BusMessage>>) {
        if life != self.hub.life || !self.hub.is_running {
            return;
        }
        let now = since_start(self.now);
        if let Some(message) = message {
            self.hub.image.take(&message, now, true_time(self.now));
            self.check_shown();
        } else {
            self.hub.image.note_loss(now);
            self.hub.lost_at = self.now;
        }
    }

    pub(crate) fn start_hub(&mut self) {
        let life = self.number();
        self.note(|| format!("the hub starts as life {life}"));
        self.hub = Hub {
            life,
            is_running: true,
            image: ProcessImage::default(),
            is_loading: true,
            shown: BTreeMap::new(),
            lost_at: self.now,
            load_began: self.now,
            load_again: false,
        };
        self.after(0, Event::HubLoad(life));
        self.after(SECOND / 2, Event::HubTick(life));
        self.after(5 * SECOND, Event::HubReconcile(life));
    }

    pub(super) fn ask_for_hub(&mut self, answerer: Answerer) {
        if matches!(answerer, Answerer::HubLoad(_)) {
            self.hub.load_began = self.now;
        }
        self.connections.set(self.connections.get() + 1);
        let connection = self.connections.get();
        self.ask(HUB, self.hub.life, connection, Query::Load, Duration::ZERO, answerer);
    }

    pub(super) fn loaded(&mut self, life: u64, answer: Option<Answer>) {
        if life != self.hub.life {
            return;
        }
        match answer {
            Some(Answer::Loaded(read)) => {
                self.hub.is_loading = std::mem::take(&mut self.hub.load_again);
                if self.hub.is_loading {
                    self.after(0, Event::HubLoad(life));
                }
                self.hub.image.load(read.0, &read.1, since_start(self.hub.load_began), since_start(self.now), true_time(self.now));
                self.check_shown();
            }
            _ => {
                self.after(SECOND, Event::HubLoad(life));
            }
        }
    }

    pub(super) fn tick_hub(&mut self, life: u64) {
        if life != self.hub.life {
            return;
        }
        if self.hub.image.tick(since_start(self.now)) {
            // Like the reader of a real hub: a request during a load leads to one more load.
            self.hub.load_again = self.hub.is_loading;
            if !std::mem::replace(&mut self.hub.is_loading, true) {
                self.after(0, Event::HubLoad(life));
            }
        }
        self.check_freshness();
        self.after(SECOND / 2, Event::HubTick(life));
    }
}
