//! Tickets: a user who has just given their credentials may operate once. The transaction of the command marks the ticket as used.

use grid::AssetId;
use grid::control::Throw;

use crate::clock;
use crate::error::Error;
use crate::handle::Control;

/// Lifetime of a ticket, s.
pub const TICKET_S: i64 = 60;

impl Control {
    /// Stores a ticket for one operation of this session. `asset` and `direction` limit it to one device and one target position.
    pub async fn put_ticket(&self, session: i64, asset: Option<AssetId>, direction: Option<Throw>) -> Result<(), Error> {
        let until = clock::now().plus_millis(TICKET_S * 1_000);
        let kept = self.0.store.put_ticket(session, asset, direction.map(|throw| throw.code() as i16), until).await?;
        kept.then_some(()).ok_or(Error::SessionOver)
    }
}
