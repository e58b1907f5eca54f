//! Reads a file with the demand of a site and reports the faults of each line.
//!
//! Two kinds of CSV files are accepted. They are in UTF-8 with `,` or `;` as separator. Empty lines are ignored; a header line is optional.
//!
//! - **48 values** in kW, one for each half hour from midnight: one per line, or all in one line.
//! - **Times and values** in two columns: local time of the site (`2026-06-21 00:30`; `T` instead of the space and seconds are accepted, a zone is
//!   not) and kW, in the order of time. All days are combined into one: the mean of each half hour of each day, then the mean over the days. Each
//!   half hour needs a value on at least one day.
//!
//! When the clocks go back, each repeated local time may occur twice, in the displayed order or next to each other. A skipped local time is a fault.
//! A half hour that exists on no day of the file gets the mean of its neighbours.

mod fault;
mod moment;
mod rows;

pub use fault::{FAULTS_MAX, FileFault};
pub use rows::{CivilDay, DAYS_MAX, ROWS_MAX};

use crate::{SLOTS, Slots};

/// Largest size of a file in bytes.
pub const FILE_MAX_BYTES: usize = 5 * 1024 * 1024;
/// The demand of a valid file.
#[derive(Debug, Clone, PartialEq)]
pub struct Demand {
    /// `Base_Demand_Kw`: demand of each half hour, kW.
    pub kw: Slots,
    /// Number of days; `None` if the file has no times.
    pub days: Option<usize>,
    /// Number of values read.
    pub values: usize,
}

/// Reads a whole file. Returns all faults, up to [`FAULTS_MAX`], in the order of their lines. `hours` returns the duration of each half hour of a
/// local day, h; it is called once per day, at most [`DAYS_MAX`] + 1 times.
pub fn demand_file(csv: &[u8], hours: impl Fn(CivilDay) -> Slots) -> Result<Demand, Vec<FileFault>> {
    let about = |what: String| vec![FileFault { line: 1, column: "", what }];
    if csv.len() > FILE_MAX_BYTES {
        return Err(about(format!("the file has {} bytes; up to {FILE_MAX_BYTES} (5 MiB)", csv.len())));
    }
    let rows = rows::read(csv, &hours)?;
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

/// Combines all days into one.
fn day_of(days: &[rows::Day]) -> Result<Demand, String> {
    if days.len() > DAYS_MAX {
        return Err(format!("the file has {} days; up to {DAYS_MAX}", days.len()));
    }
    let mut sums = [0.0; SLOTS];
    let mut counts = [0_u32; SLOTS];
    for day in days {
        let mut of_day = [(0.0, 0_u32); SLOTS];
        for (slot, kw) in &day.values {
            of_day[*slot].0 += kw;
            of_day[*slot].1 += 1;
        }
        for (slot, (sum, count)) in of_day.into_iter().enumerate().filter(|(_, (_, count))| *count > 0) {
            sums[slot] += sum / f64::from(count);
            counts[slot] += 1;
        }
    }
    let is_on_clock = |slot: usize| days.iter().any(|day| day.hours[slot] > 0.0);
    let empty: Vec<String> = (0..SLOTS).filter(|slot| counts[*slot] == 0 && is_on_clock(*slot)).map(crate::clock).collect();
    if let Some(first) = empty.first() {
        return Err(format!("{} half hours have no value on any day, the first from {first}; each of the {SLOTS} needs one", empty.len()));
    }
    let mean = |slot: usize| (counts[slot] > 0).then(|| sums[slot] / f64::from(counts[slot]));
    let next = |slot: usize, step: usize| (1..SLOTS).find_map(|steps| mean((slot + steps * step) % SLOTS)).unwrap_or_default();
    let kw = |slot| mean(slot).unwrap_or_else(|| f64::midpoint(next(slot, 1), next(slot, SLOTS - 1)));
    let values = days.iter().map(|day| day.values.len()).sum();
    Ok(Demand { kw: std::array::from_fn(kw), days: Some(days.len()), values })
}

#[cfg(test)]
mod tests;
