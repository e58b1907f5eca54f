//! The power that a consumer draws at nominal voltage.

use network::Phases;
use network::description::Consumption;
use num_complex::Complex64;

use crate::CaseError;
use crate::number::finite;

/// Returns the total power of all phases of the terminal, kVA. If the powers of the phases are given, it is their sum.
pub(crate) fn total_power(id: &str, consumed: &Consumption, phases: Phases) -> Result<Complex64, CaseError> {
    let total = Complex64::new(finite(id, "kw", consumed.kw)?, finite(id, "kvar", consumed.kvar)?);
    let Some(by_phase) = consumed.by_phase else { return Ok(total) };
    for number in by_phase.iter().flatten() {
        finite(id, "by_phase", *number)?;
    }
    let of_phases = phases.iter().map(|phase| by_phase[phase as usize]);
    Ok(of_phases.map(|[kw, kvar]| Complex64::new(kw, kvar)).sum())
}
