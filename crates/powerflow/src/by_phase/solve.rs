//! Solves a case by phase. Loads are modelled as admittances and currents. The currents are corrected until the voltages no longer change.

use num_complex::Complex64;

use super::case::{NONE, PhaseCase};
use super::solution::{PhaseOutcome, PhaseSolution};
use crate::sparse::factorise_sum;

/// Number of iterations with whole steps. In further iterations, steps are halved.
const WHOLE_STEPS: usize = 20;

/// When a calculation by phase ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PhaseOptions {
    /// The change of a voltage in the last iteration, per unit.
    pub change_pu: f64,
    /// The greatest number of iterations.
    pub iterations: usize,
}

impl Default for PhaseOptions {
    fn default() -> Self {
        Self { change_pu: 1e-10, iterations: 200 }
    }
}

impl PhaseCase {
    /// Calculates all islands.
    pub fn solve(&self, options: &PhaseOptions) -> PhaseSolution {
        let mut voltages = vec![Complex64::new(f64::NAN, f64::NAN); self.kv.len()];
        let mut of_island = vec![NONE; self.kv.len()];
        for (number, island) in self.islands.iter().enumerate() {
            for point in island {
                of_island[*point as usize] = number as u32;
            }
        }
        let mut equations: Vec<Equations<'_>> = self.islands.iter().map(|island| Equations::new(self, island)).collect();
        self.collect(&of_island, &mut equations);
        let outcomes = equations.into_iter().map(|equations| equations.solve(options, &mut voltages)).collect();
        PhaseSolution::new(self, &voltages, outcomes)
    }

    /// Assigns the elements and loads to the equations of their islands.
    fn collect(&self, of_island: &[u32], equations: &mut [Equations<'_>]) {
        for held in &self.sources {
            if let Some(own) = equations.get_mut(of_island[held.point as usize] as usize) {
                own.held.push((held.point, held.voltage));
            }
        }
        for (at, element) in self.elements.iter().enumerate() {
            if let Some(own) = equations.get_mut(of_island[element.points[0] as usize] as usize) {
                own.elements.push(at);
            }
        }
        for (at, drawn) in self.loads.iter().enumerate() {
            if let Some(own) = equations.get_mut(of_island[drawn.from as usize] as usize) {
                own.loads.push(at);
            }
        }
    }
}

/// The equations of an island.
struct Equations<'a> {
    case: &'a PhaseCase,
    points: &'a [u32],
    held: Vec<(u32, Complex64)>,
    elements: Vec<usize>,
    loads: Vec<usize>,
}

/// Entries of a matrix: column, row, value.
type Entries = Vec<(u32, u32, Complex64)>;

impl<'a> Equations<'a> {
    fn new(case: &'a PhaseCase, points: &'a [u32]) -> Self {
        Self { case, points, held: Vec::new(), elements: Vec::new(), loads: Vec::new() }
    }

