//! Divides a batch that the database always refuses, until only the refused rows are left.

use super::Writer;
use super::rows::{Batch, Committed, DeadLetter};
use crate::Result;

/// Number of dead letters that are stored in one transaction. One transaction for each dead letter would take longer than the rest of the work.
const LETTERS_TOGETHER: usize = 500;

/// The state of dividing a refused batch.
#[derive(Debug)]
pub struct Salvage {
    /// Parts that have not been tried yet. The search is depth-first with the earlier half on top, so there is at most one half of each size.
    parts: Vec<Batch>,
    /// Dead letters of rows that cannot be stored. They are not stored yet.
    letters: Vec<DeadLetter>,
    stored: Committed,
}

impl Salvage {
    /// Starts with a batch whose commit failed with a permanent error.
    pub fn new(batch: &Batch) -> Self {
        Self { parts: vec![batch.clone()], letters: Vec::new(), stored: Committed::default() }
    }

    /// Returns what was stored so far.
    pub fn into_committed(self) -> Committed {
        self.stored
    }
}

impl Writer {
    /// Stores the valid rows of a batch whose commit failed with a permanent error, by halving it. Each invalid row becomes a dead letter with reason
    /// `unstorable`. Events keep their order.
    ///
    /// This takes several transactions. Only if it succeeds, all rows are durable. After an error call it again with the same batch.
    pub async fn salvage(&mut self, batch: &Batch) -> Result<Committed> {
        let mut salvage = Salvage::new(batch);
        while self.salvage_step(&mut salvage).await? {}
        Ok(salvage.into_committed())
    }

    /// Runs one transaction of a salvage; returns false when all rows are durable. A batch of n rows takes at most 2n transactions, plus one for each 500
    /// invalid rows. So a caller should apply its time limit to each step. After an error or a cancelled step, start again with the same batch.
    pub async fn salvage_step(&mut self, salvage: &mut Salvage) -> Result<bool> {
        let is_last = salvage.parts.is_empty();
        if salvage.letters.len() >= LETTERS_TOGETHER || is_last && !salvage.letters.is_empty() {
            let dead = std::mem::take(&mut salvage.letters);
            salvage.stored.add(self.commit(&Batch { dead, ..Batch::default() }).await?);
            return Ok(true);
        }
        let Some(part) = salvage.parts.pop() else { return Ok(false) };
        match self.commit(&part).await {
            Ok(committed) => salvage.stored.add(committed),
            Err(error) if error.is_permanent() && part.row_count() > 1 => {
                let (first, second) = part.halve();
                salvage.parts.extend([second, first]);
            }
            Err(error) if error.is_permanent() => salvage.letters.extend(part.unstorable(&error.to_string())),
            Err(error) => return Err(error),
        }
        Ok(true)
    }
}

impl Batch {
    /// Returns whether the batch has no rows.
    pub fn is_empty(&self) -> bool {
        self.row_count() == 0
    }

    /// Returns the number of rows.
    pub fn row_count(&self) -> usize {
        let Self { samples, events, dead, doubts, gateways, devices, counts } = self;
        samples.len() + events.len() + dead.len() + doubts.len() + gateways.len() + devices.len() + counts.len()
    }

    /// Moves all rows of another batch to the end of this one.
    pub fn append(&mut self, other: &mut Self) {
        self.samples.append(&mut other.samples);
        self.events.append(&mut other.events);
        self.dead.append(&mut other.dead);
        self.doubts.append(&mut other.doubts);
        self.gateways.append(&mut other.gateways);
        self.devices.append(&mut other.devices);
        self.counts.append(&mut other.counts);
    }

    fn halve(mut self) -> (Self, Self) {
        fn split<T>(rows: &mut Vec<T>, keep: &mut usize) -> Vec<T> {
            let here = rows.len().min(*keep);
            *keep -= here;
            rows.split_off(here)
        }
        let mut keep = self.row_count() / 2;
        let second = Self {
            samples: split(&mut self.samples, &mut keep),
            events: split(&mut self.events, &mut keep),
            dead: split(&mut self.dead, &mut keep),
            doubts: split(&mut self.doubts, &mut keep),
            gateways: split(&mut self.gateways, &mut keep),
            devices: split(&mut self.devices, &mut keep),
            counts: split(&mut self.counts, &mut keep),
        };
        (self, second)
    }

    /// Returns the dead letter for a single row that cannot be stored; `None` for a dead letter or a mark, for which no dead letter is needed.
    fn unstorable(&self, why: &str) -> Option<DeadLetter> {
        let sample = self.samples.first().map(|sample| (sample.point, sample.reading));
        let event = self.events.first().map(|event| (event.point, event.reading));
        let (point, reading) = sample.or(event)?;
        // Without the utility: the error can be that the point does not belong to it.
        Some(DeadLetter {
            client: None,
            topic: format!("point/{point}"),
            reason: "unstorable".to_owned(),
            detail: format!("{why}: {:?} with quality {} at {} µs", reading.value, reading.quality.code(), reading.source.0),
            payload: Vec::new(),
            received: reading.received,
        })
    }
}

impl Committed {
    fn add(&mut self, other: Self) {
        self.samples_new += other.samples_new;
        self.samples_duplicate += other.samples_duplicate;
        self.conflicts += other.conflicts;
        self.events.extend(other.events);
    }
}
