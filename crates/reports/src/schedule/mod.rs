//! Saved requests and scheduled reports: when they run, where their files are stored, and how they reach their recipients.
//!
//! [`due`] computes when a schedule is due and its days, [`entry`] validates what is saved, and [`work`] runs schedules in one process.
//! [`pace`] decides whether the clock can be trusted, [`make`] creates a file, [`pieces`] stores and sends it, and [`post`] mails it.

pub mod due;
pub mod entry;
mod make;
mod pace;
pub mod pieces;
mod post;
mod settings;
pub mod shape;
mod work;

use auth::Principal;
use due::{Recurrence, Rhythm};
use grid::MemberId;
use jiff::civil::{Time, Weekday};

pub use make::has_page;
pub use post::address;
pub use settings::{Clock, Counter, ScheduleSettings};
pub use work::mind_schedules;

/// The longest lifetime of a link, days.
pub const LINK_DAYS_MAX: i64 = 30;
/// Limit of valid links to one file.
pub const LINKS_MAX: i64 = 50;
/// A day, ms.
pub const DAY_MS: i64 = 24 * 3_600_000;

/// Returns the owner whose schedules the caller may see and change; `None` for administrators of the utility, who may do so for all.
pub fn whose(principal: &Principal) -> Option<MemberId> {
    (!principal.administers()).then_some(principal.member)
}

/// Returns the rhythm of a stored schedule; `None` if it is invalid.
pub fn rhythm(every: &str, weekday: Option<i16>, day_of_month: Option<i16>, at_minute: i16) -> Option<Rhythm> {
    let of_month = |day: i16| i8::try_from(day).ok().filter(|day| (1..=28).contains(day));
    let every = match (every, weekday, day_of_month) {
        ("day", None, None) => Recurrence::Day,
        ("week", Some(weekday), None) => Recurrence::Week(Weekday::from_monday_one_offset(i8::try_from(weekday).ok()?).ok()?),
        ("month", None, Some(day)) => Recurrence::Month(of_month(day)?),
        ("quarter", None, Some(day)) => Recurrence::Quarter(of_month(day)?),
        ("financialYear", None, Some(day)) => Recurrence::FinancialYear(of_month(day)?),
        _ => return None,
    };
    let at = Time::new(i8::try_from(at_minute / 60).ok()?, i8::try_from(at_minute % 60).ok()?, 0, 0).ok()?;
    Some(Rhythm { every, at })
}
