//! Cuts and heals links, and lets their ends detect the silence.

use super::{Event, Path, SECOND, World};
use crate::broker::ToClient;
use crate::process::config;

impl World {
    /// Cuts a link. Messages on it wait. An end that awaits an answer detects the cut after a random time.
    pub(crate) fn cut(&mut self, path: Path, duration: i64) {
        if self.is_cut(path) {
            return;
        }
        let cut = self.number();
        self.note(|| format!("{path:?} is cut for {} ms", duration / 1_000));
        self.cuts.insert(path, cut);
        self.tally.partitions += 1;
        self.after(duration, Event::Heal(path, cut));
        match path {
            Path::Broker(party) => {
                let lines: Vec<u64> = self.lines.iter().filter(|(_, line)| line.party == party).map(|(number, _)| *number).collect();
                for line in lines {
                    self.expect_silence(path, cut, line);
                }
            }
            Path::Database(_) => {
                let patience = self.random.i64(5 * SECOND..14 * SECOND);
                self.after(patience, Event::Silence { path, cut, line: None, is_broker: false });
            }
            Path::Bus(_) => {}
        }
    }

    pub(super) fn expect_silence(&mut self, path: Path, cut: u64, line: u64) {
        let keep_alive = config().keep_alive.as_micros() as i64;
        for is_broker in [false, true] {
            let patience = self.random.i64(keep_alive / 2..keep_alive * 3 / 2);
            self.after(patience, Event::Silence { path, cut, line: Some(line), is_broker });
        }
    }

    pub(super) fn silence(&mut self, path: Path, cut: u64, line: Option<u64>, is_broker: bool) {
        if self.cuts.get(&path) != Some(&cut) {
            return;
        }
        match (path, line) {
            (Path::Broker(_), Some(line)) if is_broker => self.broker_hangs_up(line),
            (Path::Broker(_), Some(line)) => self.close_line(line, false),
            (Path::Database(peer), _) => {
                let lost: Vec<u64> =
                    self.database.connections.iter().filter(|(_, other)| **other == peer).map(|(connection, _)| *connection).collect();
                for connection in lost {
                    self.database.close(connection);
                }
            }
            _ => {}
        }
    }

    fn broker_hangs_up(&mut self, line: u64) {
        if self.broker.is_up && self.broker.is_open(line) {
            self.broker.close(line, true, &mut self.truth);
            self.send_down(line, ToClient::Closed);
            self.after_broker();
        }
    }

    pub(crate) fn heal(&mut self, path: Path, cut: u64) {
        if self.cuts.get(&path) != Some(&cut) {
            return;
        }
        self.note(|| format!("{path:?} is healed"));
        self.cuts.remove(&path);
        match path {
            Path::Broker(party) => {
                let lines: Vec<u64> = self.lines.iter().filter(|(_, line)| line.party == party).map(|(number, _)| *number).collect();
                for number in lines {
                    let Some(line) = self.lines.get_mut(&number) else { continue };
                    // The waiting messages arrive in order, before all later ones.
                    for event in std::mem::take(&mut line.stalled) {
                        match event {
                            Event::ToBroker(line, packet) => self.reach_broker(line, packet),
                            Event::ToClient(line, packet) => self.reach_client(line, packet),
                            _ => {}
                        }
                    }
                }
                self.lines.retain(|number, line| line.party != party || line.is_open || self.broker.is_open(*number));
            }
            Path::Database(peer) => {
                for packet in self.stalled.remove(&peer).unwrap_or_default() {
                    self.reach_database(peer, packet);
                }
            }
            Path::Bus(_) => self.after(0, Event::Bus(self.hub.life, None)),
        }
    }

    /// Removes connections to the broker that both ends have closed.
    pub(crate) fn forget_lines(&mut self) {
        let latest = self.now - 60 * SECOND;
        self.lines.retain(|number, line| line.is_open || self.broker.is_open(*number) || line.arrivals[0].max(line.arrivals[1]) > latest);
    }
}
