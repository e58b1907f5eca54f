//! Load flow of a radial network by backward/forward sweep.
//!
//! Units: kV line to line, MVA of three phases, and a current scaled by √3 so that S = V·conj(J) and ΔV = Z·J; kA = J/√3.

use num_complex::Complex64;

/// Largest number of sweeps; a feasible network needs about twelve.
const SWEEPS_MAX: usize = 100;

/// A branch from a bus to one farther away from the source. Each branch is listed after the one that supplies it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Branch {
    /// The bus nearer to the source.
    pub from: usize,
    /// The bus farther away.
    pub to: usize,
    /// Series impedance, Ω, on the side of `to`.
    pub impedance: Complex64,
    /// Voltage of `from` over voltage of `to` at no load: 1 for a line, the turns ratio with its tap for a transformer.
    pub ratio: f64,
}

/// The load of a bus.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Load {
    /// Constant power, MVA.
    pub power: Complex64,
    /// Constant admittance, S: MVA = conj(Y)·kV².
    pub admittance: Complex64,
}

/// The solved network.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// Voltage of each bus, kV.
    pub voltage: Vec<Complex64>,
    /// Scaled current of each branch at its `to` end.
    pub current: Vec<Complex64>,
    /// Power into each branch at its `from` end, MVA.
    pub sent: Vec<Complex64>,
    /// Power out of each branch at its `to` end, MVA.
    pub received: Vec<Complex64>,
}

impl Solution {
    /// Returns the line current of a branch at its `to` end, kA.
    pub fn line_current_ka(&self, branch: usize) -> f64 {
        self.current[branch].norm() / 3f64.sqrt()
    }

    /// Returns the losses of all branches, MVA.
    pub fn losses(&self) -> Complex64 {
        self.sent.iter().sum::<Complex64>() - self.received.iter().sum::<Complex64>()
    }
}

/// The error for a network that cannot carry its load: the sweep did not converge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the load flow does not converge")]
pub struct Infeasible;

/// Solves the network. `source` is the voltage of bus 0, kV; `loads` has one entry per bus; `tolerance_kv` is the change of voltage
/// at which the sweep ends.
pub fn solve(source: Complex64, branches: &[Branch], loads: &[Load], tolerance_kv: f64) -> Result<Solution, Infeasible> {
    let mut voltage = vec![source; loads.len()];
    for branch in branches {
        voltage[branch.to] = voltage[branch.from] / branch.ratio;
    }
    let mut current = vec![Complex64::ZERO; branches.len()];
    for _ in 0..SWEEPS_MAX {
        let mut drawn: Vec<Complex64> = loads
            .iter()
            .zip(&voltage)
            .map(|(load, v)| if v.norm() > 0.0 { (load.power / v).conj() + load.admittance * v } else { Complex64::ZERO })
            .collect();
        for (index, branch) in branches.iter().enumerate().rev() {
            current[index] = drawn[branch.to];
            let upstream = current[index] / branch.ratio;
            drawn[branch.from] += upstream;
        }
        let mut moved: f64 = 0.0;
        for (index, branch) in branches.iter().enumerate() {
            let next = voltage[branch.from] / branch.ratio - branch.impedance * current[index];
            moved = moved.max((next - voltage[branch.to]).norm());
            voltage[branch.to] = next;
        }
        if !moved.is_finite() {
            return Err(Infeasible);
        }
        if moved < tolerance_kv {
            let sent = branches.iter().zip(&current).map(|(branch, j)| voltage[branch.from] * (j / branch.ratio).conj()).collect();
            let received = branches.iter().zip(&current).map(|(branch, j)| voltage[branch.to] * j.conj()).collect();
            return Ok(Solution { voltage, current, sent, received });
        }
    }
    Err(Infeasible)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_load_than_the_line_can_carry_is_said_so() {
        let branch = Branch { from: 0, to: 1, impedance: Complex64::new(1.0, 1.0), ratio: 1.0 };
        let load = |power| [Load::default(), Load { power: Complex64::new(power, 0.0), admittance: Complex64::ZERO }];
        assert!(solve(Complex64::new(11.0, 0.0), &[branch], &load(5.0), 1e-9).is_ok());
        assert_eq!(solve(Complex64::new(11.0, 0.0), &[branch], &load(500.0), 1e-9), Err(Infeasible));
    }
}
