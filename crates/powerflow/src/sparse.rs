//! Sparse linear equations: a fixed pattern, values that change, and the LU factors of a library.

use std::ops::AddAssign;

use faer::linalg::solvers::SolveCore;
use faer::sparse::linalg::solvers::{Lu, SymbolicLu};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMat};
use faer::traits::ComplexField;
use faer::{Conj, MatMut};

/// A square pattern by columns, and the order in which its factors are computed.
pub(crate) struct Pattern {
    matrix: SymbolicSparseColMat<u32>,
    order: SymbolicLu<u32>,
}

/// The factors of a matrix.
pub(crate) struct Factors<T>(Lu<u32, T>);

impl Pattern {
    /// Creates a pattern from the rows of each column, in order. `None` if it is too large.
    pub(crate) fn new(size: usize, column_starts: Vec<u32>, rows: Vec<u32>) -> Option<Self> {
        let matrix = SymbolicSparseColMat::new_checked(size, size, column_starts, None, rows);
        let order = SymbolicLu::try_new(matrix.as_ref()).ok()?;
        Some(Self { matrix, order })
    }

    /// Factorises a matrix of this pattern. `None` if it is singular.
    pub(crate) fn factorise<T: ComplexField>(&self, values: &[T]) -> Option<Factors<T>> {
        Lu::try_new_with_symbolic(self.order.clone(), SparseColMatRef::new(self.matrix.as_ref(), values)).ok().map(Factors)
    }
}

/// Factorises a matrix that is given by entries, each with column, row and value. Values at the same position are added. `None` if it is singular or too large.
pub(crate) fn factorise_sum<T: ComplexField + AddAssign>(size: usize, mut entries: Vec<(u32, u32, T)>) -> Option<Factors<T>> {
    entries.sort_by_key(|(column, row, _)| (*column, *row));
    let mut starts = Vec::with_capacity(size + 1);
    let (mut rows, mut values) = (Vec::with_capacity(entries.len()), Vec::<T>::with_capacity(entries.len()));
    let mut last = None;
    for (column, row, value) in entries {
        while starts.len() <= column as usize {
            starts.push(rows.len() as u32);
        }
        if let (true, Some(sum)) = (last == Some((column, row)), values.last_mut()) {
            *sum += value;
            continue;
        }
        last = Some((column, row));
        rows.push(row);
        values.push(value);
    }
    starts.push(rows.len() as u32);
    Pattern::new(size, starts, rows)?.factorise(&values)
}

impl<T: ComplexField> Factors<T> {
    /// Solves for one right-hand side, in place.
    pub(crate) fn solve(&self, right: &mut [T]) {
        let size = right.len();
        self.0.solve_in_place_with_conj(Conj::No, MatMut::from_column_major_slice_mut(right, size, 1));
    }
}
