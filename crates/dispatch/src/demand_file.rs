//! Reads a file of a site's demand, and says of each line what is wrong with it.
//!
//! Two kinds are taken, both as CSV in UTF-8 with `,` or `;` between columns, empty lines left out, a header line or none:
//!
//! - **48 values**, kW, one for each half hour from midnight: one a line, or all in one line.
//! - **times and values**: two columns, local time of the site (`2026-06-21 00:30`, `T` instead of the space and seconds allowed, no zone)
//!   and kW; times rise. All days together become one: of each day the mean of the values of each half hour, of these the mean over the
//!   days. Each half hour needs a value on some day.

use std::fmt;

mod moment;
mod rows;

use crate::{SLOTS, Slots};

/// Bytes of a file.
pub const FILE_MAX_BYTES: usize = 5 * 1024 * 1024;
/// Lines with values of a file: minutes of two months.
pub const ROWS_MAX: usize = 100_000;
/// Days of a file.
pub const DAYS_MAX: usize = 400;
/// Faults that are told one by one.
pub const FAULTS_MAX: usize = 100;

/// What is wrong with a file, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileFault {
    /// The line, the first being 1.
    pub line: u64,
    /// `time` or `kW`; empty when it is about the whole line or file.
    pub column: &'static str,
    /// What is wrong and what is allowed.
    pub what: String,
}

impl fmt::Display for FileFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.column {
            "" => write!(f, "line {}: {}", self.line, self.what),
            column => write!(f, "line {}, column {column}: {}", self.line, self.what),
        }
    }
}

/// What a good file says.
#[derive(Debug, Clone, PartialEq)]
pub struct Demand {
    /// Base_Demand_Kw.
    pub kw: Slots,
    /// From how many days; `None` where the file has no times.
    pub days: Option<usize>,
    /// Values read.
    pub values: usize,
}

/// Reads a whole file. All faults are found, up to [`FAULTS_MAX`], in the order of their lines.
pub fn demand_file(csv: &[u8]) -> Result<Demand, Vec<FileFault>> {
    let about = |what: String| vec![FileFault { line: 1, column: "", what }];
    if csv.len() > FILE_MAX_BYTES {
        return Err(about(format!("the file has {} bytes; up to {FILE_MAX_BYTES} (5 MiB)", csv.len())));
    }
    let rows = rows::read(csv)?;
    match rows {
        rows::Rows::Plain(values) => {
            let kw = Slots::try_from(values.as_slice()).map_err(|_| {
                about(format!(
                    "the file has {} values; {SLOTS} without times, one for each half hour, or rows of time and kW",
                    values.len()
                ))
            })?;
            Ok(Demand { kw, days: None, values: SLOTS })
        }
        rows::Rows::Timed(samples) => day_of(&samples).map_err(about),
    }
}

/// All days as one.
fn day_of(samples: &[rows::Sample]) -> Result<Demand, String> {
    let mut sums = [0.0; SLOTS];
    let mut counts = [0_u32; SLOTS];
    let mut days = 0;
    // Times rise, so a day, and a half hour of it, lies together.
    for day in samples.chunk_by(|one, other| one.day == other.day) {
        days += 1;
        for half_hour in day.chunk_by(|one, other| one.slot == other.slot) {
            sums[half_hour[0].slot] += half_hour.iter().map(|sample| sample.kw).sum::<f64>() / half_hour.len() as f64;
            counts[half_hour[0].slot] += 1;
        }
    }
    if days > DAYS_MAX {
        return Err(format!("the file has {days} days; up to {DAYS_MAX}"));
    }
    let empty: Vec<String> = (0..SLOTS).filter(|slot| counts[*slot] == 0).map(crate::clock).collect();
    if let Some(first) = empty.first() {
        return Err(format!("{} half hours have no value on any day, the first from {first}; each of the {SLOTS} needs one", empty.len()));
    }
    Ok(Demand { kw: std::array::from_fn(|slot| sums[slot] / f64::from(counts[slot])), days: Some(days), values: samples.len() })
}

#[cfg(test)]
mod tests;
