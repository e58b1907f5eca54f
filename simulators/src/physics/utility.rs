//! A utility over time: one load flow of its whole network, and the substations whose meters measure the results.

use std::sync::Arc;

use grid::Micros;
use grid::control::Throw;
use network::description::{Electrical as Ratings, Switch};
use network::{Contact, Description, EquipmentId, NetworkState, NodeId};
use num_complex::Complex64;
use powerflow::{Case, Options, Solution};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::change::Change;
use super::electrical::Electrical;
use super::fault_level;
use super::load::{self, Noise};
use super::substation::{Conditions, Demand, Station};
use super::utility_network::UtilityNetwork;

/// How long a simulation runs before its start, so that temperatures do not depend on the instant of the start. It is five times the slowest time constant of
/// the oil.
const SETTLING_MS: i64 = 15 * 3_600_000;
/// The step of that run.
const SETTLING_STEP_MS: i64 = 1_800_000;
/// The largest number of steps of the tap changers until the voltages are in their bands.
const TAP_ROUNDS: usize = 17;
/// The share of a feeder's power that arrives at its customers; lines and distribution transformers lose the rest.
const DELIVERED: f64 = 0.98;

/// A running utility.
#[derive(Debug)]
pub struct UtilityPhysics {
    network: Arc<UtilityNetwork>,
    /// The description with the present taps.
    description: Description,
    state: NetworkState,
    /// The load flow at the present positions and taps; `None` after one of them has changed.
    case: Option<Case>,
    stations: Vec<Station>,
    now: Micros,
    rng: StdRng,
    /// The noise of the voltage of each neighbouring network.
    source_noise: Vec<Noise>,
    /// The number of load flows so far.
    flows: u64,
}

impl UtilityPhysics {
    /// Creates a utility at an instant, without faults. `seed_of` gives the seed of each substation by its index.
    pub fn new(network: Arc<UtilityNetwork>, seed_of: impl Fn(usize) -> u64, at: Micros) -> Self {
        // A network that nobody else uses gives its description away: that of a large network takes much memory.
        let (network, description) = match Arc::try_unwrap(network) {
            Ok(mut own) => {
                let description = std::mem::take(&mut own.description);
                (Arc::new(own), description)
            }
            Err(shared) => {
                let description = shared.description.clone();
                (shared, description)
            }
        };
        let stations = network.stations.iter().enumerate().map(|(index, parts)| Station::new(parts.plan.clone(), seed_of(index), at));
        let mut physics = Self {
            description,
            state: NetworkState::new(network.model.clone()),
            case: None,
            stations: stations.collect(),
            now: at,
            rng: StdRng::seed_from_u64(seed_of(0) ^ 0x5eed),
            source_noise: vec![Noise::default(); network.sources.len()],
            flows: 0,
            network,
        };
        physics.update_fault_levels();
        physics.measure(0.0);
        physics
    }

    /// Runs the temperatures and taps as if the utility had been running for long, with the expected loads. Meters and registers do not change.
    #[must_use]
    pub fn settled(mut self) -> Self {
        let mut at = self.now.plus_millis(-SETTLING_MS);
        while at < self.now {
            at = at.plus_millis(SETTLING_STEP_MS);
            let demands: Vec<Vec<Demand>> = self.stations.iter().map(|station| station.expected_demand(at)).collect();
            let Some(solution) = self.solve(&demands) else { return self };
            let minutes = SETTLING_STEP_MS as f64 / 60_000.0;
            for (station, parts) in self.stations.iter_mut().zip(&self.network.stations) {
                station.settle(&Electrical::read(parts, &solution), ambient(at), minutes);
            }
            self.regulate(&solution);
        }
        let demands: Vec<Vec<Demand>> = self.stations.iter().map(|station| station.expected_demand(self.now)).collect();
        for _ in 0..TAP_ROUNDS {
            let Some(solution) = self.solve(&demands) else { return self };
            if !self.regulate(&solution) {
                break;
            }
        }
        self.measure(0.0);
        self
    }

    /// Generates random faults.
    #[must_use]
    pub fn with_faults(mut self) -> Self {
        self.stations = self.stations.into_iter().map(Station::with_faults).collect();
        self
    }

