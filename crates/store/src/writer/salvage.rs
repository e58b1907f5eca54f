//! A batch that the database refuses for ever, taken apart until only what is refused is left over.

use super::Writer;
use super::rows::{Batch, Committed, DeadLetter};
use crate::Result;

/// Dead letters of a salvage that are stored together: a transaction for each would take longer than all the rest.
const LETTERS_TOGETHER: usize = 500;

/// A batch that is being taken apart.
#[derive(Debug)]
pub struct Salvage {
    /// What has not been tried yet. Depth first, the earlier half on top: it never holds more than one half of each size.
    parts: Vec<Batch>,
    /// What cannot be stored, and is not stored as dead letters yet.
    letters: Vec<DeadLetter>,
    stored: Committed,
}

impl Salvage {
    /// Begins with a batch whose commit failed with a permanent error.
    pub fn new(batch: &Batch) -> Self {
        Self { parts: vec![batch.clone()], letters: Vec::new(), stored: Committed::default() }
    }

    /// What was stored so far.
    pub fn into_committed(self) -> Committed {
        self.stored
    }
}

impl Writer {
    /// For a batch whose commit failed with a permanent error: halves it until what is good is stored and each bad row is a dead letter with
    /// reason `unstorable`. Several transactions, so only a success means that all of it is durable; on an error call it again with the
    /// same batch. Events keep their order.
    pub async fn salvage(&mut self, batch: &Batch) -> Result<Committed> {
        let mut salvage = Salvage::new(batch);
        while self.salvage_step(&mut salvage).await? {}
        Ok(salvage.into_committed())
    }

    /// Makes one transaction of a salvage; false when all of it is durable. A batch of n rows takes at most 2n of them and one for each 500 bad rows, so a
    /// caller with a time limit applies it to the step and not to the whole. On an error, or when a step is given up, begin again with the same batch.
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
    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.row_count() == 0
    }

    /// How many rows there are in it.
    pub fn row_count(&self) -> usize {
        self.samples.len() + self.events.len() + self.dead.len() + self.gateways.len() + self.devices.len() + self.counts.len()
    }

    /// Takes over all rows of another batch, behind its own.
    pub fn append(&mut self, other: &mut Self) {
        self.samples.append(&mut other.samples);
        self.events.append(&mut other.events);
        self.dead.append(&mut other.dead);
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
            gateways: split(&mut self.gateways, &mut keep),
            devices: split(&mut self.devices, &mut keep),
            counts: split(&mut self.counts, &mut keep),
        };
        (self, second)
    }

    /// The dead letter for the one row that cannot be stored; `None` for a dead letter or a mark, which say nothing worth keeping by themselves.
    fn unstorable(&self, why: &str) -> Option<DeadLetter> {
        let sample = self.samples.first().map(|sample| (sample.point, sample.reading));
        let event = self.events.first().map(|event| (event.point, event.reading));
        let (point, reading) = sample.or(event)?;
        // Without the client: that the point is not one of this client may be just what is wrong.
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
