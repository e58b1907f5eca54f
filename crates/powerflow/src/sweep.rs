//! Backward and forward sweep over an island that is a tree: currents are added up towards the source, then voltages are computed from the source.

use num_complex::Complex64;

use crate::case::{Case, Island};
use crate::totals::Totals;

/// Sweeps until the voltages change by less than `tolerance`, per unit. Returns the number of sweeps; `None` if they do not converge.
pub(crate) fn solve(
    case: &Case,
    island: &Island,
    totals: &Totals,
    voltages: &mut [Complex64],
    tolerance: f64,
    limit: usize,
) -> Option<usize> {
    let (first, end) = (island.buses.start as usize, island.buses.end as usize);
    // At the voltage of no load, which is also the first guess, most of the ratio of transformers is known.
    let forward: Vec<(Complex64, Complex64)> = case.from_parent[first..end]
        .iter()
        .map(|port| {
            let inverse = port.a.inv();
            (inverse, port.b * inverse)
        })
        .collect();
    let mut currents = vec![Complex64::ZERO; end - first];
    let mut last = f64::INFINITY;
    let mut growing = 0;
    for sweep in 1..=limit {
        for (current, bus) in currents.iter_mut().zip(first..end) {
            let voltage = voltages[bus];
            let power = totals.power_at(bus, voltage.norm());
            *current = (power / voltage).conj() + totals.admittance[bus] * voltage;
        }
        for bus in (first + 1..end).rev() {
            let port = &case.from_parent[bus];
            let into = port.c * voltages[bus] + port.d * currents[bus - first];
            currents[case.parents[bus] as usize - first] += into;
        }
        let mut change = 0.0_f64;
        for bus in first + 1..end {
            let (inverse, drop) = forward[bus - first];
            let voltage = voltages[case.parents[bus] as usize] * inverse - drop * currents[bus - first];
            // A value that is no number ends the sweep below.
            let moved = (voltage - voltages[bus]).norm_sqr();
            if moved > change || moved.is_nan() {
                change = moved;
            }
            voltages[bus] = voltage;
        }
        let change = change.sqrt();
        if change <= tolerance {
            return Some(sweep);
        }
        growing = if change < last { 0 } else { growing + 1 };
        if !change.is_finite() || growing > 5 {
            return None;
        }
        last = change;
    }
    None
}
