//! Injects faults, and ends all faults so that the world can recover.

use super::{Event, HUB, MACHINES, Path, SECOND, World};

impl World {
    fn short_or_long(&mut self, longest: i64) -> i64 {
        if self.random.bool() { self.random.i64(SECOND / 20..SECOND) } else { self.random.i64(SECOND / 2..longest.max(SECOND)) }
    }

    /// Injects one fault, and schedules the next one.
    pub(crate) fn strike(&mut self) {
        if !self.faults.is_on {
            return;
        }
        match self.random.u8(..20) {
            0..=1 => {
                let machine = self.random.usize(..MACHINES);
                if self.machines[machine].process.is_some() {
                    self.tally.crashes += 1;
                    self.crash(machine);
                    let pause = self.short_or_long(8 * SECOND);
                    self.after(pause, Event::Start(machine));
                }
            }
            2..=3 => {
                let gateway = self.random.usize(..self.gateways.len());
                if self.gateways[gateway].0.is_running {
                    self.tally.crashes += 1;
                    self.crash_gateway(gateway);
                    let pause = self.short_or_long(30 * SECOND);
                    self.after(pause, Event::GatewayStart(gateway));
                }
            }
            4 => {
                self.tally.crashes += 1;
                self.start_hub();
            }
            5..=9 => {
                let path = match self.random.u8(..9) {
                    0..=2 => Path::Broker(self.random.usize(..MACHINES)),
                    3..=4 => Path::Broker(MACHINES + self.random.usize(..self.gateways.len())),
                    5..=6 => Path::Database(self.random.usize(..MACHINES)),
                    7 => Path::Database(HUB),
                    _ => Path::Bus(self.random.usize(..MACHINES)),
                };
                let duration = self.short_or_long(self.faults.longest_cut);
                self.cut(path, duration);
            }
            10 => {
                self.note(|| "the database restarts".to_owned());
                self.tally.crashes += 1;
                self.database.restart();
                self.database.is_up = false;
                let pause = self.short_or_long(10 * SECOND);
                self.after(pause, Event::DatabaseUp);
            }
            11 => {
                self.note(|| "the broker restarts".to_owned());
                self.tally.crashes += 1;
                self.broker.restart();
                self.after_broker();
                let pause = self.short_or_long(5 * SECOND);
                self.after(pause, Event::BrokerUp);
            }
            12..=14 => {
                // The server closes the connection that holds the lock, and the leader does not detect it.
                if let Some(connection) = self.database.lock {
                    self.note(|| "the lock of the leader is lost".to_owned());
                    self.database.close(connection);
                }
            }
            15 => {
                let (machine, file) = (self.random.usize(..MACHINES), self.random.usize(..2));
                self.note(|| format!("disk {file} of machine {machine} fails"));
                self.tally.disk_failures += 1;
                self.machines[machine].files[file].borrow_mut().is_failing = true;
                let pause = self.short_or_long(10 * SECOND);
                self.after(pause, Event::DiskUp(machine, file));
            }
            _ => {
                self.tally.clock_steps += 1;
                let party = self.random.usize(..MACHINES + self.gateways.len());
                self.note(|| format!("the clock of {party} is set"));
                if party < MACHINES {
                    self.machines[party].clock.step(&mut self.random);
                } else {
                    self.gateways[party - MACHINES].1.step(&mut self.random);
                }
            }
        }
        let pause = self.random.i64(self.faults.pause / 10..self.faults.pause * 2);
        self.after(pause, Event::Fault);
    }

    /// Ends all faults. Some gateways remain without power.
    pub(crate) fn calm(&mut self) {
        self.note(|| "all faults end".to_owned());
        self.faults.is_on = false;
        for (path, cut) in self.cuts.clone() {
            self.heal(path, cut);
        }
        self.database.is_up = true;
        self.broker.start(&mut self.truth);
        self.after_broker();
        for machine in 0..MACHINES {
            for file in &self.machines[machine].files {
                file.borrow_mut().is_failing = false;
            }
            self.after(0, Event::Start(machine));
        }
        for gateway in 0..self.gateways.len() {
            if gateway > 0 && !self.gateways[gateway].0.has_outbox() && self.random.u8(..4) == 0 {
                self.crash_gateway(gateway);
            } else {
                self.after(0, Event::GatewayStart(gateway));
            }
        }
    }
}
