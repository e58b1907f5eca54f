//! The method of Newton and Raphson for one island: mismatches of power, voltages in polar form.

use num_complex::Complex64;

use crate::case::{Case, Island, NONE};
use crate::sparse::Pattern;
use crate::totals::Totals;

/// The maximum number of times that a step is halved because it would increase the mismatch.
const HALVINGS: usize = 8;
/// Rounding errors of the power at a bus, relative to its own admittance.
const ROUNDING: f64 = 32.0 * f64::EPSILON;

/// How an iteration ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Ended {
    pub(crate) is_converged: bool,
    pub(crate) iterations: usize,
    /// The greatest mismatch of power, MVA.
    pub(crate) mismatch: f64,
    /// The bus with the greatest mismatch.
    pub(crate) bus: u32,
}

/// Solves for the voltages of an island. The given voltages are the first guess; at buses with a held voltage, they are the held values.
pub(crate) fn solve(case: &Case, island: &Island, totals: &Totals, voltages: &mut [Complex64], tolerance: f64, limit: usize) -> Ended {
    let grid = Grid::new(case, island, totals);
    let first = island.buses.start as usize;
    let own = &mut voltages[first..island.buses.end as usize];
    let mut mismatch = grid.mismatch(totals, first, own, tolerance);
    if mismatch.is_small {
        return mismatch.ended(first, 0);
    }
    let Some(mut jacobian) = Jacobian::new(&grid) else { return mismatch.ended(first, 0) };
    for iteration in 0..limit {
        if mismatch.is_small {
            return mismatch.ended(first, iteration);
        }
        let Some(step) = jacobian.step(&grid, totals, first, own, &mismatch) else { return mismatch.ended(first, iteration) };
        let mut share = 1.0;
        let mut is_better = false;
        for _ in 0..=HALVINGS {
            let next: Vec<Complex64> = grid.moved(own, &step, share);
            let after = grid.mismatch(totals, first, &next, tolerance);
            is_better = after.norm < mismatch.norm || after.is_small;
            if is_better {
                own.copy_from_slice(&next);
                mismatch = after;
                break;
            }
            share /= 2.0;
        }
        if !is_better {
            return mismatch.ended(first, iteration);
        }
    }
    mismatch.ended(first, limit)
}

/// The admittance matrix of an island by columns, and the unknowns of each bus.
struct Grid {
    /// For each bus its first entry, and one more entry at the end.
    starts: Vec<u32>,
    /// The row and the admittance of each entry, in the order of the rows.
    entries: Vec<(u32, Complex64)>,
    /// For each bus, the position of its diagonal entry.
    diagonal: Vec<u32>,
    /// For each bus, the numbers of the unknowns for its angle and for its magnitude.
    unknowns: Vec<[u32; 2]>,
    unknown_count: usize,
}

/// The power that is missing at each bus.
struct Mismatch {
    power: Vec<Complex64>,
    /// The power that flows into the branches and shunts of each bus.
    flow: Vec<Complex64>,
    /// The sum of the squared mismatches of the unknowns.
    norm: f64,
    greatest: f64,
    bus: u32,
    is_small: bool,
}

impl Mismatch {
    fn ended(&self, first: usize, iterations: usize) -> Ended {
        Ended { is_converged: self.is_small, iterations, mismatch: self.greatest, bus: first as u32 + self.bus }
    }
}

impl Grid {
    fn new(case: &Case, island: &Island, totals: &Totals) -> Self {
        let first = island.buses.start;
        let count = island.buses.len();
        let mut found: Vec<(u32, u32, Complex64)> = Vec::with_capacity(count + island.branches.len() * 4);
        found.extend((0..count as u32).map(|bus| (bus, bus, totals.admittance[(first + bus) as usize])));
        for index in &island.branches {
            let branch = &case.branches[*index as usize];
            let (from, to, port) = (branch.from - first, branch.to - first, branch.port.admittances());
            // By columns: the column is the bus whose voltage counts, the row that whose current it is.
            found.extend([(from, from, port.first), (to, from, port.first_second), (from, to, port.second_first), (to, to, port.second)]);
        }
        found.sort_unstable_by_key(|(column, row, _)| (*column, *row));
        let mut grid = Self {
            starts: Vec::with_capacity(count + 1),
            entries: Vec::with_capacity(found.len()),
            diagonal: vec![0; count],
            unknowns: vec![[NONE; 2]; count],
            unknown_count: 0,
        };
        let mut last = None;
        for (column, row, admittance) in found {
            while grid.starts.len() <= column as usize {
                grid.starts.push(grid.entries.len() as u32);
            }
            if last == Some((column, row)) {
                if let Some(entry) = grid.entries.last_mut() {
                    entry.1 += admittance;
                }
                continue;
            }
            if column == row {
                grid.diagonal[row as usize] = grid.entries.len() as u32;
            }
            grid.entries.push((row, admittance));
            last = Some((column, row));
        }
        grid.starts.push(grid.entries.len() as u32);
        grid.number_unknowns(island);
        grid
    }

