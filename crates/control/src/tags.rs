//! Tags on devices: a caution warns, an inhibit blocks.

use std::time::Instant;

use grid::area::Place;
use grid::command::TagRecord;
use grid::control::AddCause;
use grid::control::machine::Event;
use grid::{ClientId, MemberId};
use store::audit::Origin;
use store::control::{NewTag, Site, TagChange};
use wire::bus::BusMessage;
use wire::control::TagRow;

use crate::error::Error;
use crate::handle::Control;
use crate::open::Links;
use crate::steps::steps;

impl Control {
    /// Places a tag. An inhibit ends a selection, and the gateway receives a cancel. Both happen even if the caller stops waiting.
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
        let change = placing.await.unwrap_or(Err(Error::Internal))?;
        if let Some(change) = &change {
            self.publish_tags(client, change);
        }
        Ok(change)
    }

    /// Removes a tag if `may` permits it, which returns the places of what the tag covers.
    pub async fn remove_tag<E>(
        &self,
        client: ClientId,
        id: i64,
        by: MemberId,
        reason: &str,
        origin: &Origin,
        may: impl FnOnce(&TagRecord) -> Result<Vec<Place>, E>,
    ) -> Result<Option<Result<TagChange, E>>, Error> {
        let removed = self.0.store.remove_tag(client, id, by, reason, origin, may).await?;
        if let Some(Ok(change)) = &removed {
            self.publish_tags(client, change);
        }
        Ok(removed)
    }

    /// Publishes the tags of a substation to the hubs.
    fn publish_tags(&self, client: ClientId, change: &TagChange) {
        let tags = change.tags.iter().map(TagRow::from).collect();
        self.0.bus.publish(BusMessage::Tags { client: client.0, location: change.tag.location.0, version: change.version, tags });
    }
}
