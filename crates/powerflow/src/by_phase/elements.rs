//! The admittances between the conductors of equipment, siemens.

use network::Phases;
use network::description::{Connection, Line, PhaseImpedance, SequenceImpedance, Transformer};
use num_complex::Complex64;

use super::matrix::{Matrix, from_sequences};
use crate::two_port::{Admittances, TwoPort};
use crate::{CaseError, impedance, number};

/// The usual ratio of zero-sequence to positive-sequence impedance of overhead lines and cables.
const USUAL_ZERO_SEQUENCE: f64 = 3.0;
/// A small admittance to earth of windings that are not earthed, relative to the admittance of the transformer. It determines their voltages to earth, and is
/// too small to carry a significant current.
const HOLDS_FLOATING: f64 = 1e-9;

/// Series impedances in ohms and the admittance to earth of both ends together.
pub(crate) struct LineMatrices {
    pub(crate) series: Matrix,
    pub(crate) charging: Matrix,
    /// Whether the zero sequence was not given.
    pub(crate) assumed: bool,
}

/// Returns the matrices of the three phases of a line.
pub(crate) fn line(id: &str, line: &Line) -> Result<LineMatrices, CaseError> {
    if let Some(given) = &line.by_phase {
        return by_phase(id, given);
    }
    let mut matrices = series(id, &line.series, USUAL_ZERO_SEQUENCE)?;
    let positive = impedance::charging(id, line)?;
    let zero = Complex64::new(positive.re, number::finite(id, "b0_s", line.b0_s.unwrap_or(line.b_s))?);
    matrices.charging = Matrix::from_fn(3, |row, column| from_sequences([zero, positive, positive], row, column));
    Ok(matrices)
}

/// Returns the matrices of a series impedance. `usual` is the ratio for the zero-sequence impedance if this is not given.
pub(crate) fn series(id: &str, given: &SequenceImpedance, usual: f64) -> Result<LineMatrices, CaseError> {
    let positive = impedance::positive(id, given)?;
    let assumed = given.r0_ohm.is_none() || given.x0_ohm.is_none();
    let r0 = number::finite(id, "r0_ohm", given.r0_ohm.unwrap_or(given.r_ohm * usual))?;
    let x0 = number::finite(id, "x0_ohm", given.x0_ohm.unwrap_or(given.x_ohm * usual))?;
    let sequences = [Complex64::new(r0, x0), positive, positive];
    let series = Matrix::from_fn(3, |row, column| from_sequences(sequences, row, column));
    Ok(LineMatrices { series, charging: Matrix::zero(3), assumed })
}

fn by_phase(id: &str, given: &PhaseImpedance) -> Result<LineMatrices, CaseError> {
    for (what, values) in [("r_ohm", given.r_ohm), ("x_ohm", given.x_ohm), ("b_s", given.b_s)] {
        for value in values {
            number::finite(id, what, value)?;
        }
    }
    // The lower triangle: AA, BA, BB, CA, CB, CC.
    let at = |row: usize, column: usize| {
        let (low, high) = (row.min(column), row.max(column));
        high * (high + 1) / 2 + low
    };
    let series = Matrix::from_fn(3, |row, column| Complex64::new(given.r_ohm[at(row, column)], given.x_ohm[at(row, column)]));
    let charging = Matrix::from_fn(3, |row, column| Complex64::new(0.0, given.b_s[at(row, column)]));
    Ok(LineMatrices { series, charging, assumed: false })
}

/// Returns the admittances between the phases of both ends of a line. The rows and columns of the first end come first.
pub(crate) fn line_admittances(id: &str, matrices: &LineMatrices, phases: &[usize]) -> Result<Matrix, CaseError> {
    let inverse = matrices.series.part(phases).inverse().ok_or_else(|| CaseError::BadImpedance(id.to_owned()))?;
    let charging = matrices.charging.part(phases);
    let count = phases.len();
    Ok(Matrix::from_fn(2 * count, |row, column| {
        let (p, q) = (row % count, column % count);
        if row / count == column / count { inverse.at(p, q) + charging.at(p, q) / 2.0 } else { -inverse.at(p, q) }
    }))
}

