//! The gateways: their measurements, messages and power failures.

use super::{Event, SECOND, World, millis};
use crate::broker::{Message, ToBroker};

impl World {
    pub(super) fn gateway_ms(&self, gateway: usize) -> u64 {
        millis(self.gateways[gateway].1.wall(self.now))
    }

    pub(super) fn send_of(&mut self, gateway: usize, messages: Vec<Message>) {
        let Some(line) = self.gateways[gateway].2 else { return };
        for message in messages {
            self.send_up(line, ToBroker::Publish(message));
        }
    }

    pub(super) fn measure(&mut self, gateway: usize) {
        if self.is_measuring {
            let now_ms = self.gateway_ms(gateway);
            let message = self.gateways[gateway].0.measure(self.now, now_ms, &mut self.random, &mut self.truth);
            self.send_of(gateway, message.into_iter().collect());
        }
        let pause = self.random.i64(50_000..2 * SECOND);
        self.after(pause, Event::Measure(gateway));
    }

    /// Crashes a gateway, as a loss of its power does.
    pub(crate) fn crash_gateway(&mut self, gateway: usize) {
        self.note(|| format!("gateway {gateway} crashes"));
        let (crashed, _, own) = &mut self.gateways[gateway];
        crashed.crash();
        if let Some(line) = own.take() {
            self.send_up(line, ToBroker::Closed);
            if let Some(line) = self.lines.get_mut(&line) {
                line.is_open = false;
            }
        }
    }
}
