//! The highest demand of an area, of any blocks and by quarter of the day.

use grid::Scope;
use grid::demand::{Band, Block, peak};
use grid::downsample::MINUTE_MS;
use identity::{Area, View};
use wire::energy::PeakDemandRow;
use wire::time::iso;

use crate::calendar::Calendar;
use crate::demand::{Blocks, coverage, flags};

/// The share of the feeders that are heard in any block of an answer that a peak needs: where more of them are silent, demand only seems to fall. Of fewer than
/// twenty these are all.
const HEARD_MIN: f64 = 0.95;

/// Blocks of a time, and who asks about whom.
pub struct Told<'a> {
    calendar: &'a Calendar,
    /// Feeders that a block needs to be a peak.
    needs: u32,
    id: i64,
    name: String,
}

impl<'a> Told<'a> {
    /// Prepares the rows of an area: how many feeders a block needs to count as its peak follows from all its blocks.
    pub fn of(view: &View, area: Area, calendar: &'a Calendar, blocks: &Blocks) -> Self {
        let (id, name) = match area.0 {
            None => (view.principal.client.0, view.field.client().map(|client| client.name.clone())),
            Some(Scope::Node(node)) => (node.0, view.field.node(node).map(|node| node.name.clone())),
            Some(Scope::Asset(asset)) => (asset.0, view.field.asset(asset).map(|asset| asset.name.clone())),
        };
        let needs = (HEARD_MIN * f64::from(blocks.most_heard())).ceil() as u32;
        Self { calendar, id, name: name.unwrap_or_default(), needs }
    }

    /// The highest demand of some blocks, which are called so.
    pub fn row(&self, interval: &str, blocks: &Blocks) -> PeakDemandRow {
        let minutes = blocks.minutes;
        let heard = blocks.all.iter().zip(&blocks.heard).filter(|(_, heard)| **heard >= self.needs.max(1));
        // Of those that are heard enough is there; of those that are not, nobody knows.
        let found = peak(heard.map(|(block, _)| block), 0.0);
        let blocks = blocks.all.as_slice();
        let at = found.map(|(block, _)| block.start);
        let mut flags = flags(blocks, minutes);
        if found.is_none() && !flags.iter().any(|flag| flag == "no_data") {
            flags.insert(0, "no_data".to_owned());
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

    /// The quarters of the day, over all days of the blocks.
    pub fn bands(&self, blocks: &Blocks) -> Vec<PeakDemandRow> {
        let middle = |block: &Block| block.start.plus_millis(blocks.minutes * MINUTE_MS / 2);
        let band = |band: Band| self.row(band.word(), &blocks.only(|block| Band::of_hour(self.calendar.hour(middle(block))) == band));
        Band::ALL.map(band).into()
    }
}
