//! A feeder with the statistics of its area: a trunk with branches, distribution transformers at ring-main units or on poles, and their low-voltage
//! networks.

use network::EquipmentKind;

use super::conductor::{self, Conductor};
use super::draft::Draft;
use super::feeder::{self, End, Outgoing};
use super::low_voltage::{self, TransformerLoad};
use crate::utility::area::{AreaStatistics, FeederDetail, SupplyArea};
use crate::utility::geography::{Chance, moved};

/// Number of transformers of the trunk between two switches of a line on poles.
const SWITCH_EVERY: usize = 5;
/// The load of a transformer, as a share of the mean load: the smallest share, and the size of the range above it.
const LOAD_SHARE: (f64, f64) = (0.75, 0.5);

/// A feeder while it is made.
struct Growth<'a, 'b> {
    draft: &'a mut Draft,
    of: &'a Outgoing<'b>,
    area: SupplyArea,
    statistics: AreaStatistics,
    kv: f64,
    chance: Chance,
    /// The transformers that are not placed yet, in reverse order, so that the next one is the last element.
    left: Vec<TransformerLoad>,
    /// The number of transformers that are placed.
    placed: usize,
}

/// Adds the parts that a feeder supplies. Returns the end of its trunk.
pub(super) fn add(draft: &mut Draft, of: &Outgoing<'_>, detail: FeederDetail) -> End {
    let (plan, station) = (&of.substation.plan, &of.substation.code);
    let (feeder, name) = (&plan.feeders[of.index], format!("F{}", of.index + 1));
    let statistics = detail.area.statistics();
    let mut chance = Chance::of(&[station, &name, "detail"]);
    let total = detail.transformers as usize;
    let left = loads(&mut chance, total, feeder.customers.unsigned_abs().into(), feeder.peak_mw * 1_000.0);
    let mut growth = Growth { draft, of, area: detail.area, statistics, kv: plan.kv_low, chance, left, placed: 0 };
    let on_branches = ((total as f64 * statistics.on_branches).round() as usize).min(total - 1);
    let bus = growth.trunk(total - on_branches, on_branches);
    let place = of.way.path[of.way.path.len() - 1];
    End { station: station.clone(), feeder: of.index, bus, kv: plan.kv_low, place, is_local: true }
}

/// Divides customers and load among transformers. Each has at least one customer if there are as many.
fn loads(chance: &mut Chance, transformers: usize, customers: u64, kw: f64) -> Vec<TransformerLoad> {
    let weights: Vec<f64> = (0..transformers).map(|_| LOAD_SHARE.0 + LOAD_SHARE.1 * chance.next()).collect();
    let all: f64 = weights.iter().sum();
    let spare = customers.saturating_sub(transformers as u64) as f64;
    let mut reached = 0.0;
    let mut before = 0;
    let mut loads: Vec<TransformerLoad> = (1..)
        .zip(&weights)
        .map(|(number, weight)| {
            reached += weight / all;
            let up_to = ((spare * reached).round() as u64 + number).min(customers);
            let own = up_to - std::mem::replace(&mut before, up_to);
            TransformerLoad { customers: own, kw: kw * weight / all }
        })
        .collect();
    loads.reverse();
    loads
}

impl Growth<'_, '_> {
    fn id(&self, unit: usize, part: &str) -> String {
        format!("{}/F{}/U{unit}/{part}", self.of.substation.code, self.of.index + 1)
    }

