//! Tags on devices: a caution warns, an inhibit blocks.

use std::time::Instant;

use grid::ClientId;
use grid::command::TagRecord;
use grid::control::AddCause;
use grid::control::machine::Event;
use store::audit::Origin;
use store::control::{NewTag, Site, TagChange};

use crate::error::Error;
use crate::handle::Control;
use crate::open::Links;
use crate::steps::steps;

impl Control {
    /// Hangs a tag. An inhibit ends what is only selected, and the gateway is told; that goes on whether or not somebody still waits for it.
    pub async fn place_tag(&self, client: ClientId, new: NewTag, origin: Origin) -> Result<Option<TagChange>, Error> {
        let control = self.clone();
        let placing = tokio::spawn(async move {
            let blocked = |site: &Site, tag: &TagRecord| {
                let refusal = AddCause::BlockedByCommand.because(format!("Tagged by {}: {}", tag.holder, tag.reason));
                steps(site, std::iter::once(Event::Blocked(refusal)))
            };
            let links = Links::unknown(Instant::now());
            let change = control.0.store.place_tag(client, &new, &origin, blocked).await?;
            change.iter().flat_map(|change| &change.dropped).for_each(|dropped| control.carry_out(dropped, links));
            Ok(change)
        });
        placing.await.unwrap_or(Err(Error::Internal))
    }
}
