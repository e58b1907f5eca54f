//! The radial feeder of Baran and Wu with 33 buses, and a transformer with a feeder, against figures of pandapower.

use network::description::{Consumption, Electrical, Tap, Transformer, TransformerEnd};
use powerflow::{Method, Options, Outcome};
use serde_json::Value;

use crate::networks::{Network, Solved, assert_near};

fn vectors() -> Value {
    serde_json::from_str(include_str!("../vectors/case33bw.json")).expect("JSON")
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

fn feeder(vectors: &Value) -> Network {
    let mut network = Network::default();
    let inputs = &vectors["inputs"];
    let kv = number(&inputs["base_kv"]);
    for bus in 0..33 {
        network.node(&bus.to_string(), kv);
    }
    network.source("source", "0", number(&inputs["slack_vm_pu"]));
    for (index, line) in inputs["lines"].as_array().expect("lines").iter().enumerate() {
        let nodes = [line["f"].to_string(), line["t"].to_string()];
        network.line(&format!("line {index}"), [&nodes[0], &nodes[1]], number(&line["r_ohm"]), number(&line["x_ohm"]));
        network.0.equipment.last_mut().expect("the line").is_in_service = line["in_service"].as_bool().expect("a flag");
    }
    for (index, load) in inputs["loads"].as_array().expect("loads").iter().enumerate() {
        let (kw, kvar) = (number(&load["p_mw"]) * 1_000.0, number(&load["q_mvar"]) * 1_000.0);
        network.load(&format!("load {index}"), &load["bus"].to_string(), kw, kvar);
    }
    network
}

fn check(solved: &Solved, outputs: &Value) {
    for bus in 0..33 {
        let voltage = solved.voltage(&bus.to_string());
        assert_near("voltage", voltage.norm(), number(&outputs["vm_pu"][bus.to_string()]), 1e-8);
        assert_near("angle", voltage.arg().to_degrees(), number(&outputs["va_degree"][bus.to_string()]), 1e-8);
    }
    for line in 0..32 {
        let ka = number(&outputs["line_i_ka"][line.to_string()]);
        assert_near("current", solved.current(&format!("line {line}"), 1).norm() / 1_000.0 / ka, 1.0, 1e-9);
    }
    let losses = solved.solution.losses_kva();
    assert_near("loss", losses.re, number(&outputs["total_loss_mw"]) * 1_000.0, 1e-9);
    assert_near("reactive loss", losses.im, number(&outputs["total_loss_mvar"]) * 1_000.0, 1e-9);
    let source = -solved.power("source", 1);
    assert_near("source", source.re, number(&outputs["source_p_mw"]) * 1_000.0, 1e-9);
    assert_near("reactive power of the source", source.im, number(&outputs["source_q_mvar"]) * 1_000.0, 1e-9);
}

#[test]
fn sweep_gives_the_published_figures() {
    let vectors = vectors();
    let solved = feeder(&vectors).solve();
    assert!(matches!(solved.solution.islands()[0].outcome, Outcome::Swept { sweeps } if sweeps <= 11), "{:?}", solved.solution.islands());
    check(&solved, &vectors["outputs"]);
}

#[test]
fn newton_gives_the_published_figures() {
    let vectors = vectors();
    let solved = feeder(&vectors).solve_with(&Options { method: Method::Newton, ..Options::default() }, |_| {});
    assert!(matches!(solved.solution.islands()[0].outcome, Outcome::Solved { iterations } if iterations <= 4));
    check(&solved, &vectors["outputs"]);
}

/// 40 % of each load have constant impedance, 30 % constant current. The figures are those of pandapower.
#[test]
fn loads_follow_the_voltage() {
    let mut network = feeder(&vectors());
    for equipment in &mut network.0.equipment {
        if let Electrical::Consumer(consumed) = &mut equipment.electrical {
            *consumed = Consumption { constant_impedance: 0.4, constant_current: 0.3, ..*consumed };
        }
    }
    for method in [Method::Auto, Method::Newton] {
        let solved = network.solve_with(&Options { method, ..Options::default() }, |_| {});
        assert_near("loss", solved.solution.losses_kva().re, 174.943, 1e-5);
        let load: f64 = (0..32).map(|load| solved.power(&format!("load {load}"), 1).re).sum();
        assert_near("load", load, 3_531.09, 1e-5);
        assert_near("lowest voltage", solved.voltage("17").norm(), 0.919_806, 1e-6);
    }
}

/// A transformer of 33/11 kV with its tap changer at the second step below the middle, and two lines.
#[test]
fn transformer_with_tap_feeds_lines() {
    let vectors = vectors();
    let outputs = &vectors["transformer_feeder_case"]["outputs"];
    let (kv, mva) = (33.0_f64, 5.0);
    let ohm = |percent: f64| percent / 100.0 * kv * kv / mva;
    let (z, r) = (ohm(7.15), ohm(0.56));
    let siemens = |mw: f64| mw / (kv * kv);
    let (core, iron) = (siemens(0.35 / 100.0 * mva), siemens(0.0045));
    let mut high = TransformerEnd { rated_kv: kv, g_s: iron, b_s: -(core * core - iron * iron).sqrt(), ..TransformerEnd::default() };
    high.series.r_ohm = r;
    high.series.x_ohm = (z * z - r * r).sqrt();
    high.tap = Some(Tap { step: -2, neutral: 0, low: -8, high: 8, step_percent: 1.25, step_degrees: 0.0 });
    let low = TransformerEnd { rated_kv: 11.0, ..TransformerEnd::default() };
    let mut network = Network::default();
    network.node("0", 33.0).node("1", 11.0).node("2", 11.0).node("3", 11.0);
    network.source("source", "0", 1.0).transformer("transformer", &["0", "1"], Transformer { ends: vec![high, low] });
    network.line("line 0", ["1", "2"], 0.272 * 2.0, 0.35 * 2.0).line("line 1", ["2", "3"], 0.444 * 3.0, 0.37 * 3.0);
    // The tangent for a power factor of 0.9, with the digits of the figures.
    let reactive = 0.484_322;
    network.load("load 0", "2", 1_500.0, 1_500.0 * reactive).load("load 1", "3", 1_200.0, 1_200.0 * reactive);
    for method in [Method::Auto, Method::Newton] {
        let solved = network.solve_with(&Options { method, ..Options::default() }, |_| {});
        for bus in 0..4 {
            let voltage = solved.voltage(&bus.to_string());
            assert_near("voltage", voltage.norm(), number(&outputs["vm_pu"][bus]), 1e-9);
            assert_near("angle", voltage.arg().to_degrees(), number(&outputs["va_degree"][bus]), 1e-8);
        }
        let figures = &outputs["trafo"];
        let (high, low) = (solved.power("transformer", 1), solved.power("transformer", 2));
        assert_near("power at 33 kV", high.re, number(&figures["p_hv_mw"]) * 1_000.0, 1e-8);
        assert_near("reactive power at 33 kV", high.im, number(&figures["q_hv_mvar"]) * 1_000.0, 1e-8);
        assert_near("power at 11 kV", low.re, number(&figures["p_lv_mw"]) * 1_000.0, 1e-8);
        assert_near("loss", solved.solution.loss_kva(solved.equipment("transformer")).expect("a loss").re, 15.309_727_112, 1e-7);
        assert_near("current at 33 kV", solved.current("transformer", 1).norm(), number(&figures["i_hv_ka"]) * 1_000.0, 1e-8);
        assert_near("current at 11 kV", solved.current("transformer", 2).norm(), number(&figures["i_lv_ka"]) * 1_000.0, 1e-8);
        for line in 0..2 {
            let current = solved.current(&format!("line {line}"), 1).norm();
            assert_near("current", current, number(&outputs["line_i_ka"][line]) * 1_000.0, 1e-8);
        }
    }
}
