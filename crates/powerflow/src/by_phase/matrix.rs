//! Small square matrices of complex numbers, and the conversion from sequences to phases.

use num_complex::Complex64;

/// A square matrix by rows.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Matrix {
    size: usize,
    values: Vec<Complex64>,
}

impl Matrix {
    pub(crate) fn zero(size: usize) -> Self {
        Self { size, values: vec![Complex64::ZERO; size * size] }
    }

    pub(crate) fn size(&self) -> usize {
        self.size
    }

    pub(crate) fn at(&self, row: usize, column: usize) -> Complex64 {
        self.values[row * self.size + column]
    }

    pub(crate) fn add(&mut self, row: usize, column: usize, value: Complex64) {
        self.values[row * self.size + column] += value;
    }

    /// Creates a matrix whose entries are the values of a function of row and column.
    pub(crate) fn from_fn(size: usize, value: impl Fn(usize, usize) -> Complex64) -> Self {
        Self { size, values: (0..size * size).map(|at| value(at / size, at % size)).collect() }
    }

    /// Returns the matrix with some rows and the same columns.
    pub(crate) fn part(&self, kept: &[usize]) -> Self {
        Self::from_fn(kept.len(), |row, column| self.at(kept[row], kept[column]))
    }

    /// Returns the inverse, computed by elimination with pivots; `None` if the matrix is singular.
    pub(crate) fn inverse(&self) -> Option<Self> {
        let size = self.size;
        let (mut left, mut right) = (self.clone(), Self::from_fn(size, |row, column| Complex64::from(f64::from(u8::from(row == column)))));
        for column in 0..size {
            let pivot = (column..size).max_by(|one, other| left.at(*one, column).norm().total_cmp(&left.at(*other, column).norm()))?;
            let inverse = left.at(pivot, column).inv();
            if !inverse.is_finite() {
                return None;
            }
            for at in 0..size {
                left.values.swap(column * size + at, pivot * size + at);
                right.values.swap(column * size + at, pivot * size + at);
            }
            for at in 0..size {
                left.values[column * size + at] *= inverse;
                right.values[column * size + at] *= inverse;
            }
            for row in (0..size).filter(|row| *row != column) {
                let factor = left.at(row, column);
                for at in 0..size {
                    let (l, r) = (left.at(column, at) * factor, right.at(column, at) * factor);
                    left.values[row * size + at] -= l;
                    right.values[row * size + at] -= r;
                }
            }
        }
        right.values.iter().all(|value| value.is_finite()).then_some(right)
    }
}

/// Returns an entry of a matrix by phases, computed from its values in the zero, positive and negative sequence.
pub(crate) fn from_sequences(sequences: [Complex64; 3], row: usize, column: usize) -> Complex64 {
    let turn = std::f64::consts::TAU / 3.0 * (column as f64 - row as f64);
    let [zero, positive, negative] = sequences;
    (zero + positive * Complex64::from_polar(1.0, turn) + negative * Complex64::from_polar(1.0, -turn)) / 3.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverse_times_matrix_is_one() {
        let matrix =
            Matrix::from_fn(3, |row, column| Complex64::new((row * 2 + column) as f64 % 5.0, if row == column { 3.0 } else { -0.5 }));
        let inverse = matrix.inverse().expect("an inverse");
        for row in 0..3 {
            for column in 0..3 {
                let product: Complex64 = (0..3).map(|at| matrix.at(row, at) * inverse.at(at, column)).sum();
                assert!((product - f64::from(u8::from(row == column))).norm() < 1e-14);
            }
        }
        assert_eq!(Matrix::zero(2).inverse(), None);
    }

    #[test]
    fn equal_sequences_are_separate_phases() {
        let value = Complex64::new(0.3, 0.8);
        for row in 0..3 {
            for column in 0..3 {
                let expected = if row == column { value } else { Complex64::ZERO };
                assert!((from_sequences([value; 3], row, column) - expected).norm() < 1e-15);
            }
        }
    }
}
