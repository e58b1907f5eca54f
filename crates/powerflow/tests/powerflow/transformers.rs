//! Transformers: clock, tap changers at each end, three windings, and the place of the core.

use network::description::{Tap, Transformer, TransformerEnd};
use powerflow::{Complex64, Method, Options};

use crate::networks::{Network, assert_near};

fn end(rated_kv: f64, x_ohm: f64, clock: u8) -> TransformerEnd {
    let mut end = TransformerEnd { rated_kv, clock, ..TransformerEnd::default() };
    end.series.x_ohm = x_ohm;
    end
}

fn tap(step: i32) -> Tap {
    Tap { step, neutral: 0, low: -9, high: 9, step_percent: 1.25, step_degrees: 0.0 }
}

#[test]
fn clock_shifts_the_voltage() {
    for (clock, degrees) in [(0, 0.0), (1, -30.0), (5, -150.0), (11, 30.0)] {
        let mut network = Network::default();
        network.node("a", 11.0).node("b", 0.4).source("source", "a", 1.0);
        network.transformer("T1", &["a", "b"], Transformer { ends: vec![end(11.0, 5.0, 0), end(0.4, 0.0, clock)] });
        for method in [Method::Auto, Method::Newton] {
            let solved = network.solve_with(&Options { method, ..Options::default() }, |_| {});
            assert_near("angle", solved.voltage("b").arg().to_degrees(), degrees, 1e-9);
            assert_near("voltage", solved.voltage("b").norm(), 1.0, 1e-12);
        }
    }
}

/// A transformer between other voltages than the nominal ones, with taps at both ends: at no load the ratio of the voltages is that of the windings.
#[test]
fn taps_and_rated_voltages_make_the_ratio() {
    let mut network = Network::default();
    network.node("a", 33.0).node("b", 11.0).source("source", "a", 1.0);
    let mut ends = vec![end(34.0, 10.0, 0), end(11.5, 0.0, 0)];
    (ends[0].tap, ends[1].tap) = (Some(tap(-2)), Some(tap(3)));
    network.transformer("T1", &["a", "b"], Transformer { ends });
    let solved = network.solve();
    let expected = 33.0 / (34.0 * 0.975) * (11.5 * 1.0375);
    assert_near("voltage", solved.solution.voltage_kv(solved.node("b")).expect("a voltage").norm(), expected, 1e-12);
}

/// The impedance is seen unchanged from the end without a tap changer.
#[test]
fn impedance_is_that_at_the_rated_voltage_at_every_step() {
    for (step_high, step_low) in [(8, 0), (0, 8)] {
        let mut network = Network::default();
        network.node("a", 33.0).node("b", 11.0).source("source", "a", 1.0).load("load", "b", 3_000.0, 0.0);
        let mut ends = vec![end(33.0, 20.0, 0), end(11.0, 0.0, 0)];
        (ends[0].tap, ends[1].tap) = (Some(tap(step_high)), Some(tap(step_low)));
        network.transformer("T1", &["a", "b"], Transformer { ends });
        let solved = network.solve();
        let [high, low] = [step_high, step_low].map(|step| 1.0 + f64::from(step) * 0.0125);
        let current = -solved.current("T1", 2) * 3.0_f64.sqrt() / 1_000.0;
        let (inside, outside) = (33.0 / high, solved.voltage("b") * 11.0 / low);
        let drop = (Complex64::from(inside) - outside * 3.0) / (current * low / 3.0);
        assert!((drop - Complex64::new(0.0, 20.0)).norm() < 1e-6, "{drop}");
    }
}

#[test]
fn half_of_the_core_current_passes_the_impedance() {
    let mut network = Network::default();
    network.node("a", 33.0).node("b", 11.0).source("source", "a", 1.0);
    let mut ends = vec![end(33.0, 20.0, 0), end(11.0, 0.0, 0)];
    ends[0].b_s = -1e-3;
    network.transformer("T1", &["a", "b"], Transformer { ends });
    let solved = network.solve();
    // The voltage at the core, behind 10 ohms: V / (1 + j10 * -j0.001).
    assert_near("voltage", solved.voltage("b").norm(), 1.0 / 1.01, 1e-12);
    assert_near("core", solved.power("T1", 1).im, 33.0 * 33.0 / 1_010.0 * 1_000.0, 1e-9);
}

#[test]
fn three_windings_meet_in_a_star() {
    let mut network = Network::default();
    network.node("a", 110.0).node("b", 33.0).node("c", 11.0).source("source", "a", 1.0);
    network.load("at b", "b", 10_000.0, 4_000.0).load("at c", "c", 5_000.0, 1_000.0);
    // One winding of three often has no impedance or a negative one.
    network.transformer("T1", &["a", "b", "c"], Transformer { ends: vec![end(110.0, 30.0, 0), end(33.0, 0.0, 0), end(11.0, 0.5, 1)] });
    for method in [Method::Auto, Method::Newton] {
        let solved = network.solve_with(&Options { method, ..Options::default() }, |_| {});
        let amperes = |terminal: u8| solved.current("T1", terminal) * 3.0_f64.sqrt() / 1_000.0;
        let star = Complex64::from(110.0) - Complex64::new(0.0, 30.0) * amperes(1);
        let second = solved.voltage("b") * 33.0;
        assert!((star * 0.3 - second).norm() < 1e-5, "the second winding has no impedance");
        let third = solved.voltage("c") * 11.0 - Complex64::new(0.0, 0.5) * amperes(3);
        assert!((star * 0.1 * Complex64::from_polar(1.0, -30.0_f64.to_radians()) - third).norm() < 1e-6);
        let sum: Complex64 = [1, 2, 3].map(|terminal| solved.power("T1", terminal)).iter().sum();
        assert!((sum - solved.solution.losses_kva()).norm() < 1e-3, "{sum}");
        assert!(sum.re.abs() < 1e-3 && sum.im > 0.0, "{sum}");
    }
}
