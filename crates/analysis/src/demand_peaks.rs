//! The peak demand of an area, over any blocks and by quarter of the day.

use grid::Scope;
use grid::demand::{Band, Block, peak};
use grid::downsample::MINUTE_MS;
use identity::{Area, View};
use wire::energy::PeakDemandRow;
use wire::flag::Flag;
use wire::time::iso;

use crate::calendar::Calendar;
use crate::demand::{Blocks, coverage, flags};

/// Share of the feeders that a block needs to count as a peak, in relation to the block with the most feeders. A block with fewer feeders
/// shows too little demand. With fewer than twenty feeders, all of them are needed.
const SUFFICIENT_MIN: f64 = 0.95;

/// Builds the rows of peak demand of one area.
pub struct PeakRows<'a> {
    calendar: &'a Calendar,
    /// Number of feeders that a block needs to count as a peak.
    needs: u32,
    id: i64,
    name: String,
}

impl<'a> PeakRows<'a> {
    /// Prepares the rows of an area. The number of feeders that a peak needs follows from all blocks.
    pub fn of(view: &View, area: Area, calendar: &'a Calendar, blocks: &Blocks) -> Self {
        let (id, name) = match area.0 {
            None => (view.principal.client.0, Some(view.field.client().name.clone())),
            Some(Scope::Node(node)) => (node.0, view.field.node(node).map(|node| node.name.clone())),
            Some(Scope::Asset(asset)) => (asset.0, view.field.asset(asset).map(|asset| asset.name.clone())),
        };
        let needs = (SUFFICIENT_MIN * f64::from(blocks.most_sufficient())).ceil() as u32;
        Self { calendar, id, name: name.unwrap_or_default(), needs }
    }

    /// Returns the row with the peak demand of some blocks; `interval` is its label.
    pub fn row(&self, interval: &str, blocks: &Blocks) -> PeakDemandRow {
        let minutes = blocks.minutes;
        let sufficient = blocks.all.iter().zip(&blocks.sufficient).filter(|(_, sufficient)| **sufficient >= self.needs.max(1));
        // The filter on feeders replaces the minimum share of `peak`.
        let found = peak(sufficient.map(|(block, _)| block), 0.0);
        let blocks = blocks.all.as_slice();
        let at = found.map(|(block, _)| block.start);
        let mut flags = flags(blocks, minutes);
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
            block_minutes: minutes,
            coverage: coverage(blocks),
            flags,
        }
    }

    /// Returns a row for each quarter of the day, over all days of the blocks.
    pub fn bands(&self, blocks: &Blocks) -> Vec<PeakDemandRow> {
        let middle = |block: &Block| block.start.plus_millis(blocks.minutes * MINUTE_MS / 2);
        let band = |band: Band| self.row(band.as_str(), &blocks.only(|block| Band::of_hour(self.calendar.hour(middle(block))) == band));
        Band::ALL.map(band).into()
    }
}
