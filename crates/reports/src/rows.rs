//! The channel that carries rows from the database to their reader. It is bounded, so that no report is completely in memory.

use std::time::Duration;

use grid::Micros;
use sheet::Cell;
use tokio::sync::mpsc;

use crate::error::Error;

/// Maximum number of rows that wait for their reader. When it is reached, the definition and its queries wait.
pub(crate) const WAITING_MAX: usize = 1_024;

/// A value in one column of a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// The value is unknown.
    Absent,
    /// A text.
    Text(String),
    /// A number in the unit of its column.
    Number(f64),
    /// A time.
    Time(Micros),
    /// A duration.
    Lasting(Duration),
}

/// A row, with one value for each column.
pub type Row = Vec<Value>;

impl Value {
    /// Creates an age, rounded to seconds. It is the age at the time at which the report was created.
    pub(crate) fn age(age: Duration) -> Self {
        Self::Lasting(Duration::from_secs(age.as_secs()))
    }

    /// Converts the value for a file.
    pub fn cell(&self) -> Cell<'_> {
        match self {
            Self::Absent => Cell::Absent,
            Self::Text(text) => Cell::Text(text),
            Self::Number(number) => Cell::Number(*number),
            Self::Time(at) => Cell::Time(*at),
            Self::Lasting(duration) => Cell::Duration(*duration),
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Number(number as f64)
    }
}

impl From<Micros> for Value {
    fn from(at: Micros) -> Self {
        Self::Time(at)
    }
}

impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Absent, Into::into)
    }
}

/// Why a definition stops.
#[derive(Debug)]
pub enum Stop {
    /// The reader was dropped.
    Gone,
    /// An error.
    Failed(Error),
}

impl From<analysis::Error> for Stop {
    fn from(error: analysis::Error) -> Self {
        Self::Failed(error.into())
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<store::Error> for Stop {
    fn from(error: store::Error) -> Self {
        Self::Failed(error.into())
    }
}

pub(crate) enum Item {
    Row(Row),
    Failed(Error),
    End,
}

/// The channel into which a definition puts its rows.
#[derive(Debug)]
pub struct Rows {
    pub(crate) to: mpsc::Sender<Item>,
    pub(crate) columns: usize,
}

impl Rows {
    /// Puts a row. Waits until there is room.
    pub async fn put(&self, row: Row) -> Result<(), Stop> {
        if row.len() != self.columns {
            tracing::error!(cells = row.len(), columns = self.columns, "a report has brought a row of another shape");
            return Err(Stop::Failed(Error::Internal));
        }
        self.to.send(Item::Row(row)).await.map_err(|_| Stop::Gone)
    }
}

/// The rows of a report, one by one. Dropping it stops the report.
#[derive(Debug)]
pub struct Reader(pub(crate) mpsc::Receiver<Item>);

impl Reader {
    /// Returns the next row; `None` after the last.
    pub async fn next(&mut self) -> Result<Option<Row>, Error> {
        taken(self.0.recv().await)
    }

    /// Like [`Self::next`], for threads that may block.
    pub fn blocking_next(&mut self) -> Result<Option<Row>, Error> {
        // A part of the file may have been sent already, so the api cannot log the cause.
        taken(self.0.blocking_recv()).inspect_err(Error::log)
    }
}

fn taken(item: Option<Item>) -> Result<Option<Row>, Error> {
    match item {
        Some(Item::Row(row)) => Ok(Some(row)),
        Some(Item::End) => Ok(None),
        Some(Item::Failed(error)) => Err(error),
        // The definition ended without marking the end of its rows.
        None => Err(Error::Internal),
    }
}
