//! The monthly performance document: the figures of analytics for a month, compared with the previous month and the same month of the
//! previous year.
//!
//! [`gather`] collects the figures, [`of`] defines their types, [`write`] prints them. This module contains no formulas of figures.

mod figures;
mod gather;
mod months;
mod write;

use analysis::calendar::{Calendar, Period};
use identity::{Area, View};
use store::kept::Level;

use crate::Reports;
use crate::error::Error;
use crate::imprint::Imprint;

pub use months::{month, title};

/// Maximum number of areas in one document.
const AREAS_MAX: usize = 10;

/// The key of the document in schedules and in the audit.
pub const KEY: &str = "MONTHLY_PERFORMANCE";

/// Checks that the number of areas is allowed.
pub fn check(areas: &[Area]) -> Result<(), Error> {
    if (1..=AREAS_MAX).contains(&areas.len()) {
        return Ok(());
    }
    Err(Error::BadRequest(format!("levelId must name 1 to {AREAS_MAX} places for this report")))
}

/// Returns the document of a month for areas of one level. If nothing is known about the month, the document reports this.
pub async fn file(reports: &Reports, view: &View, areas: Vec<Area>, month: Period) -> Result<Vec<u8>, Error> {
    check(&areas)?;
    let calendar = Calendar::of(view, wire::time::now());
    let mut places = Vec::with_capacity(areas.len());
    for area in areas {
        places.push(gather::place(reports, view, area, month, &calendar).await?);
    }
    let levels = [Level::Event, Level::Fault, Level::Day];
    let kept_since = reports.store().kept().await?.within(&levels, calendar.span(month)?.0);
    let imprint = Imprint::of(reports, view).await?;
    let printed = tokio::task::spawn_blocking(move || write::document(imprint, &places, month, &calendar, kept_since));
    printed.await.map_err(|_| Error::Internal)?.map_err(|error| {
        tracing::error!(%error, "the monthly report could not be printed");
        Error::Internal
    })
}
