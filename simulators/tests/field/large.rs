//! Tests the large utility: its size, its normal state, its statistics, and its limits of voltage and current.

use std::collections::HashSet;
use std::sync::{Arc, LazyLock};

use network::description::{Consumption, ContainerKind, Electrical};
use network::findings::Severity;
use network::{Contact, Description, EquipmentKind, Model, NetworkState, State};
use powerflow::{Case, Complex64, Options};
use simulators::utility::{self, Client, SupplyArea};

struct Large {
    client: Client,
    description: Description,
    state: NetworkState,
}

/// It takes a second to make.
static LARGE: LazyLock<Large> = LazyLock::new(|| {
    let client = utility::large(33);
    let description = utility::network(&client);
    let state = NetworkState::new(Arc::new(description.to_model().expect("a model")));
    Large { client, description, state }
});

/// Returns all customers with their consumption.
fn consumers() -> impl Iterator<Item = &'static Consumption> {
    LARGE.description.equipment.iter().filter_map(|equipment| match &equipment.electrical {
        Electrical::Consumer(consumption) => Some(consumption),
        _ => None,
    })
}

/// Returns the length of the lines of a range of voltages, km. Lines of low voltage are those of the streets.
fn km(from_kv: f64, to_kv: f64) -> f64 {
    let model = LARGE.state.model();
    let lines = model.all_equipment().zip(&LARGE.description.equipment).filter_map(|(id, equipment)| match &equipment.electrical {
        Electrical::Line(line) if !equipment.id.ends_with("/cable") => Some((model.terminals_of(id)[0].0, line.length_km?)),
        _ => None,
    });
    let of_voltage = lines.filter(|(node, _)| model.nominal_kv(*node).is_some_and(|kv| (from_kv..to_kv).contains(&f64::from(kv))));
    of_voltage.map(|(_, km)| km).sum()
}

#[test]
fn large_utility_has_100_000_nodes_and_is_always_the_same() {
    let nodes = LARGE.description.nodes.len();
    assert!((100_000..102_000).contains(&nodes), "{nodes} nodes");
    assert_eq!(utility::network(&utility::large(33)), LARGE.description);
    assert_ne!(utility::large(34), LARGE.client);
    let findings = LARGE.description.check();
    assert_eq!(findings.count_of(Severity::Error), 0, "{:?}", findings.listed().next());
}

#[test]
fn large_utility_is_radial_and_each_customer_has_supply() {
    let (state, model) = (&LARGE.state, LARGE.state.model());
    assert_eq!(state.islands().loops, 0);
    let customers: u64 = model.nodes().map(|node| model.consumer(node).customers).sum();
    let dead: u64 = model.nodes().filter(|node| state.state(*node) != State::Energised).map(|node| model.consumer(node).customers).sum();
    assert!(customers > 100_000, "{customers} customers");
    assert_eq!(dead, 0);
    // Feeders are open rings in pairs. One that is left in its substation is radial.
    let ties = LARGE.description.equipment.iter().filter(|equipment| equipment.id.contains("/TIE-") && equipment.kind.is_switch());
    let is_open = |electrical: &Electrical| matches!(electrical, Electrical::Switch(switch) if switch.is_normally_open);
    assert!(ties.clone().all(|tie| is_open(&tie.electrical)));
    let is_detailed = |feeder: &&utility::Feeder| feeder.detail.is_some();
    let pairs = |substation: &utility::Substation| substation.plan.feeders.iter().filter(is_detailed).count() / 2;
    assert_eq!(ties.count(), LARGE.client.substations.iter().map(pairs).sum::<usize>());
}

#[test]
fn customers_behind_a_feeder_of_the_large_utility_are_those_of_its_asset() {
    let state = LARGE.state.clone();
    let model = Arc::clone(state.model());
    for substation in &LARGE.client.substations {
        for feeder in 1..=substation.plan.feeders.len() {
            let code = format!("F{feeder}CB");
            let asset = substation.assets.iter().find(|asset| asset.code == code).expect("an asset");
            let breaker = model.equipment(&format!("{}/{code}", substation.code)).expect("a breaker");
            let lost = state.consequences(breaker, Contact::Open).lost;
            assert_eq!(lost.customers, asset.customers as u64, "{} {code}", substation.code);
        }
    }
}

