//! The peak demand of an area, over any blocks and by quarter of the day.

use grid::Scope;
use grid::demand::Band;
use identity::{Area, View};
use wire::energy::PeakDemandRow;
use wire::flag::Flag;
use wire::time::iso;

use crate::calendar::Calendar;
use crate::demand::Demand;

/// Builds the rows of peak demand of one area.
pub struct PeakRows<'a> {
    calendar: &'a Calendar,
    id: i64,
    name: String,
}

impl<'a> PeakRows<'a> {
    /// Prepares the rows of an area.
    pub fn of(view: &View, area: Area, calendar: &'a Calendar) -> Self {
        let (id, name) = match area.0 {
            None => (view.principal.client.0, Some(view.field.client().name.clone())),
            Some(Scope::Node(node)) => (node.0, view.field.node(node).map(|node| node.name.clone())),
            Some(Scope::Asset(asset)) => (asset.0, view.field.asset(asset).map(|asset| asset.name.clone())),
        };
        Self { calendar, id, name: name.unwrap_or_default() }
    }

    /// Returns the row with the peak of a demand; `interval` is its label.
    pub fn row(&self, interval: &str, demand: &Demand) -> PeakDemandRow {
        let found = demand.peak();
        let at = found.map(|(block, _)| block.start);
        let mut flags = demand.flags();
        if found.is_none() && !flags.contains(&Flag::NoData) {
            flags.insert(0, Flag::NoData);
        }
        PeakDemandRow {
            id: self.id,
            name: self.name.clone(),
            reading_from: self.name.clone(),
            time_interval: interval.to_owned(),
            peak_demand: found.map(|(_, demand)| demand),
            reported_date_time: at.map(iso),
            date: at.map(|at| self.calendar.day(at).to_string()),
            time: at.map(|at| self.calendar.clock(at)),
            hour: at.map(|at| self.calendar.hour(at)),
            block_minutes: demand.minutes(),
            coverage: demand.coverage(),
            flags,
        }
    }

    /// Returns a row for each quarter of the day (night, morning, day, evening). Each row has the peak over all days of
    /// the demand.
    pub fn bands(&self, demand: &Demand) -> Vec<PeakDemandRow> {
        Band::ALL.map(|band| self.row(band.as_str(), &demand.of_band(band, self.calendar))).into()
    }
}