    fn number_unknowns(&mut self, island: &Island) {
        let first = island.buses.start;
        let mut knows = vec![[false; 2]; self.unknowns.len()];
        for (bus, _) in &island.held {
            knows[(bus - first) as usize][1] = true;
        }
        for (bus, _) in &island.sources {
            knows[(bus - first) as usize] = [true; 2];
        }
        for (unknowns, known) in self.unknowns.iter_mut().zip(knows) {
            for (unknown, is_known) in unknowns.iter_mut().zip(known) {
                if !is_known {
                    *unknown = self.unknown_count as u32;
                    self.unknown_count += 1;
                }
            }
        }
    }

    fn column(&self, bus: usize) -> std::ops::Range<usize> {
        self.starts[bus] as usize..self.starts[bus + 1] as usize
    }

    fn mismatch(&self, totals: &Totals, first: usize, voltages: &[Complex64], tolerance: f64) -> Mismatch {
        let mut currents = vec![Complex64::ZERO; voltages.len()];
        for (column, voltage) in voltages.iter().enumerate() {
            for (row, admittance) in &self.entries[self.column(column)] {
                currents[*row as usize] += admittance * voltage;
            }
        }
        let mut found = Mismatch { power: Vec::new(), flow: Vec::new(), norm: 0.0, greatest: 0.0, bus: 0, is_small: true };
        found.power.reserve(voltages.len());
        found.flow.reserve(voltages.len());
        for (bus, (voltage, current)) in voltages.iter().zip(currents).enumerate() {
            let flow = voltage * current.conj();
            let missing = -totals.power_at(first + bus, voltage.norm()) - flow;
            let [angle, magnitude] = self.unknowns[bus];
            let counted = Complex64::new(if angle == NONE { 0.0 } else { missing.re }, if magnitude == NONE { 0.0 } else { missing.im });
            let size = counted.norm();
            found.norm += counted.norm_sqr();
            let own = self.entries[self.diagonal[bus] as usize].1.norm() * voltage.norm_sqr();
            // Written so that a value that is no number is not small.
            found.is_small &= size <= tolerance.max(own * ROUNDING);
            if size > found.greatest || size.is_nan() {
                (found.greatest, found.bus) = (size, bus as u32);
            }
            found.power.push(counted);
            found.flow.push(flow);
        }
        found
    }

    /// Returns the voltages after a step that is multiplied by a factor.
    fn moved(&self, voltages: &[Complex64], step: &[f64], share: f64) -> Vec<Complex64> {
        let of = |unknown: u32| if unknown == NONE { 0.0 } else { step[unknown as usize] * share };
        voltages
            .iter()
            .zip(&self.unknowns)
            // The unknown of the magnitude is its relative change.
            .map(|(voltage, [angle, magnitude])| voltage * Complex64::from_polar((1.0 + of(*magnitude)).max(0.1), of(*angle)))
            .collect()
    }
}

/// The derivatives of the mismatches.
struct Jacobian {
    pattern: Pattern,
    values: Vec<f64>,
}

impl Jacobian {
    /// Prepares the pattern. `None` if it is too large.
    fn new(grid: &Grid) -> Option<Self> {
        let mut starts = Vec::with_capacity(grid.unknown_count + 1);
        let mut rows = Vec::with_capacity(grid.entries.len() * 4);
        for bus in 0..grid.unknowns.len() {
            for column in grid.unknowns[bus] {
                if column == NONE {
                    continue;
                }
                starts.push(rows.len() as u32);
                for (row, _) in &grid.entries[grid.column(bus)] {
                    rows.extend(grid.unknowns[*row as usize].iter().filter(|unknown| **unknown != NONE));
                }
            }
        }
        starts.push(rows.len() as u32);
        let values = vec![0.0; rows.len()];
        Some(Self { pattern: Pattern::new(grid.unknown_count, starts, rows)?, values })
    }

    /// Returns the changes of all unknowns that would remove the mismatches if the equations were linear. `None` if there is no such change.
    fn step(&mut self, grid: &Grid, totals: &Totals, first: usize, voltages: &[Complex64], mismatch: &Mismatch) -> Option<Vec<f64>> {
        let turn = Complex64::I;
        let mut at = 0;
        for bus in 0..grid.unknowns.len() {
            for (which, column) in grid.unknowns[bus].iter().enumerate() {
                if *column == NONE {
                    continue;
                }
                for (row, admittance) in &grid.entries[grid.column(bus)] {
                    let row = *row as usize;
                    let part = voltages[row] * (admittance * voltages[bus]).conj();
                    let mut derivative = if which == 0 { -turn * part } else { part };
                    if row == bus {
                        let flow = mismatch.flow[bus];
                        let load = totals.current[first + bus] * voltages[bus].norm();
                        derivative += if which == 0 { turn * flow } else { flow + load };
                    }
                    let [angle, magnitude] = grid.unknowns[row];
                    if angle != NONE {
                        self.values[at] = derivative.re;
                        at += 1;
                    }
                    if magnitude != NONE {
                        self.values[at] = derivative.im;
                        at += 1;
                    }
                }
            }
        }
        let mut step = vec![0.0; grid.unknown_count];
        for (unknowns, missing) in grid.unknowns.iter().zip(&mismatch.power) {
            let [angle, magnitude] = *unknowns;
            if angle != NONE {
                step[angle as usize] = missing.re;
            }
            if magnitude != NONE {
                step[magnitude as usize] = missing.im;
            }
        }
        self.pattern.factorise(&self.values)?.solve(&mut step);
        step.iter().all(|value| value.is_finite()).then_some(step)
    }
}