/// For interlocks, a switch without a point has no known position.
#[test]
fn feeder_can_be_closed_again_although_ties_are_not_reported() {
    let mut state = LARGE.state.clone();
    let model = Arc::clone(state.model());
    let reported: HashSet<&str> = LARGE.description.measurements.iter().map(|measurement| measurement.equipment.as_str()).collect();
    let is_reported = |id| reported.contains(model.equipment_name(id));
    for switch in model.all_equipment().filter(|id| model.kind(*id).is_switch() && !is_reported(*id)) {
        state.set_contact(switch, Contact::Unknown);
    }
    for substation in LARGE.client.substations.iter().filter(|substation| substation.plan.kv_low < 20.0) {
        let breaker = model.equipment(&format!("{}/F1CB", substation.code)).expect("a breaker");
        state.set_contact(breaker, Contact::Open);
        state.settle();
        assert_eq!(state.consequences(breaker, Contact::Closed).joins, None, "{}", substation.code);
        state.set_contact(breaker, Contact::Closed);
        state.settle();
    }
}

#[test]
fn statistics_of_the_large_utility_are_those_of_their_sources() {
    let customers: u64 = consumers().map(|consumption| consumption.customers).sum();
    let meters = |from, to| km(from, to) * 1_000.0 / customers as f64;
    // Telangana: 26 m, 12 m and 1.6 m.
    let lengths = [meters(0.0, 1.0), meters(10.0, 12.0), meters(30.0, 36.0)];
    assert!((16.0..32.0).contains(&lengths[0]), "{lengths:?} m");
    assert!((9.0..15.0).contains(&lengths[1]), "{lengths:?} m");
    assert!((1.0..4.0).contains(&lengths[2]), "{lengths:?} m");
    let rated = LARGE.description.equipment.iter().filter_map(|equipment| match &equipment.electrical {
        Electrical::Transformer(transformer) if transformer.ends[1].rated_kv < 1.0 => transformer.ends[1].rated_kva,
        _ => None,
    });
    let rated: Vec<f64> = rated.collect();
    // Telangana: 2.1 kVA.
    let kva = rated.iter().sum::<f64>() / customers as f64;
    assert!((1.7..2.6).contains(&kva), "{kva} kVA a customer");
    let transformers_in = |areas: &[SupplyArea]| -> u32 {
        let feeders = LARGE.client.substations.iter().flat_map(|substation| &substation.plan.feeders);
        feeders.filter_map(|feeder| feeder.detail).filter(|of| areas.contains(&of.area)).map(|of| of.transformers).sum()
    };
    // India: 15 percent are in towns.
    let share = f64::from(transformers_in(&[SupplyArea::City])) / rated.len() as f64;
    assert!((0.12..0.22).contains(&share), "{share} in cities");
    // Europe: 354 customers at low voltage for each one with its own transformer.
    let ratio = customers / u64::from(transformers_in(&[SupplyArea::Works]));
    assert!((250..900).contains(&ratio), "{ratio} customers for each with its own transformer");
    let of_a_transformer = customers as f64 / rated.len() as f64;
    assert!((40.0..80.0).contains(&of_a_transformer), "{of_a_transformer}");
}

/// Moves each tap changer towards the voltage behind it. Returns whether one has moved.
fn regulate(description: &mut Description, model: &Model, volts: impl Fn(network::NodeId) -> f64) -> bool {
    let mut has_moved = false;
    for (id, equipment) in model.all_equipment().zip(&mut description.equipment) {
        let Electrical::Transformer(transformer) = &mut equipment.electrical else { continue };
        let Some(tap) = &mut transformer.ends[0].tap else { continue };
        let behind = volts(model.terminals_of(id)[1].0);
        let step = if (behind - 1.0).abs() > 0.0125 { ((1.0 - behind) / 0.0125).round() as i32 } else { 0 };
        let next = (tap.step + step).clamp(tap.low, tap.high);
        has_moved |= std::mem::replace(&mut tap.step, next) != next;
    }
    has_moved
}