/// The behaviour of an end of a transformer for the zero-sequence current.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ZeroSequence {
    /// The current passes to the other ends.
    Passes,
    /// The current passes between the windings of this end and earth.
    Earths,
    /// The current flows in a circle inside of this end.
    Circulates,
    /// There is no current.
    Blocks,
}

fn zero_sequence(connection: Connection) -> ZeroSequence {
    match connection {
        Connection::StarEarthed => ZeroSequence::Passes,
        Connection::ZigzagEarthed => ZeroSequence::Earths,
        Connection::Delta => ZeroSequence::Circulates,
        Connection::Star | Connection::Zigzag | Connection::Single => ZeroSequence::Blocks,
    }
}

/// Returns the admittances between the conductors of a transformer with two ends. The rows and columns of the first end come first. `None` for connections that
/// are not supported with these phases.
pub(crate) fn two_windings(id: &str, transformer: &Transformer, phases: [Phases; 2]) -> Result<Option<Matrix>, CaseError> {
    let port = impedance::two_windings(id, transformer)?;
    let positive = port.admittances();
    let connections = [transformer.ends[0].connection, transformer.ends[1].connection];
    if phases == [Phases::ABC; 2] && !connections.contains(&Connection::Single) {
        let zero = zero_admittances(id, transformer, connections)?;
        return Ok(Some(three_phases(&positive, &zero)));
    }
    let counts = phases.map(|phases| phases.iter().count());
    if connections == [Connection::Single; 2] && counts.iter().all(|count| *count < 3) {
        return Ok(Some(single_phase(&positive, counts)));
    }
    // A bank of single-phase units between phases and earth.
    if connections == [Connection::StarEarthed; 2] && phases[0] == phases[1] {
        let count = counts[0];
        return Ok(Some(Matrix::from_fn(2 * count, |row, column| {
            if row % count == column % count { entry(&positive, row / count, column / count) } else { Complex64::ZERO }
        })));
    }
    Ok(None)
}

fn entry(admittances: &Admittances, row: usize, column: usize) -> Complex64 {
    match (row, column) {
        (0, 0) => admittances.first,
        (0, _) => admittances.first_second,
        (_, 0) => admittances.second_first,
        _ => admittances.second,
    }
}

/// Three phases. The negative sequence has the same impedances and the opposite angles, so the admittances are exchanged.
fn three_phases(positive: &Admittances, zero: &Admittances) -> Matrix {
    Matrix::from_fn(6, |row, column| {
        let (r, c) = (row / 3, column / 3);
        from_sequences([entry(zero, r, c), entry(positive, r, c), entry(positive, c, r)], row % 3, column % 3)
    })
}

/// A winding at each end, between two phases or between a phase and earth.
fn single_phase(winding: &Admittances, counts: [usize; 2]) -> Matrix {
    let conductors: Vec<(usize, f64)> =
        counts.iter().enumerate().flat_map(|(end, count)| [(end, 1.0), (end, -1.0)].into_iter().take(*count)).collect();
    let mut matrix = Matrix::from_fn(conductors.len(), |row, column| {
        let ((row, left), (column, right)) = (conductors[row], conductors[column]);
        entry(winding, row, column) * left * right
    });
    for (at, (end, _)) in conductors.iter().enumerate() {
        if counts[*end] == 2 {
            matrix.add(at, at, Complex64::from(entry(winding, *end, *end).norm() * HOLDS_FLOATING));
        }
    }
    matrix
}

/// Returns the impedance of an end in the zero sequence, ohms at its rated voltage. Default: the impedance in the positive sequence.
fn zero_impedance(id: &str, given: &SequenceImpedance) -> Result<Complex64, CaseError> {
    let r0 = number::finite(id, "r0_ohm", given.r0_ohm.unwrap_or(given.r_ohm))?;
    Ok(Complex64::new(r0, number::finite(id, "x0_ohm", given.x0_ohm.unwrap_or(given.x_ohm))?))
}

