//! Reports that are asked again: what people save, what is made by itself, where that is kept and how it gets to whom it is for.
//!
//! [`due`] says when and of which days, [`entry`] what may be saved, [`work`] has it made by one process of all, [`pace`] whether the clock can be believed, [`make`] makes one, [`pieces`] keeps its file
//! and gives it out, [`post`] mails it.

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
use due::{Every, Rhythm};
use grid::MemberId;
use jiff::civil::{Time, Weekday};

pub use make::has_page;
pub use post::address;
pub use settings::{Clock, Counter, ScheduleSettings};
pub use work::mind_schedules;

/// The longest that a link is good, days.
pub const LINK_DAYS_MAX: i64 = 30;
/// Links to one file that are good at a time.
pub const LINKS_MAX: i64 = 50;
/// A day, ms.
pub const DAY_MS: i64 = 24 * 3_600_000;

/// Whose schedules somebody may see and change: everybody's who administers the utility, else their own.
pub fn whose(principal: &Principal) -> Option<MemberId> {
    (!principal.administers()).then_some(principal.member)
}

/// When a schedule is due, from how it is kept; `None` where that says nothing.
pub fn rhythm(every: &str, weekday: Option<i16>, day_of_month: Option<i16>, at_minute: i16) -> Option<Rhythm> {
    let every = match (every, weekday, day_of_month) {
        ("day", None, None) => Every::Day,
        ("week", Some(weekday), None) => Every::Week(Weekday::from_monday_one_offset(i8::try_from(weekday).ok()?).ok()?),
        ("month", None, Some(day)) => Every::Month(i8::try_from(day).ok().filter(|day| (1..=28).contains(day))?),
        _ => return None,
    };
    let at = Time::new(i8::try_from(at_minute / 60).ok()?, i8::try_from(at_minute % 60).ok()?, 0, 0).ok()?;
    Some(Rhythm { every, at })
}
