//! What was found wrong, as stretches of time that a chart can shade; of many the longest.

use crate::Micros;

/// Stretches of a kind that are told of one point, at most: the longest ones. The others are counted.
pub const KEPT: usize = 20;

/// What can be wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// No value came.
    Gap,
    /// The value did not move although it should have.
    Flat,
    /// Far from what is usual at that hour of the day.
    Outlier,
    /// The device or the link said that it is not to be believed, or there was no number.
    Quality,
    /// The device's clock was wrong.
    Clock,
    /// Where nothing of its kind can be.
    Limit,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Gap, Self::Flat, Self::Outlier, Self::Quality, Self::Clock, Self::Limit];

    /// The word in rows.
    pub fn word(self) -> &'static str {
        match self {
            Self::Gap => "gap",
            Self::Flat => "flat",
            Self::Outlier => "outlier",
            Self::Quality => "quality",
            Self::Clock => "clock",
            Self::Limit => "limit",
        }
    }
}

/// A stretch of time in which something was wrong.
#[derive(Debug, Clone, PartialEq)]
pub struct Stretch {
    /// What.
    pub kind: Kind,
    /// Since when, by source time.
    pub from: Micros,
    /// Until when; the same as `from` where it was a single value.
    pub to: Micros,
    /// What there is to say about it, in few words.
    pub note: String,
}

/// The stretches of a point: all counted, the longest kept.
#[derive(Debug, Clone, Default)]
pub(super) struct Stretches {
    kept: [Vec<Stretch>; 6],
    counts: [u64; 6],
}

impl Stretches {
    pub(super) fn put(&mut self, stretch: Stretch) {
        let at = stretch.kind as usize;
        self.counts[at] += 1;
        let kept = &mut self.kept[at];
        if kept.len() < KEPT {
            kept.push(stretch);
            return;
        }
        let length = |stretch: &Stretch| stretch.to.0.saturating_sub(stretch.from.0);
        if let Some(shortest) = kept.iter_mut().min_by_key(|stretch| length(stretch))
            && length(shortest) < length(&stretch)
        {
            *shortest = stretch;
        }
    }

    pub(super) fn count(&self, kind: Kind) -> u64 {
        self.counts[kind as usize]
    }

    /// Those that are kept, in the order of time, and how many are not.
    pub(super) fn told(self) -> (Vec<Stretch>, u64) {
        let counted: u64 = self.counts.iter().sum();
        let mut all: Vec<Stretch> = self.kept.into_iter().flatten().collect();
        all.sort_by_key(|stretch| (stretch.from, stretch.kind));
        let cut = counted - all.len() as u64;
        (all, cut)
    }
}
