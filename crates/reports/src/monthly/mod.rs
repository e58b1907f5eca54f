//! The performance of a month as a document to send on: what analytics works out, put beside the month before and the same month a year before.
//!
//! [`gather`] asks, [`of`] says what was found, [`write`] prints it. No figure has a formula of its own here.

mod gather;
mod months;
mod of;
mod write;

use analysis::calendar::{Calendar, Period};
use identity::{Area, View};

use crate::Reports;
use crate::asked::name_of;
use crate::error::Error;

pub use months::{month, title};

/// Places of one document.
const AREAS_MAX: usize = 10;

/// What a schedule and the audit know it by.
pub const KEY: &str = "MONTHLY_PERFORMANCE";

/// Whether it can be of so many places.
pub fn check(areas: &[Area]) -> Result<(), Error> {
    if (1..=AREAS_MAX).contains(&areas.len()) {
        return Ok(());
    }
    Err(Error::BadRequest(format!("levelId must name 1 to {AREAS_MAX} places for this report")))
}

/// The document of a month over places of one level. A month of which nothing is known makes one that says so.
pub async fn file(reports: &Reports, view: &View, areas: Vec<Area>, month: Period) -> Result<Vec<u8>, Error> {
    check(&areas)?;
    let calendar = Calendar::of(view, wire::time::now());
    let mut places = Vec::with_capacity(areas.len());
    for area in areas {
        places.push(gather::place(reports, view, area, month, &calendar).await?);
    }
    let utility = name_of(view, Area(None));
    let printed = tokio::task::spawn_blocking(move || write::document(&utility, &places, month, &calendar));
    printed.await.map_err(|_| Error::Internal)?.map_err(|error| {
        tracing::error!(%error, "the monthly report could not be printed");
        Error::Internal
    })
}
