//! Tickets: a user who has just given their credentials may operate once. The transaction of a command spends the ticket.

use grid::AssetId;
use grid::control::Throw;

use crate::clock;
use crate::error::Error;
use crate::handle::Control;

/// How long a ticket is good, s.
pub const TICKET_S: i64 = 60;

impl Control {
    /// Keeps a ticket for one operation of this session, of one device to one position where they are given.
    pub async fn put_ticket(&self, session: i64, asset: Option<AssetId>, direction: Option<Throw>) -> Result<(), Error> {
        let until = clock::now().plus_millis(TICKET_S * 1_000);
        let kept = self.0.store.put_ticket(session, asset, direction.map(|throw| throw.code() as i16), until).await?;
        kept.then_some(()).ok_or(Error::SessionOver)
    }
}
