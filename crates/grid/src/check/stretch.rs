//! Findings as stretches of time that a chart can shade. Only the longest are kept.

use crate::Micros;

/// Largest number of stretches of one kind that are reported for a point: the longest ones. The rest is counted.
pub const KEPT: usize = 20;

/// The kind of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AnomalyKind {
    /// No value was received.
    Gap,
    /// The value did not change for too long.
    Flat,
    /// A value far from the usual ones of its hour of the day.
    Outlier,
    /// The device or the link marked the value as unreliable, or there was no number.
    Quality,
    /// The device's clock was wrong.
    Clock,
    /// A value outside of the possible range.
    Limit,
}

impl AnomalyKind {
    /// All kinds.
    pub const ALL: [Self; 6] = [Self::Gap, Self::Flat, Self::Outlier, Self::Quality, Self::Clock, Self::Limit];

    /// Returns the identifier used in rows.
    pub fn as_str(self) -> &'static str {
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

/// A stretch of time with a finding.
#[derive(Debug, Clone, PartialEq)]
pub struct Stretch {
    /// The kind of finding.
    pub kind: AnomalyKind,
    /// Start, by source time.
    pub from: Micros,
    /// End, by source time; equal to `from` for a single value.
    pub to: Micros,
    /// A short explanation.
    pub note: String,
}

/// The stretches of a point: all are counted, the longest are kept.
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

    pub(super) fn count(&self, kind: AnomalyKind) -> u64 {
        self.counts[kind as usize]
    }

    /// Returns the kept stretches in the order of time, and the number of those that were dropped.
    pub(super) fn longest_stretches(self) -> (Vec<Stretch>, u64) {
        let counted: u64 = self.counts.iter().sum();
        let mut all: Vec<Stretch> = self.kept.into_iter().flatten().collect();
        all.sort_by_key(|stretch| (stretch.from, stretch.kind));
        let cut = counted - all.len() as u64;
        (all, cut)
    }
}