fn zero_admittances(id: &str, transformer: &Transformer, connections: [Connection; 2]) -> Result<Admittances, CaseError> {
    let [first, second] = &transformer.ends[..] else { unreachable!("the caller has counted the ends") };
    let ratio = first.rated_kv / second.rated_kv;
    // The whole impedance at the rated voltage of the first end.
    let whole = zero_impedance(id, &first.series)? + zero_impedance(id, &second.series)? * (ratio * ratio);
    if impedance::joins(whole) {
        return Err(CaseError::NoImpedance(id.to_owned()));
    }
    let taps = [impedance::tap_ratio(id, first.tap.as_ref())?, impedance::tap_ratio(id, second.tap.as_ref())?].map(Complex64::norm);
    let kinds = connections.map(zero_sequence);
    let admittance = whole.inv();
    let ends = [admittance / (taps[0] * taps[0]), admittance * (ratio * ratio) / (taps[1] * taps[1])];
    let floating = ends.map(|end| Complex64::from(end.norm() * HOLDS_FLOATING));
    let mut zero = Admittances { first: floating[0], first_second: Complex64::ZERO, second_first: Complex64::ZERO, second: floating[1] };
    let is_turned = (second.clock % 12 + 12 - first.clock % 12) % 4 == 2;
    match kinds {
        [ZeroSequence::Passes, ZeroSequence::Passes] => {
            let signed = if is_turned { -ratio } else { ratio };
            let chain = TwoPort::ideal(taps[0].into())
                .then(TwoPort::series(whole))
                .then(TwoPort::ideal(signed.into()))
                .then(TwoPort::ideal(taps[1].recip().into()));
            zero = chain.admittances();
        }
        [ZeroSequence::Passes, ZeroSequence::Circulates] => zero.first = ends[0],
        [ZeroSequence::Circulates, ZeroSequence::Passes] => zero.second = ends[1],
        _ => {}
    }
    for (kind, own, end) in [(kinds[0], &mut zero.first, ends[0]), (kinds[1], &mut zero.second, ends[1])] {
        if kind == ZeroSequence::Earths {
            *own = end;
        }
    }
    Ok(zero)
}

/// Returns, for each end of a transformer with three ends, the admittances between its three phases and those of the star point. The star point has the rated
/// voltage of the first end.
pub(crate) fn three_windings(id: &str, transformer: &Transformer) -> Result<[Matrix; 3], CaseError> {
    let ports = impedance::three_windings(id, transformer)?;
    let mut matrices = [Matrix::zero(6), Matrix::zero(6), Matrix::zero(6)];
    for ((port, end), matrix) in ports.iter().zip(&transformer.ends).zip(&mut matrices) {
        let positive = port.admittances();
        let ratio = transformer.ends[0].rated_kv / end.rated_kv;
        let given = zero_impedance(id, &end.series)?;
        let least = Complex64::new(0.0, 1e-8 * end.rated_kv * end.rated_kv);
        let own = if impedance::joins(given) { least } else { given };
        let at_star = own.inv() / (ratio * ratio);
        let hold = |admittance: Complex64| Complex64::from(admittance.norm() * HOLDS_FLOATING);
        let zero = match zero_sequence(end.connection) {
            ZeroSequence::Passes => {
                let tap = impedance::tap_ratio(id, end.tap.as_ref())?.norm();
                TwoPort::ideal(tap.into()).then(TwoPort::series(own)).then(TwoPort::ideal(ratio.recip().into())).admittances()
            }
            kind => Admittances {
                first: if kind == ZeroSequence::Earths { own.inv() } else { hold(own.inv()) },
                first_second: Complex64::ZERO,
                second_first: Complex64::ZERO,
                second: if kind == ZeroSequence::Circulates { at_star } else { hold(at_star) },
            },
        };
        *matrix = three_phases(&positive, &zero);
    }
    Ok(matrices)
}