    /// Generates random faults with this mean time between the faults of a feeder, h.
    #[must_use]
    pub fn with_fault_hours(mut self, hours: f64) -> Self {
        self.stations = self.stations.into_iter().map(|station| station.with_faults().with_fault_hours(hours)).collect();
        self
    }

    /// Returns a substation by its index in the utility.
    pub fn station(&self, index: usize) -> &Station {
        &self.stations[index]
    }

    /// Returns the number of substations.
    pub fn station_count(&self) -> usize {
        self.stations.len()
    }

    /// Returns the instant of the last step.
    pub fn now(&self) -> Micros {
        self.now
    }

    /// Returns the time of the next switch movement or protection step of a substation.
    pub fn next_change(&self, station: usize) -> Option<Micros> {
        self.stations[station].next_change()
    }

    /// Returns the number of load flows so far.
    pub fn flows(&self) -> u64 {
        self.flows
    }

    /// Whether a step to an instant would move a switch, or one has moved since the last step.
    pub fn is_switching(&self, at: Micros) -> bool {
        self.stations.iter().any(|station| station.has_moved() || station.next_change().is_some_and(|next| next <= at))
    }

    /// Advances to `to`. Returns for each substation the status changes on the way, in the order of their times.
    pub fn step(&mut self, to: Micros) -> Vec<Vec<Change>> {
        let hours = to.millis_since(self.now) as f64 / 3_600_000.0;
        if hours <= 0.0 {
            return vec![Vec::new(); self.stations.len()];
        }
        self.now = to;
        let changes = self.stations.iter_mut().map(|station| station.advance(to, hours)).collect();
        self.measure(hours);
        changes
    }

    /// Starts the movement of a switch at the present instant. Returns whether it moves.
    pub fn throw(&mut self, station: usize, code: &str, to: Throw, travel_ms: i64) -> (bool, Option<Change>) {
        self.stations[station].throw(code, to, travel_ms)
    }

    /// Sets the local/remote switch of a substation.
    pub fn set_local(&mut self, station: usize, local: bool) -> Option<Change> {
        self.stations[station].set_local(local)
    }

    /// Starts a fault on a feeder and the sequence of its protection. It has no effect on a feeder without load.
    pub fn fault(&mut self, station: usize, feeder: usize) {
        self.stations[station].fault(feeder);
    }

    /// Returns the network with the present positions, taps, loads and voltages of the sources, so that other programs can calculate it.
    pub fn present_network(&self) -> Description {
        let mut present = self.description.clone();
        let ids: Vec<EquipmentId> = self.network.model.all_equipment().collect();
        let loads = self.case.as_ref();
        for (equipment, id) in present.equipment.iter_mut().zip(ids) {
            if let Ratings::Switch(switch) = equipment.electrical {
                let is_normally_open = self.state.contact(id) != Contact::Closed;
                equipment.electrical = Ratings::Switch(Switch { is_normally_open, ..switch });
            }
            let Some(case) = loads else { continue };
            match &mut equipment.electrical {
                Ratings::Consumer(consumption) => {
                    if let Some(power) = case.power(id) {
                        (consumption.kw, consumption.kvar) = (power.re, power.im);
                    }
                }
                Ratings::Generator(generation) => {
                    if let Some(power) = case.power(id) {
                        (generation.kw, generation.kvar) = (power.re, power.im);
                    }
                }
                Ratings::Source(source) => {
                    if let Some(voltage) = case.voltage(id) {
                        source.voltage_pu = voltage;
                    }
                }
                _ => {}
            }
        }
        present
    }

    /// Sets the positions of the switches in the network to those of the substations.
    fn set_positions(&mut self) {
        let mut has_changed = false;
        for (station, parts) in self.stations.iter().zip(&self.network.stations) {
            for (code, equipment) in &parts.switches {
                let contact = if station.is_closed(code) { Contact::Closed } else { Contact::Open };
                if self.state.contact(*equipment) != contact {
                    self.state.set_contact(*equipment, contact);
                    has_changed = true;
                }
            }
        }
        if has_changed {
            self.state.settle();
            self.case = None;
            self.update_fault_levels();
        }
    }

