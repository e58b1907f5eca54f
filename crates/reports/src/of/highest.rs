//! The row with the highest figure of a report, which is repeated after the rows of a place.

use crate::rows::{Row, Value};

/// The row with the highest figure so far.
#[derive(Debug, Default)]
pub(crate) struct Highest {
    figure: Option<f64>,
    row: Row,
}

impl Highest {
    /// Compares a row by the number in one of its columns. If rows are equal, the first one is used.
    pub(crate) fn compare(&mut self, row: &Row, column: usize) {
        let Some(Value::Number(figure)) = row.get(column) else { return };
        if self.figure.is_none_or(|known| *figure > known) {
            (self.figure, self.row) = (Some(*figure), row.clone());
        }
    }

    /// Returns the row with a label in one of its columns; `None` if no row has a figure.
    pub(crate) fn labelled(mut self, column: usize, label: &str) -> Option<Row> {
        self.figure?;
        *self.row.get_mut(column)? = label.into();
        Some(self.row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_of_the_highest_rows_is_kept() {
        let row = |name: &str, figure: Value| vec![name.into(), figure];
        let mut highest = Highest::default();
        assert_eq!(Highest::default().labelled(0, "Peak"), None);
        for (name, figure) in [("a", Value::Absent), ("b", 1.0.into()), ("c", 7.5.into()), ("d", 7.5.into()), ("e", 2.0.into())] {
            highest.compare(&row(name, figure), 1);
        }
        let found = highest.labelled(0, "Peak");
        assert_eq!(found, Some(vec!["Peak".into(), Value::Number(7.5)]));
    }
}
