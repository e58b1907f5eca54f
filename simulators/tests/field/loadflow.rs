//! Compares the load flow with pandapower: the 33-bus feeder of Baran & Wu (1989), and a 33/11 kV transformer with two line sections
//! (figures and source: vectors/loadflow_case33bw.json).

use num_complex::Complex64;
use serde_json::Value;
use simulators::physics::sweep::{Branch, Load, solve};

const TOLERANCE_PU: f64 = 1e-7;

fn vectors() -> Value {
    serde_json::from_str(include_str!("../vectors/loadflow_case33bw.json")).expect("JSON")
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

fn index(value: &Value) -> usize {
    usize::try_from(value.as_u64().expect("an index")).expect("small")
}

#[test]
fn the_33_bus_feeder() {
    let vectors = vectors();
    let (inputs, outputs) = (&vectors["inputs"], &vectors["outputs"]);
    let base = number(&inputs["base_kv"]);
    let mut open: Vec<Branch> = inputs["lines"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|line| line["in_service"] == true)
        .map(|line| Branch {
            from: index(&line["f"]),
            to: index(&line["t"]),
            impedance: Complex64::new(number(&line["r_ohm"]), number(&line["x_ohm"])),
            ratio: 1.0,
        })
        .collect();
    // Sorts the branches from the source outwards.
    let mut reached = vec![0];
    let mut branches = Vec::new();
    while let Some(next) = open.iter().position(|branch| reached.contains(&branch.from)) {
        let branch = open.remove(next);
        reached.push(branch.to);
        branches.push(branch);
    }
    let mut loads = vec![Load::default(); 33];
    for load in inputs["loads"].as_array().unwrap() {
        loads[index(&load["bus"])].power = Complex64::new(number(&load["p_mw"]), number(&load["q_mvar"]));
    }
    let solution = solve(Complex64::new(base, 0.0), &branches, &loads, 1e-12).unwrap();
    for bus in 0..33 {
        let expected = number(&outputs["vm_pu"][bus.to_string()]);
        assert!((solution.voltage[bus].norm() / base - expected).abs() < TOLERANCE_PU, "bus {bus}");
        let degrees = number(&outputs["va_degree"][bus.to_string()]);
        assert!((solution.voltage[bus].arg().to_degrees() - degrees).abs() < 1e-6, "angle of bus {bus}");
    }
    assert!((solution.losses().re - number(&outputs["total_loss_mw"])).abs() < TOLERANCE_PU);
    assert!((solution.losses().im - number(&outputs["total_loss_mvar"])).abs() < TOLERANCE_PU);
    assert!((solution.sent[0].re - number(&outputs["source_p_mw"])).abs() < TOLERANCE_PU);
    assert!((solution.line_current_ka(0) - number(&outputs["line_i_ka"]["0"])).abs() < TOLERANCE_PU);
}

#[test]
fn a_transformer_with_its_tap_and_its_iron() {
    let vectors = vectors();
    let outputs = &vectors["transformer_feeder_case"]["outputs"];
    // 33/11 kV, 5 MVA, uk 7.15 %, ukr 0.56 %, P0 4.5 kW, I0 0.35 %, tap -2 of 1.25 % on the 33 kV side; T equivalent circuit.
    let (rated, low) = (5.0, 11.0);
    let base_ohm = low * low / rated;
    let (uk, ukr) = (0.0715, 0.0056);
    let series = Complex64::new(ukr, f64::sqrt(uk * uk - ukr * ukr)) * base_ohm;
    let (g, y) = (0.0045 / rated, 0.0035);
    let shunt = Complex64::new(g, -f64::sqrt(y * y - g * g)) / base_ohm;
    let ratio = 33.0 * (1.0 - 2.0 * 0.0125) / low;
    let branches = [
        Branch { from: 0, to: 1, impedance: series / 2.0, ratio },
        Branch { from: 1, to: 2, impedance: series / 2.0, ratio: 1.0 },
        Branch { from: 2, to: 3, impedance: Complex64::new(0.272, 0.35) * 2.0, ratio: 1.0 },
        Branch { from: 3, to: 4, impedance: Complex64::new(0.444, 0.37) * 3.0, ratio: 1.0 },
    ];
    let load = |mw: f64| Load { power: Complex64::new(mw, mw * 0.9f64.acos().tan()), admittance: Complex64::ZERO };
    let loads = [Load::default(), Load { power: Complex64::ZERO, admittance: shunt }, Load::default(), load(1.5), load(1.2)];
    let solution = solve(Complex64::new(33.0, 0.0), &branches, &loads, 1e-12).unwrap();
    for (bus, expected) in [(2, 1), (3, 2), (4, 3)] {
        let difference = solution.voltage[bus].norm() / low - number(&outputs["vm_pu"][expected]);
        assert!(difference.abs() < TOLERANCE_PU, "bus {expected}: {difference:e}");
    }
    assert!((solution.sent[0].re - number(&outputs["trafo"]["p_hv_mw"])).abs() < TOLERANCE_PU);
    assert!((solution.received[1].re + number(&outputs["trafo"]["p_lv_mw"])).abs() < TOLERANCE_PU);
}