    /// Solves for the voltages, and writes them.
    fn solve(mut self, options: &PhaseOptions, voltages: &mut [Complex64]) -> PhaseOutcome {
        self.held.sort_by_key(|(point, _)| *point);
        self.held.dedup_by_key(|(point, _)| *point);
        let mut unknowns: Vec<u32> = Vec::with_capacity(self.points.len());
        unknowns.extend(self.points.iter().filter(|point| self.held.binary_search_by_key(*point, |(held, _)| *held).is_err()));
        // The points of an island are in order.
        let number = |point: u32| unknowns.binary_search(&point).ok().map(|at| at as u32);
        let (entries, fixed) = self.entries(&number, unknowns.len());
        for (point, voltage) in &self.held {
            voltages[*point as usize] = *voltage;
        }
        if unknowns.is_empty() {
            return PhaseOutcome::Solved { iterations: 0 };
        }
        let failed =
            |iterations, change_pu, point: usize| PhaseOutcome::NotConverged { iterations, change_pu, node: self.node(unknowns[point]) };
        let Some(factors) = factorise_sum(unknowns.len(), entries) else { return failed(0, f64::NAN, 0) };
        let mut present = fixed.clone();
        factors.solve(&mut present);
        let loads: Vec<_> = self.loads.iter().map(|at| &self.case.loads[*at]).collect();
        let places: Vec<[Option<u32>; 2]> =
            loads.iter().map(|drawn| [number(drawn.from), number(drawn.to).filter(|_| drawn.to != NONE)]).collect();
        let (mut change, mut worst) = (f64::INFINITY, 0);
        for iteration in 1..=options.iterations {
            let mut right = fixed.clone();
            for (drawn, place) in loads.iter().zip(&places) {
                let at = |point: u32, place: Option<u32>| match place {
                    Some(unknown) => present[unknown as usize],
                    None if point == NONE => Complex64::ZERO,
                    None => voltages[point as usize],
                };
                let voltage = at(drawn.from, place[0]) - at(drawn.to, place[1]);
                // What the admittance of the load draws too much.
                let over = drawn.load.admittance() * voltage - drawn.load.current_at(voltage);
                if let Some(unknown) = place[0] {
                    right[unknown as usize] += over;
                }
                if let Some(unknown) = place[1] {
                    right[unknown as usize] -= over;
                }
            }
            factors.solve(&mut right);
            (change, worst) = (0.0, 0);
            for (at, (after, before)) in right.iter().zip(&present).enumerate() {
                let moved = (after - before).norm();
                if moved > change || moved.is_nan() {
                    (change, worst) = (moved, at);
                }
            }
            // Where only loads hold the voltage of a conductor, such as behind a blown fuse, whole steps overshoot.
            if iteration > WHOLE_STEPS {
                for (after, before) in right.iter_mut().zip(&present) {
                    *after = (*after + before) / 2.0;
                }
            }
            present = right;
            if change <= options.change_pu {
                for (point, voltage) in unknowns.iter().zip(present) {
                    voltages[*point as usize] = voltage;
                }
                return PhaseOutcome::Solved { iterations: iteration };
            }
            if !change.is_finite() || change > 1e6 {
                break;
            }
        }
        let outcome = failed(options.iterations, change, worst);
        for (point, _) in &self.held {
            voltages[*point as usize] = Complex64::new(f64::NAN, f64::NAN);
        }
        outcome
    }

    /// Returns the matrix of the unknown voltages, and the currents that the held voltages feed.
    fn entries(&self, number: &impl Fn(u32) -> Option<u32>, count: usize) -> (Entries, Vec<Complex64>) {
        let mut entries: Entries = (0..count as u32).map(|at| (at, at, Complex64::ZERO)).collect();
        let mut fixed = vec![Complex64::ZERO; count];
        let mut add = |row: u32, column: u32, value: Complex64| {
            let Some(row) = number(row) else { return };
            match number(column) {
                Some(column) => entries.push((column, row, value)),
                None => {
                    if let Ok(at) = self.held.binary_search_by_key(&column, |(point, _)| *point) {
                        fixed[row as usize] -= value * self.held[at].1;
                    }
                }
            }
        };
        for element in self.elements.iter().map(|at| &self.case.elements[*at]) {
            for (row, from) in element.points.iter().enumerate() {
                for (column, to) in element.points.iter().enumerate() {
                    add(*from, *to, element.admittances.at(row, column));
                }
            }
        }
        for drawn in self.loads.iter().map(|at| &self.case.loads[*at]) {
            let admittance = drawn.load.admittance();
            add(drawn.from, drawn.from, admittance);
            if drawn.to != NONE {
                add(drawn.to, drawn.to, admittance);
                add(drawn.from, drawn.to, -admittance);
                add(drawn.to, drawn.from, -admittance);
            }
        }
        (entries, fixed)
    }

    /// Returns a node of a point.
    fn node(&self, point: u32) -> Option<usize> {
        self.case.point_of.iter().position(|of| *of == point).map(|at| at / 3)
    }
}