#[test]
fn large_utility_keeps_its_limits_of_voltage_and_current_at_the_highest_load() {
    const ROUNDS: usize = 12;
    let mut description = LARGE.description.clone();
    let (state, model) = (&LARGE.state, LARGE.state.model());
    let mut rounds = 0;
    let solution = loop {
        let solution = Case::new(&description, state).expect("a case").solve(&Options::default());
        assert!(solution.is_converged(), "{:?}", solution.islands());
        rounds += 1;
        let volts = |node| solution.voltage_pu(node).map_or(1.0, Complex64::norm);
        if rounds == ROUNDS || !regulate(&mut description, model, volts) {
            break solution;
        }
    };
    assert!(rounds < ROUNDS, "the tap changers do not come to rest");
    let (mut lowest, mut wrong) = ([2.0_f64; 2], Vec::new());
    for node in model.nodes() {
        let (Some(volts), Some(kv)) = (solution.voltage_pu(node).map(Complex64::norm), model.nominal_kv(node)) else { continue };
        // India: 6 percent at low voltage, +6 and -9 percent at high voltage.
        let (class, limits) = if kv < 1.0 { (0, 0.94..=1.06) } else { (1, 0.91..=1.06) };
        lowest[class] = lowest[class].min(volts);
        if !limits.contains(&volts) {
            wrong.push(format!("{}: {volts:.4}", model.node_name(node)));
        }
    }
    let loading = |id: network::EquipmentId, equipment: &network::description::Equipment| match &equipment.electrical {
        Electrical::Line(line) => Some(solution.current_a(id, 1)?.norm() / line.rated_a?),
        Electrical::Transformer(transformer) => Some(solution.power_kva(id, 1)?.norm() / transformer.ends[0].rated_kva?),
        _ => None,
    };
    for (id, equipment) in model.all_equipment().zip(&description.equipment) {
        if let Some(share) = loading(id, equipment).filter(|share| *share > 1.0) {
            wrong.push(format!("{}: {:.0} percent of its rating", equipment.id, share * 100.0));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} beyond their limits, lowest voltages {lowest:?}, such as {:?}",
        wrong.len(),
        &wrong[..wrong.len().min(12)]
    );
}

#[test]
fn each_feeder_of_the_large_utility_is_a_container() {
    let feeders = LARGE.description.containers.iter().filter(|container| container.kind == ContainerKind::Feeder).count();
    assert_eq!(feeders, LARGE.client.substations.iter().map(|substation| substation.plan.feeders.len()).sum::<usize>());
    let fuses = LARGE.description.equipment.iter().filter(|equipment| equipment.kind == EquipmentKind::Fuse).count();
    assert!(fuses > 5_000, "{fuses} fuses");
}

#[test]
fn customers_behind_all_open_breakers_are_found_in_one_pass() {
    let model = LARGE.state.model();
    let is_breaker = |of: &network::EquipmentId| model.kind(*of) == EquipmentKind::Breaker;
    // A blackout: the breakers at all voltages are open, each above many others.
    let breakers: Vec<network::EquipmentId> = model.all_equipment().filter(is_breaker).take(500).collect();
    let mut state = LARGE.state.clone();
    for of in &breakers {
        state.set_contact(*of, Contact::Open);
    }
    state.settle();
    let found = state.customers_fed_differently(&LARGE.state, &breakers);
    let most = found.customers.iter().copied().max().unwrap_or_default();
    assert!(most > 10_000, "{most} customers behind an infeed");
    // Two states in three phases.
    let bound = 6 * LARGE.description.nodes.len();
    assert!(found.steps < bound, "{} steps for {} breakers, at most {bound}", found.steps, breakers.len());
}
