//! The network of a demo utility: its substations, the lines between them, and its feeders with ring-main units, fuses, distribution transformers and
//! customers. It is derived from the plans of the substations, so diagram, physics and network have the same equipment.
//!
//! Ids of equipment in a substation are those of its assets, such as `QUAYSIDE/F1CB`. The equipment outside has ids such as `QUAYSIDE/F1/U3/SW-A`.

mod draft;
mod feeder;
mod station;

use network::Description;
use network::EquipmentKind;
use network::description::{Electrical, SequenceImpedance, SourceVoltage};

use super::geography::{feeds, origin, ways};
use super::{Client, Substation};
use draft::{Draft, overhead};
use feeder::Outgoing;

/// The short-circuit impedance of a neighbouring network, ohms, at 132 kV; lower voltages have that of a transformer of 25 MVA.
const GRID_OHM: (f64, f64) = (1.2, 8.0);
/// The same at a lower voltage, per unit of 25 MVA.
const SMALL_GRID: (f64, f64) = (0.01, 0.1);

/// Returns the network of a utility. The same utility always has the same network.
pub fn network(client: &Client) -> Description {
    let mut draft = Draft::default();
    let ways = ways(client);
    let fed = feeds(client);
    for substation in &client.substations {
        station::add(&mut draft, substation);
    }
    let way_of = |station: &str, asset: &str| ways.iter().find(|way| way.asset.0 == station && way.asset.1 == asset);
    let mut ends = Vec::new();
    for substation in &client.substations {
        for index in 0..substation.plan.feeders.len() {
            let code = format!("F{}", index + 1);
            let key = (substation.code.clone(), code.clone());
            if fed.iter().any(|(from, _)| *from == key) {
                continue;
            }
            if let Some(way) = way_of(&substation.code, &code) {
                ends.extend(feeder::add(&mut draft, &Outgoing { substation, index, way }));
            }
        }
    }
    for to in &client.substations {
        for (index, incomer) in to.plan.incomers.iter().enumerate() {
            let end = format!("{}/INC{}/line", to.code, index + 1);
            let way = way_of(&to.code, &format!("INC{}", index + 1));
            let km = way.map_or(1.0, super::geography::Way::km);
            match start_of(client, &fed, to, incomer) {
                Some(start) => {
                    let start = if draft.has_node(&start.node) { start } else { continue };
                    let mut from = start.node;
                    if let Some(switch) = start.switch {
                        let behind = draft.node(&format!("{switch}/line"), to.plan.kv_high, None);
                        draft.switch(&switch, EquipmentKind::LoadBreakSwitch, [&from, &behind], false);
                        from = behind;
                    }
                    draft.line(&format!("{}/INC{}/circuit", to.code, index + 1), [&from, &end], km, overhead(to.plan.kv_high));
                }
                None => grid(&mut draft, to, index, km, &end),
            }
        }
    }
    feeder::add_ties(&mut draft, &ends);
    draft.finish(client)
}

/// Where an incoming line starts.
struct Start {
    node: String,
    /// A load-break switch at the start, where the other station has no bay for the line.
    switch: Option<String>,
}

/// Returns where an incoming line starts; `None` outside of the utility.
fn start_of(client: &Client, fed: &[((String, String), String)], to: &Substation, incomer: &str) -> Option<Start> {
    let from = client.substations.iter().find(|substation| substation.code == origin(incomer) && substation.code != to.code)?;
    // `Orchard F1`: from the end of that feeder.
    if let Some((_, feeder)) = incomer.split_once(' ') {
        return Some(Start { node: feeder::last_bus(from, feeder), switch: None });
    }
    if let Some(((station, feeder), _)) = fed.iter().find(|((station, _), fed)| *station == from.code && *fed == to.code) {
        return Some(Start { node: format!("{station}/{feeder}/line"), switch: None });
    }
    Some(Start { node: format!("{}/BUSH", from.code), switch: Some(format!("{}/LINE-{}", from.code, to.code)) })
}

