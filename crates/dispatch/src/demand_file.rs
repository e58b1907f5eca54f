//! Reads a file of a site's demand, and says of each line what is wrong with it.
//!
//! Two kinds are taken, both as CSV in UTF-8 with `,` or `;` between columns, empty lines left out, a header line or none:
//!
//! - **48 values**, kW, one for each half hour from midnight: one a line, or all in one line.
//! - **times and values**: two columns, local time of the site (`2026-06-21 00:30`, `T` instead of the space and seconds allowed, no zone)
//!   and kW; times rise. All days together become one: of each day the mean of the values of each half hour, of these the mean over the
//!   days. Each half hour needs a value on some day.
//!
//! Where the clocks go back over half hours, each time of those may stand there twice, in the order in which the clock showed them or beside each
//! other; times that the clocks leave out cannot be. A half hour that is on the clock of no day of the file is the mean of its neighbours.

mod fault;
mod moment;
mod rows;

pub use fault::{FAULTS_MAX, FileFault};
pub use rows::{CivilDay, DAYS_MAX, ROWS_MAX};

use crate::{SLOTS, Slots};

/// Bytes of a file.
pub const FILE_MAX_BYTES: usize = 5 * 1024 * 1024;
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

/// Reads a whole file. All faults are found, up to [`FAULTS_MAX`], in the order of their lines. `hours` tells how long each half hour of a day lasts by the
/// clock of the site, h; it is asked of a day after another, [`DAYS_MAX`] and one more at most.
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

/// All days as one.
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
