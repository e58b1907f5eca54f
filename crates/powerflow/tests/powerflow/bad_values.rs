//! Values that are no numbers, zeros, huge numbers: a clear error with the id, or a result, never a panic.

use network::description::{Electrical, Generation, Shunt, SourceVoltage, Tap, Transformer, TransformerEnd};
use network::{Description, EquipmentKind};
use powerflow::{Case, CaseError, Finding, Options};
use proptest::prelude::*;

use crate::networks::{Network, line};

fn transformer(rated: [f64; 2], x_ohm: f64) -> Transformer {
    let mut ends = rated.map(|rated_kv| TransformerEnd { rated_kv, ..TransformerEnd::default() }).to_vec();
    ends[0].series.x_ohm = x_ohm;
    Transformer { ends }
}

fn network() -> Network {
    let mut network = Network::default();
    network.node("a", 33.0).node("b", 11.0).node("c", 11.0).source("source", "a", 1.0);
    network.transformer("T1", &["a", "b"], transformer([33.0, 11.0], 15.0)).line("L1", ["b", "c"], 0.2, 0.3).load("C1", "c", 500.0, 100.0);
    network.generator("G1", "c", Generation { kw: 10.0, ..Generation::default() });
    network.add("S1", EquipmentKind::ShuntCompensator, &["c"], Electrical::Shunt(Shunt { g_s: 0.0, b_s: 1e-4 }));
    network
}

/// Returns the error of the network with one changed value.
fn error_of(change: impl Fn(&mut Description)) -> String {
    let mut network = network();
    change(&mut network.0);
    network.case().expect_err("an error").to_string()
}

fn electrical<'a>(description: &'a mut Description, id: &str) -> &'a mut Electrical {
    &mut description.equipment.iter_mut().find(|equipment| equipment.id == id).expect("there").electrical
}

#[test]
fn bad_value_is_named_with_its_equipment() {
    for (value, text) in [(f64::NAN, "NaN"), (f64::INFINITY, "inf"), (1e300, "1000000")] {
        let error = error_of(|description| *electrical(description, "L1") = Electrical::Line(line(value, 0.3)));
        assert!(error.starts_with(&format!("L1: r_ohm is {text}")), "{error}");
        let error = error_of(|description| *electrical(description, "S1") = Electrical::Shunt(Shunt { g_s: 0.0, b_s: value }));
        assert!(error.starts_with("S1: b_s"), "{error}");
        let error = error_of(|description| {
            *electrical(description, "source") = Electrical::Source(SourceVoltage { voltage_pu: value, ..SourceVoltage::default() });
        });
        assert!(error.starts_with("source: voltage_pu"), "{error}");
        let error = error_of(|description| description.nodes[1].nominal_kv = Some(value));
        assert!(error.starts_with("b: nominal_kv"), "{error}");
        let error = error_of(|description| *electrical(description, "T1") = Electrical::Transformer(transformer([value, 11.0], 15.0)));
        assert!(error.starts_with("T1: rated_kv"), "{error}");
        let error = error_of(|description| {
            let Electrical::Consumer(consumed) = electrical(description, "C1") else { unreachable!("a consumer") };
            consumed.kw = value;
        });
        assert!(error.starts_with("C1: kw"), "{error}");
        let error = error_of(|description| {
            *electrical(description, "G1") = Electrical::Generator(Generation { kw: value, ..Generation::default() });
        });
        assert!(error.starts_with("G1: kw"), "{error}");
    }
}

#[test]
fn transformer_needs_an_impedance_and_an_end_for_each_terminal() {
    let error = error_of(|description| *electrical(description, "T1") = Electrical::Transformer(transformer([33.0, 11.0], 0.0)));
    assert_eq!(error, "T1: its impedance is 0; give its impedance in ohms at the voltage of its first end");
    let error = error_of(|description| *electrical(description, "T1") = Electrical::Transformer(Transformer { ends: Vec::new() }));
    assert!(error.starts_with("T1: 0 ends have ratings and 2 have terminals"), "{error}");
    let error = error_of(|description| *electrical(description, "T1") = Electrical::Nothing);
    assert!(error.starts_with("T1: 0 ends"), "{error}");
    let error = error_of(|description| {
        let mut values = transformer([33.0, 11.0], 15.0);
        values.ends[0].tap = Some(Tap { step: i32::MAX, neutral: i32::MIN, low: 0, high: 0, step_percent: 1.25, step_degrees: 0.0 });
        *electrical(description, "T1") = Electrical::Transformer(values);
    });
    assert!(error.starts_with("T1: the change of voltage at this tap"), "{error}");
}

