//! The network of a demo utility: its substations, the lines between them, and its feeders with ring-main units, fuses, distribution transformers and
//! customers. It is derived from the plans of the substations, so diagram, physics and network have the same equipment.
//!
//! Ids of equipment in a substation are those of its assets, such as `QUAYSIDE/F1CB`. Equipment outside of substations has ids such as `QUAYSIDE/F1/U3/SW-A`.

mod conductor;
mod detailed_feeder;
mod draft;
mod feeder;
mod low_voltage;
mod station;

use network::Description;
use network::EquipmentKind;
use network::description::{Electrical, SequenceImpedance, SourceVoltage};
use num_complex::Complex64;

use super::geography::{feeds, ways};
use super::supply::Start;
use super::{Client, Feeder, Substation, supply};
use conductor::overhead;
use draft::Draft;
pub use draft::LOW_VOLTAGE_SHARE;
use feeder::Outgoing;

/// The short-circuit impedance of a neighbouring network, ohms, at 132 kV; lower voltages have that of a transformer of 25 MVA.
const GRID_OHM: (f64, f64) = (1.2, 8.0);
/// The same at a lower voltage, per unit of 25 MVA.
const SMALL_GRID: (f64, f64) = (0.01, 0.1);

/// Returns the impedance of the trunk of a feeder, ohms per kilometre.
pub fn conductor_ohm_km(feeder: &Feeder, kv: f64) -> Complex64 {
    let conductor = conductor::trunk(feeder, kv);
    Complex64::new(conductor.r_ohm, conductor.x_ohm)
}

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
                let outgoing = Outgoing { substation, index, way };
                ends.extend(match substation.plan.feeders[index].detail {
                    Some(detail) => Some(detailed_feeder::add(&mut draft, &outgoing, detail)),
                    None => feeder::add(&mut draft, &outgoing),
                });
            }
        }
    }
    for to in &client.substations {
        for (index, incomer) in to.plan.incomers.iter().enumerate() {
            let end = format!("{}/INC{}/line", to.code, index + 1);
            let way = way_of(&to.code, &format!("INC{}", index + 1));
            let km = way.map_or(1.0, super::geography::Way::km);
            match beginning(client, &fed, to, incomer) {
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

/// The node at which an incoming line starts.
struct Beginning {
    node: String,
    /// A load-break switch at the start, if the other substation has no bay for the line.
    switch: Option<String>,
}

/// Returns where an incoming line starts; `None` outside of the utility.
fn beginning(client: &Client, fed: &[((String, String), String)], to: &Substation, incomer: &str) -> Option<Beginning> {
    Some(match supply::start(client, fed, to, incomer)? {
        Start::FeederEnd(station, feeder) => {
            let from = client.substations.iter().find(|substation| substation.code == station)?;
            Beginning { node: feeder::last_bus(from, &feeder), switch: None }
        }
        Start::FeederBay(station, feeder) => Beginning { node: format!("{station}/{feeder}/line"), switch: None },
        Start::Busbar(station) => Beginning { node: format!("{station}/BUSH"), switch: Some(format!("{station}/LINE-{}", to.code)) },
    })
}

/// Adds the neighbouring network at which an incoming line begins, and the line.
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

    use super::*;
    use crate::utility::{demo, large};
    use network::findings::{Rule, Severity};
    use network::{Contact, NetworkState, State};

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
    fn customers_behind_a_feeder_are_those_of_its_asset() {
        for (client, state) in states() {
            let all: u64 = state.model().nodes().map(|node| state.model().consumer(node).customers).sum();
            let mut own = 0;
            for substation in &client.substations {
                for (index, feeder) in substation.plan.feeders.iter().enumerate() {
                    own += feeder.customers as u64;
                    let code = format!("F{}CB", index + 1);
                    let asset = substation.assets.iter().find(|asset| asset.code == code).expect("an asset");
                    let breaker = state.model().equipment(&format!("{}/{code}", substation.code)).expect("a breaker");
                    let lost = state.consequences(breaker, Contact::Open).lost;
                    assert_eq!(lost.customers, asset.customers as u64, "{} {}", substation.code, feeder.label);
                }
            }
            assert_eq!(own, all, "{}: each customer is counted once", client.code);
        }
    }

    #[test]
    fn steelworks_are_one_customer() {
        let (client, state) = states().remove(0);
        let asset = client.substations[0].assets.iter().find(|asset| asset.code == "F6").expect("an asset");
        let consumer = state.model().equipment("SAMUDRA/F6/customers").expect("a consumer");
        let node = state.model().terminals_of(consumer)[0].0;
        assert_eq!((asset.customers, state.model().consumer(node).customers), (1, 1));
    }

    #[test]
    fn works_have_a_handful_of_customers_at_most() {
        const WORDS: [&str; 12] = [
            "plant",
            "works",
            "steelworks",
            "mill",
            "mills",
            "factory",
            "hospital",
            "stores",
            "store",
            "pump house",
            "pumping station",
            "university",
        ];
        let mut works = 0;
        for client in demo(33).clients.into_iter().chain([large(33)]) {
            let network = network(&client);
            for substation in &client.substations {
                for (index, feeder) in substation.plan.feeders.iter().enumerate() {
                    let label = feeder.label.to_lowercase();
                    if feeder.is_supply_line() || !WORDS.iter().any(|word| label == *word || label.ends_with(&format!(" {word}"))) {
                        continue;
                    }
                    let own = format!("{}/F{}/", substation.code, index + 1);
                    let consumers = network.equipment.iter().filter(|of| of.id.starts_with(&own));
                    let customers = consumers.filter_map(|of| match &of.electrical {
                        Electrical::Consumer(consumed) => Some(consumed.customers),
                        _ => None,
                    });
                    let most = customers.max().unwrap_or_default();
                    let is_handful = feeder.detail.is_some() || (1..=5).contains(&feeder.customers);
                    assert!(is_handful && most <= 5, "{} {}: {} and {most}", substation.code, feeder.label, feeder.customers);
                    works += 1;
                }
            }
        }
        assert!(works > 12, "{works}");
    }

    fn bound<'a>(description: &'a Description, equipment: &str, quantity: &str) -> Vec<(Option<u8>, &'a str)> {
        let of = description.measurements.iter().filter(|bound| bound.equipment == equipment && bound.quantity == quantity);
        of.map(|bound| (bound.terminal, bound.point.as_deref().expect("a point"))).collect()
    }

    #[test]
    fn voltages_of_incoming_lines_are_bound_to_their_ends_and_to_the_sources() {
        let description = network(&demo(33).clients[0]);
        for phase in ["Vr", "Vry", "Vbr"] {
            let point = format!("SAMUDRA/INC1/INC1/{phase}");
            assert_eq!(bound(&description, "SAMUDRA/INC1/circuit", phase), [(Some(2), point.as_str())]);
        }
        assert_eq!(bound(&description, "SAMUDRA/INC1CB", "Ir"), [(Some(1), "SAMUDRA/INC1/INC1/Ir")]);
        assert_eq!(bound(&description, "QUAYSIDE/F1CB", "Vr"), [(Some(2), "QUAYSIDE/F1/F1/Vr")]);
        assert_eq!(bound(&description, "QUAYSIDE/F1CB", "Pos"), [(None, "QUAYSIDE/F1/F1CB/Pos")]);
        assert_eq!(bound(&description, "QUAYSIDE/TX1", "I"), [(Some(2), "QUAYSIDE/TX1/TX1/I")], "it is measured on the low side");
        for client in demo(33).clients {
            let description = network(&client);
            let sources = description.equipment.iter().filter(|equipment| equipment.kind == EquipmentKind::EnergySource);
            for source in sources {
                let line = source.id.strip_suffix("/source").expect("an id");
                let (station, incomer) = line.split_once('/').expect("an id");
                for quantity in ["Vry", "Vyb", "Vbr"] {
                    let point = format!("{station}/{incomer}/{incomer}/{quantity}");
                    assert_eq!(bound(&description, &source.id, quantity), [(Some(1), point.as_str())]);
                }
            }
        }
    }

    #[test]
    fn findings_are_only_switches_without_telemetry_and_points_that_sources_share() {
        for client in demo(33).clients {
            let description = network(&client);
            let findings = description.check();
            assert_eq!(findings.count_of(Severity::Error), 0, "{:?}", findings.listed().next());
            let is_outside = |equipment: &&network::description::Equipment| {
                equipment.kind.is_switch() && !description.measurements.iter().any(|bound| bound.equipment == equipment.id)
            };
            let outside = description.equipment.iter().filter(is_outside).count();
            let sources = description.equipment.iter().filter(|equipment| equipment.kind == EquipmentKind::EnergySource).count();
            assert_eq!(findings.count(Rule::SwitchWithoutPoint), outside);
            assert_eq!(findings.count(Rule::PointTwice), 3 * sources);
            assert_eq!(findings.count_of(Severity::Warning), outside + 3 * sources, "{:?}", findings.listed().collect::<Vec<_>>());
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
