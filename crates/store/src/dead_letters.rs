//! Input that could not be taken.

use grid::ClientId;

use crate::writer::DeadLetter;
use crate::{Result, Store};

/// A stored dead letter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeadLetterRecord {
    /// Its number, rising.
    pub id: i64,
    /// What was refused and why.
    pub letter: DeadLetter,
}

impl Store {
    /// The newest dead letters, newest first; of one utility, or of all and those without one with `None`.
    pub async fn dead_letters(&self, client: Option<ClientId>, limit: i64) -> Result<Vec<DeadLetterRecord>> {
        let _ = (client, limit);
        todo!()
    }

    /// How many there are.
    pub async fn dead_letter_count(&self, client: Option<ClientId>) -> Result<i64> {
        let _ = client;
        todo!()
    }
}