#[test]
fn line_without_impedance_joins_its_ends() {
    for values in [Electrical::Line(line(0.0, 0.0)), Electrical::Nothing] {
        let mut network = network();
        *electrical(&mut network.0, "L1") = values;
        let solved = network.solve();
        assert_eq!(solved.case.findings(), [Finding::NoImpedance(solved.equipment("L1"))]);
        assert_eq!(solved.voltage("b"), solved.voltage("c"));
        let drawn = solved.current("C1", 1) + solved.current("G1", 1) + solved.current("S1", 1);
        assert!((solved.current("L1", 1) - drawn).norm() < 1e-9);
    }
}

#[test]
fn sources_with_different_voltages_at_one_place_are_refused() {
    let mut network = network();
    network.node("d", 33.0).switch("coupler", ["a", "d"], false).source("other", "d", 1.01);
    let error = network.case().expect_err("an error");
    assert_eq!(error, CaseError::HeldTwice { first: "source".to_owned(), second: "other".to_owned() });
}

#[test]
fn missing_voltage_follows_from_neighbours_or_is_an_error() {
    let mut network = network();
    network.0.nodes[1].nominal_kv = None;
    network.0.nodes[2].nominal_kv = None;
    let derived = network.solve();
    assert!((derived.solution.voltage_kv(derived.node("c")).expect("a voltage").norm() - 11.0).abs() < 0.5);
    let mut alone = Network::default();
    alone.node("a", 11.0).source("source", "a", 1.0);
    alone.0.nodes[0].nominal_kv = None;
    assert_eq!(alone.case().expect_err("an error"), CaseError::NoVoltage("a".to_owned()));
}

#[test]
fn state_of_another_network_is_refused() {
    let mut other = network();
    other.node("d", 11.0);
    assert!(matches!(Case::new(&network().0, &other.state()), Err(CaseError::OtherModel { .. })));
}

fn any_number() -> impl Strategy<Value = f64> {
    prop_oneof![
        Just(0.0),
        Just(-0.0),
        Just(f64::NAN),
        Just(f64::INFINITY),
        Just(f64::MIN_POSITIVE),
        Just(f64::MAX),
        -1e9..1e9,
        -1.0..1.0,
        any::<f64>()
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_values_give_a_result_or_an_error(values in prop::collection::vec(any_number(), 16), step in any::<i32>()) {
        let mut next = values.into_iter().cycle();
        let mut value = || next.next().expect("endless");
        let mut network = network();
        let description = &mut network.0;
        *electrical(description, "L1") = Electrical::Line(line(value(), value()));
        if let Electrical::Line(line) = electrical(description, "L1") {
            (line.g_s, line.b_s) = (value(), value());
        }
        let mut values = transformer([value(), value()], value());
        values.ends[1].series.r_ohm = value();
        values.ends[0].tap = Some(Tap { step, neutral: 0, low: 0, high: 0, step_percent: value(), step_degrees: value() });
        *electrical(description, "T1") = Electrical::Transformer(values);
        *electrical(description, "S1") = Electrical::Shunt(Shunt { g_s: value(), b_s: value() });
        *electrical(description, "G1") = Electrical::Generator(Generation { kw: value(), kvar: value(), voltage_pu: (step % 2 == 0).then(&mut value), ..Generation::default() });
        description.nodes[2].nominal_kv = (step % 3 == 0).then(value);
        if let Ok(case) = network.case() {
            let solution = case.solve(&Options::default());
            for node in network.state().model().nodes() {
                prop_assert!(solution.voltage_kv(node).is_none_or(|voltage| voltage.norm().is_finite()));
            }
        }
    }
}
