//! Solves a case, island by island.

use num_complex::Complex64;

use crate::case::{Case, Island};
use crate::solution::{IslandResult, Outcome, Solution};
use crate::totals::Totals;
use crate::{newton, sweep};

/// The way in which islands are solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    /// Trees are solved by a sweep. Other islands, and trees for which the sweep does not converge, are solved by the
    /// method of Newton.
    #[default]
    Auto,
    /// All islands are solved by the method of Newton.
    Newton,
}

/// When a calculation ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// The way in which islands are solved.
    pub method: Method,
    /// The largest accepted power mismatch at a bus, kVA.
    pub mismatch_kva: f64,
    /// The largest accepted change of a voltage in the last sweep, per unit.
    pub change_pu: f64,
    /// The greatest number of iterations of the method of Newton.
    pub iterations: usize,
    /// The greatest number of sweeps.
    pub sweeps: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { method: Method::Auto, mismatch_kva: 1e-5, change_pu: 1e-10, iterations: 30, sweeps: 60 }
    }
}

impl Case {
    /// Calculates all islands.
    pub fn solve(&self, options: &Options) -> Solution {
        let totals = Totals::new(self);
        let mut voltages = vec![Complex64::new(f64::NAN, f64::NAN); self.kv.len()];
        let islands = self.islands.iter().map(|island| self.solve_island(island, &totals, &mut voltages, options)).collect();
        Solution::new(self, &voltages, islands)
    }

    fn solve_island(&self, island: &Island, totals: &Totals, voltages: &mut [Complex64], options: &Options) -> IslandResult {
        let node_of = |bus: u32| self.bus_of_node.iter().position(|of| *of == bus);
        if island.is_radial && options.method == Method::Auto {
            self.guess(island, voltages, true);
            if let Some(sweeps) = sweep::solve(self, island, totals, voltages, options.change_pu, options.sweeps) {
                return IslandResult::new(self, island, Outcome::Swept { sweeps });
            }
        }
        self.guess(island, voltages, false);
        let ended = newton::solve(self, island, totals, voltages, options.mismatch_kva / 1_000.0, options.iterations);
        if ended.is_converged {
            return IslandResult::new(self, island, Outcome::Solved { iterations: ended.iterations });
        }
        for voltage in &mut voltages[island.buses.start as usize..island.buses.end as usize] {
            *voltage = Complex64::new(f64::NAN, f64::NAN);
        }
        let outcome =
            Outcome::NotConverged { iterations: ended.iterations, mismatch_kva: ended.mismatch * 1_000.0, node: node_of(ended.bus) };
        IslandResult::new(self, island, outcome)
    }

    /// Sets the first guess. For a tree, it is the voltages without load. Otherwise, it is the nominal voltages with
    /// the angles of the transformers.
    fn guess(&self, island: &Island, voltages: &mut [Complex64], is_tree: bool) {
        for bus in island.buses.start as usize..island.buses.end as usize {
            if let Some(parent) = voltages.get(self.parents[bus] as usize).copied() {
                let voltage = parent / self.from_parent[bus].a;
                voltages[bus] = if is_tree { voltage } else { voltage / voltage.norm() };
            } else {
                voltages[bus] = Complex64::new(1.0, 0.0);
            }
            if let Ok(at) = island.sources.binary_search_by_key(&(bus as u32), |(at, _)| *at) {
                voltages[bus] = island.sources[at].1;
            } else if let Ok(at) = island.held.binary_search_by_key(&(bus as u32), |(at, _)| *at) {
                voltages[bus] *= island.held[at].1 / voltages[bus].norm();
            }
        }
    }
}
