//! Fault currents: the voltage divided by the impedance of everything between the neighbouring network and the fault.

use network::description::{Electrical, SequenceImpedance};
use network::{Description, EquipmentId, NetworkState, NodeId, Phase};
use num_complex::Complex64;

use super::utility_network::{StationParts, UtilityNetwork};
use crate::utility::{Client, LOW_VOLTAGE_SHARE, conductor_ohm_km};

/// The impedances before the feeders of a utility in the normal state of its network.
#[derive(Debug, Clone)]
pub struct FaultLevels(Vec<(String, Vec<FeederImpedance>)>);

/// The impedance between the source and a feeder, and the impedance of the feeder, ohms at its voltage.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct FeederImpedance {
    pub(super) kv: f64,
    pub(super) before: Complex64,
    pub(super) own: Complex64,
}

impl FeederImpedance {
    /// Returns the current of a bolted three-phase fault at a share of the feeder's length, A.
    pub(super) fn current_a(&self, place: f64) -> f64 {
        self.kv * 1_000.0 / (3f64.sqrt() * (self.before + self.own * place).norm())
    }
}

impl FaultLevels {
    /// Computes the impedances of a utility.
    pub fn new(client: &Client) -> Self {
        let network = UtilityNetwork::new(client);
        let state = NetworkState::new(network.model.clone());
        Self(network.stations.iter().map(|parts| (parts.code.clone(), of_feeders(&network.description, &state, parts))).collect())
    }

    /// Returns the current of a bolted three-phase fault on a feeder, at a share of its length, A; `None` without such a feeder.
    pub fn current_a(&self, substation: &str, feeder: usize, place: f64) -> Option<f64> {
        let (_, feeders) = self.0.iter().find(|(code, _)| code == substation)?;
        feeders.get(feeder).map(|impedance| impedance.current_a(place))
    }
}

/// Returns the impedances of the feeders of a substation at the present state. For a feeder at a dead section, only its own impedance is used.
pub(super) fn of_feeders(description: &Description, state: &NetworkState, parts: &StationParts) -> Vec<FeederImpedance> {
    let kv = parts.plan.kv_low;
    let before: Vec<Complex64> = parts.sections.iter().map(|section| per_unit_before(description, state, *section) * kv.powi(2)).collect();
    let of_feeder = |(index, feeder): (usize, &crate::utility::Feeder)| {
        let km = if kv < 1.0 { feeder.km * LOW_VOLTAGE_SHARE } else { feeder.km };
        FeederImpedance { kv, before: before[parts.plan.section_of(index)], own: conductor_ohm_km(feeder, kv) * km }
    };
    parts.plan.feeders.iter().enumerate().map(of_feeder).collect()
}

/// Returns the impedance between a node and the source that feeds it, per unit of 1 MVA. If loops are closed, only one of the paths is used.
fn per_unit_before(description: &Description, state: &NetworkState, node: NodeId) -> Complex64 {
    let model = state.model();
    let along: Complex64 = state
        .path_to_source(node, Phase::A)
        .map(|step| of_equipment(description, model.branch(step.branch).equipment, model.nominal_kv(step.node).map(f64::from)))
        .sum();
    let source = state.source_of(node, Phase::A).map(|source| model.source_equipment(source));
    let behind = source.map(|source| {
        let at = model.terminals_of(source)[0].0;
        of_equipment(description, source, model.nominal_kv(at).map(f64::from))
    });
    along + behind.unwrap_or_default()
}

fn of_equipment(description: &Description, equipment: EquipmentId, kv: Option<f64>) -> Complex64 {
    let per_unit = |series: &SequenceImpedance, kv: f64| Complex64::new(series.r_ohm, series.x_ohm) / kv.powi(2);
    match (&description.equipment[equipment.index()].electrical, kv) {
        (Electrical::Line(line), Some(kv)) => per_unit(&line.series, kv),
        (Electrical::Source(source), Some(kv)) => source.impedance.as_ref().map(|series| per_unit(series, kv)).unwrap_or_default(),
        (Electrical::Transformer(transformer), _) => transformer.ends.iter().map(|end| per_unit(&end.series, end.rated_kv)).sum(),
        _ => Complex64::ZERO,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::utility::demo;

    #[test]
    fn fault_at_a_busbar_fits_the_transformer_before_it() {
        let client = demo(33).clients.remove(0);
        let levels = FaultLevels::new(&client);
        for substation in client.substations.iter().filter(|substation| substation.plan.kv_high < 100.0) {
            let plan = &substation.plan;
            for feeder in 0..plan.feeders.len() {
                let unit = plan.units[plan.section_of_unit(plan.section_of(feeder))];
                // 8 percent: the transformer alone lets 12.5 times its rated current through.
                let largest = unit.mva / (0.08 * 3f64.sqrt() * plan.kv_low) * 1_000.0;
                let near = levels.current_a(&substation.code, feeder, 0.0).expect("a feeder");
                let far = levels.current_a(&substation.code, feeder, 1.0).expect("a feeder");
                assert!(near < largest && near > largest * 0.3, "{} F{}: {near} of {largest} A", substation.code, feeder + 1);
                assert!(far < near * 0.9 && far > 300.0, "{} F{}: {far} A at the end, {near} A at the start", substation.code, feeder + 1);
            }
        }
        assert_eq!(levels.current_a("QUAYSIDE", 99, 0.0), None);
    }
}
