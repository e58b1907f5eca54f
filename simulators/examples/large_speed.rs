//! Measures the large utility: the time to make its network and its physics, and the cost of a step.

#![allow(clippy::print_stdout, reason = "a program of a measurement prints its figures")]

use std::sync::Arc;
use std::time::Instant;

use grid::Micros;
use grid::control::Throw;
use network::NetworkState;
use simulators::utility;

/// Monday, 2 November 2026, 06:00 UTC.
const START: Micros = Micros(1_793_599_200_000_000);

fn main() {
    let began = Instant::now();
    let took = |what: &str, began: Instant| println!("= large utility: {what}, ms | {:.0} |", began.elapsed().as_secs_f64() * 1e3);
    let client = utility::large(33);
    let points: usize = client.substations.iter().map(|substation| substation.points.len()).sum();
    let description = utility::network(&client);
    took("to make the network", began);
    let (containers, measurements) = (description.containers.len(), description.measurements.len());
    println!("{} nodes, {} pieces of equipment", description.nodes.len(), description.equipment.len());
    println!("{} substations, {points} points, {containers} containers, {measurements} measurements", client.substations.len());
    let began = Instant::now();
    let state = NetworkState::new(Arc::new(description.to_model().expect("a model")));
    took("model and first state", began);
    drop((state, description));
    let began = Instant::now();
    let mut physics = simulators::physics(&client, 33, START);
    took("to start the physics", began);
    let began = Instant::now();
    for step in 1..=20 {
        physics.step(START.plus_millis(step * 10_000));
    }
    println!("= large utility: a step, ms | {:.0} |", began.elapsed().as_secs_f64() * 1e3 / 20.0);
    let began = Instant::now();
    physics.throw(5, "F1CB", Throw::Open, 60);
    physics.step(START.plus_millis(200_100));
    took("a step with a switch change", began);
}