    /// Adds the trunk with its branches. Returns the busbar of its last transformer.
    fn trunk(&mut self, units: usize, on_branches: usize) -> String {
        let feeder = &self.of.substation.plan.feeders[self.of.index];
        let (line, km) = (conductor::trunk(feeder, self.kv), self.of.way.km() / units as f64);
        let branches = on_branches.div_ceil(self.statistics.branch);
        let mut from = format!("{}/F{}/line", self.of.substation.code, self.of.index + 1);
        let (mut started, mut waiting) = (0, on_branches);
        let mut bus = from.clone();
        for unit in 1..=units {
            let place = self.of.way.at(unit as f64 / units as f64);
            let is_recloser = !self.statistics.has_ring_main_units && unit == units / 2 + 1 && units > 4;
            let switch = if is_recloser {
                Some(EquipmentKind::Recloser)
            } else {
                let has_switch = self.statistics.has_ring_main_units || unit % SWITCH_EVERY == 1;
                has_switch.then_some(EquipmentKind::LoadBreakSwitch)
            };
            let number = self.placed + 1;
            bus = self.unit(&from, place, (km, line), switch);
            from.clone_from(&bus);
            if self.statistics.has_ring_main_units && unit < units {
                from = self.leave(&bus, number, "B", place);
            }
            // The branches are at equal distances.
            while started < branches && started * units < unit * branches && waiting > 0 {
                let length = self.statistics.branch.min(waiting);
                waiting -= length;
                started += 1;
                self.branch(&bus, (number, started), place, length);
            }
        }
        bus
    }

    /// Adds a switch through which a line leaves a busbar. Returns the node behind it.
    fn leave(&mut self, bus: &str, number: usize, part: &str, place: [f64; 2]) -> String {
        let leaving = self.draft.node(&self.id(number, part), self.kv, Some(place));
        self.draft.switch(&self.id(number, &format!("SW-{part}")), EquipmentKind::LoadBreakSwitch, [bus, &leaving], false);
        leaving
    }

    /// Adds a radial branch with some transformers, which begins at the busbar of a transformer of the trunk.
    fn branch(&mut self, bus: &str, (number, branch): (usize, usize), place: [f64; 2], length: usize) {
        let heading = self.chance.next() * std::f64::consts::TAU;
        let mut from = self.leave(bus, number, &format!("C{branch}"), place);
        let mut at = place;
        for _ in 0..length {
            at = moved(at, self.statistics.branch_km, heading);
            let switch = self.statistics.has_ring_main_units.then_some(EquipmentKind::LoadBreakSwitch);
            from = self.unit(&from, at, (self.statistics.branch_km, conductor::branch(self.area)), switch);
        }
    }

    /// Adds a section of line, and a distribution transformer at its end. Returns the busbar there.
    fn unit(&mut self, from: &str, place: [f64; 2], (km, line): (f64, Conductor), switch: Option<EquipmentKind>) -> String {
        self.placed += 1;
        let number = self.placed;
        let id = |part: &str| format!("{}/F{}/U{number}/{part}", self.of.substation.code, self.of.index + 1);
        let section = format!("{}/F{}/S{number}", self.of.substation.code, self.of.index + 1);
        let bus = self.draft.node(&id("bus"), self.kv, Some(place));
        match switch {
            Some(kind) => {
                let arriving = self.draft.node(&id("A"), self.kv, Some(place));
                self.draft.line(&section, [from, &arriving], km, line);
                self.draft.switch(&id("SW-A"), kind, [&arriving, &bus], false);
            }
            None => self.draft.line(&section, [from, &bus], km, line),
        }
        let supplied = self.left.pop().unwrap_or(TransformerLoad { customers: 0, kw: 0.0 });
        let class = self.of.substation.plan.feeders[self.of.index].class;
        let low = feeder::transformer(self.draft, &id, (&bus, self.kv, place), supplied.kw, class);
        if self.statistics.ways == 0 {
            feeder::consumer(self.draft, &id("customers"), &low, (supplied.customers, supplied.kw), class);
        } else {
            let network = low_voltage::LowVoltageNetwork { id: &id, low: &low, place, supplied, area: self.area, class };
            low_voltage::add(self.draft, &network, &mut self.chance);
        }
        bus
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_transformer_has_a_customer_and_the_sums_are_kept() {
        for (transformers, customers) in [(10, 10), (14, 2_400), (25, 26), (3, 1_000_000)] {
            let loads = loads(&mut Chance::of(&["A"]), transformers, customers, 500.0);
            assert_eq!(loads.len(), transformers);
            assert_eq!(loads.iter().map(|of| of.customers).sum::<u64>(), customers);
            assert!(loads.iter().all(|of| of.customers > 0 && of.kw > 0.0), "{loads:?}");
            assert!((loads.iter().map(|of| of.kw).sum::<f64>() - 500.0).abs() < 1e-6);
        }
    }
}