    fn update_fault_levels(&mut self) {
        for (station, parts) in self.stations.iter_mut().zip(&self.network.stations) {
            station.set_fault_levels(fault_level::of_feeders(&self.description, &self.state, parts));
        }
    }

    /// Solves the network at the present positions and taps for the demands of each substation's feeders. `None` if it cannot carry them.
    fn solve(&mut self, demands: &[Vec<Demand>]) -> Option<Solution> {
        if self.case.is_none() {
            self.case = Case::new(&self.description, &self.state).inspect_err(|error| tracing::warn!(%error, "no load flow")).ok();
        }
        let case = self.case.as_mut()?;
        for (parts, demands) in self.network.stations.iter().zip(demands) {
            for (consumers, demand) in parts.consumers.iter().zip(demands) {
                for (consumer, share) in consumers {
                    let power = demand.load * (share * DELIVERED * 1_000.0);
                    let of_site = parts.site.filter(|site| site.consumer == *consumer).map_or(0.0, |_| demand.site.site);
                    case.set_power(*consumer, power.re + of_site, power.im);
                }
            }
            if let Some((site, demand)) = parts.site.zip(parts.plan.site.as_ref().and_then(|site| demands.get(site.feeder))) {
                case.set_power(site.panels, demand.site.solar, 0.0);
                case.set_power(site.battery, -demand.site.battery, 0.0);
            }
        }
        for (source, noise) in self.network.sources.iter().zip(&self.source_noise) {
            case.set_voltage(*source, 1.0 + noise.value() / 4.0);
        }
        self.flows += 1;
        let solution = case.solve(&Options::default());
        if !solution.is_converged() {
            tracing::warn!("the load flow does not converge; the last values stay");
            return None;
        }
        Some(solution)
    }

    fn measure(&mut self, hours: f64) {
        self.set_positions();
        let minutes = (hours * 60.0).max(1e-6);
        for noise in &mut self.source_noise {
            noise.step(&mut self.rng, minutes);
        }
        let hertz = 50.0 + self.rng.random_range(-0.03..0.03);
        let demands: Vec<Vec<Demand>> = self.stations.iter_mut().map(|station| station.demand(hours, minutes)).collect();
        let Some(mut solution) = self.solve(&demands) else { return };
        // A tap changer takes less than a minute for a step. In a longer time the voltages reach their bands, in a shorter one the next step has the new taps.
        for _ in 0..TAP_ROUNDS.min(minutes as usize) {
            if !self.regulate(&solution) {
                break;
            }
            let Some(regulated) = self.solve(&demands) else { return };
            solution = regulated;
        }
        let conditions = Conditions { hertz, ambient: ambient(self.now), hours, minutes };
        for (station, parts) in self.stations.iter_mut().zip(&self.network.stations) {
            station.read_out(Electrical::read(parts, &solution), &conditions);
        }
        if minutes < 1.0 {
            self.regulate(&solution);
        }
    }

    /// Moves the tap changers whose voltage is out of its band by a step. Returns whether one has moved.
    fn regulate(&mut self, solution: &Solution) -> bool {
        let mut has_moved = false;
        for (station, parts) in self.stations.iter_mut().zip(&self.network.stations) {
            let kv = |section: &NodeId| solution.voltage_kv(*section).map_or(0.0, Complex64::norm);
            station.regulate(&parts.sections.iter().map(kv).collect::<Vec<_>>());
            for (unit, equipment) in parts.units.iter().enumerate() {
                let Ratings::Transformer(transformer) = &mut self.description.equipment[equipment.index()].electrical else { continue };
                if let Some(tap) = &mut transformer.ends[0].tap {
                    has_moved |= std::mem::replace(&mut tap.step, station.tap(unit)) != station.tap(unit);
                }
            }
        }
        if has_moved {
            self.case = None;
        }
        has_moved
    }
}

/// Returns the temperature of the air, °C: the highest in the early afternoon.
fn ambient(at: Micros) -> f64 {
    28.0 + 6.0 * ((load::local_hour(at) - 14.5) / 24.0 * std::f64::consts::TAU).cos()
}