/// Adds the neighbouring network that an incoming line comes from, and the line.
fn grid(draft: &mut Draft, to: &Substation, index: usize, km: f64, end: &str) {
    let kv = to.plan.kv_high;
    let start = draft.node(&format!("{}/INC{}/grid", to.code, index + 1), kv, None);
    let (r_ohm, x_ohm) = if kv > 100.0 { GRID_OHM } else { (SMALL_GRID.0 * kv * kv / 25.0, SMALL_GRID.1 * kv * kv / 25.0) };
    let impedance = Some(SequenceImpedance { r_ohm, x_ohm, ..SequenceImpedance::default() });
    let source = SourceVoltage { voltage_pu: 1.0, angle_deg: 0.0, impedance };
    let name = format!("{} kV {}", kv, to.plan.incomers[index]);
    draft.add(&format!("{}/INC{}/source", to.code, index + 1), &name, EquipmentKind::EnergySource, &[&start], Electrical::Source(source));
    draft.line(&format!("{}/INC{}/circuit", to.code, index + 1), [&start, end], km, overhead(kv));
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use network::{Contact, NetworkState, State};
    use num_complex::Complex64;

    use super::*;
    use crate::utility::demo;

    fn states() -> Vec<(Client, NetworkState)> {
        let of = |client: Client| {
            let model = network(&client).to_model().expect("a model");
            (client, NetworkState::new(Arc::new(model)))
        };
        demo(33).clients.into_iter().map(of).collect()
    }

    #[test]
    fn utility_is_one_connected_network_in_which_each_customer_has_supply() {
        for (client, state) in states() {
            let model = state.model();
            let islands = state.islands();
            assert_eq!(islands.loops, 0, "{}: rings are open at one point", client.code);
            let fed: Vec<_> = islands.list.iter().filter(|island| island.is_energised).collect();
            // A grid on standby supplies only the line up to its open breaker.
            let largest = fed.iter().map(|island| island.nodes.len()).max().expect("an island");
            assert!(fed.iter().all(|island| island.nodes.len() == largest || island.nodes.len() <= 3), "{}", client.code);
            let dead: u64 =
                model.nodes().filter(|node| state.state(*node) != State::Energised).map(|node| model.consumer(node).customers).sum();
            assert_eq!(dead, 0, "{}", client.code);
            assert_eq!(state.abnormal().count(), 0);
        }
    }

    #[test]
    fn first_utility_has_a_network_of_a_real_size() {
        use EquipmentKind::{EnergySource, Fuse, LoadBreakSwitch, PowerTransformer, Recloser};
        let (client, state) = states().remove(0);
        let model = state.model();
        assert!(model.node_count() >= 1_500, "{} nodes", model.node_count());
        let count = |kind| model.all_equipment().filter(|equipment| model.kind(*equipment) == kind).count();
        for (kind, least) in [(EnergySource, 2), (Fuse, 250), (LoadBreakSwitch, 500), (PowerTransformer, 250), (Recloser, 5)] {
            assert!(count(kind) >= least, "{} of {}", count(kind), kind.as_str());
        }
        let consumed = model.nodes().map(|node| model.consumer(node).load_kw).sum::<f64>();
        let planned = client.substations.iter().flat_map(|substation| &substation.plan.feeders).map(|feeder| feeder.peak_mw * 1_000.0);
        assert!(consumed > 0.3 * planned.clone().sum::<f64>() && consumed < planned.sum(), "{consumed} kW");
    }

    #[test]
    fn customers_of_a_feeder_are_those_of_its_plan() {
        let (client, state) = states().remove(0);
        for substation in client.substations.iter().filter(|substation| substation.plan.kv_high < 100.0) {
            for (index, feeder) in substation.plan.feeders.iter().enumerate().filter(|(_, feeder)| feeder.in_service) {
                let breaker = state.model().equipment(&format!("{}/F{}CB", substation.code, index + 1)).expect("a breaker");
                let lost = state.consequences(breaker, Contact::Open).lost;
                // The park is supplied by a feeder of another substation.
                let park = i32::from((substation.code.as_str(), index) == ("ORCHARD", 0));
                let of_park: i32 = client
                    .substations
                    .iter()
                    .filter(|other| other.code == "CEDAR")
                    .flat_map(|other| &other.plan.feeders)
                    .map(|feeder| feeder.customers)
                    .sum();
                assert_eq!(lost.customers as i32, feeder.customers + park * of_park, "{} {}", substation.code, feeder.label);
            }
        }
    }

    /// Moves each tap changer by a step if the voltage behind it is out of its band, as its regulator does. Returns whether one has moved.
    fn regulate(description: &mut Description, volts: impl Fn(&str) -> Option<f64>) -> bool {
        let mut has_moved = false;
        for equipment in &mut description.equipment {
            let Electrical::Transformer(transformer) = &mut equipment.electrical else { continue };
            let (Some(tap), Some(volts)) = (&mut transformer.ends[0].tap, volts(&equipment.terminals[1].node)) else { continue };
            let step = i32::from(volts < 1.0) - i32::from(volts > 1.03);
            let next = (tap.step + step).clamp(tap.low, tap.high);
            has_moved |= std::mem::replace(&mut tap.step, next) != next;
        }
        has_moved
    }

    #[test]
    fn load_flow_at_two_thirds_of_the_highest_load_keeps_the_limits_of_voltage() {
        for client in demo(33).clients {
            let mut description = network(&client);
            for equipment in &mut description.equipment {
                if let Electrical::Consumer(consumed) = &mut equipment.electrical {
                    consumed.kw *= 2.0 / 3.0;
                    consumed.kvar *= 2.0 / 3.0;
                }
            }
            let state = NetworkState::new(Arc::new(description.to_model().expect("a model")));
            let model = Arc::clone(state.model());
            let mut rounds = 0;
            let solution = loop {
                let solution = powerflow::Case::new(&description, &state).expect("a case").solve(&powerflow::Options::default());
                assert!(solution.is_converged(), "{}: {:?}", client.code, solution.islands());
                let volts = |node: &str| solution.voltage_pu(model.node(node)?).map(Complex64::norm);
                rounds += 1;
                if rounds > 20 || !regulate(&mut description, volts) {
                    break solution;
                }
            };
            assert!(rounds <= 20, "{}: the tap changers do not come to rest", client.code);
            for node in model.nodes() {
                let volts = solution.voltage_pu(node).map_or(1.0, Complex64::norm);
                assert!(volts > 0.9 && volts < 1.1, "{} {}: {volts}", client.code, model.node_name(node));
            }
        }
    }

    #[test]
    fn each_switch_of_a_diagram_is_in_the_network() {
        for (client, state) in states() {
            for substation in &client.substations {
                let switches = substation.points.iter().filter(|point| point.code == "Pos");
                for point in switches {
                    let id = format!("{}/{}", substation.code, point.asset);
                    let equipment = state.model().equipment(&id).unwrap_or_else(|| panic!("{id} is missing"));
                    let kind = state.model().kind(equipment);
                    assert!(kind.is_switch() || kind == EquipmentKind::GroundDisconnector, "{id}");
                }
            }
        }
    }

    #[test]
    fn end_of_a_feeder_can_be_fed_over_a_normally_open_point() {
        let (_, mut state) = states().remove(0);
        let model = Arc::clone(state.model());
        let breaker = model.equipment("QUAYSIDE/F1CB").expect("a breaker");
        let end = model.equipment("QUAYSIDE/F1/U1/TX").map(|transformer| model.terminals_of(transformer)[1].0).expect("a transformer");
        state.set_contact(breaker, Contact::Open);
        state.settle();
        assert_eq!(state.state(end), State::Dead);
        let feeds: Vec<&str> = state.could_feed(end).into_iter().map(|switch| model.equipment_name(switch)).collect();
        assert!(feeds.contains(&"QUAYSIDE/F1CB") && feeds.len() >= 2, "{feeds:?}");
    }

    #[test]
    fn loss_of_the_first_infeed_takes_supply_from_all_customers() {
        let (_, mut state) = states().remove(0);
        let model = Arc::clone(state.model());
        let source = model.equipment("SAMUDRA/INC1/source").expect("a source");
        state.set_contact(source, Contact::Open);
        state.settle();
        assert!(model.nodes().filter(|node| model.consumer(*node).customers > 0).all(|node| state.state(node) == State::Dead));
        for (switch, contact) in [("INC1CB", Contact::Open), ("INC2IS", Contact::Closed), ("INC2CB", Contact::Closed)] {
            state.set_contact(model.equipment(&format!("SAMUDRA/{switch}")).expect("a switch"), contact);
        }
        state.settle();
        assert!(model.nodes().filter(|node| model.consumer(*node).customers > 0).all(|node| state.state(node) == State::Energised));
    }
}
