//! Areas of responsibility: who sits where, and who holds what. A change ends the selections that their desk may no longer execute.

use std::sync::Arc;
use std::time::Instant;

use grid::area::handover::Act;
use grid::area::plan::Plan;
use grid::area::seating::SeatAct;
use grid::area::{OutsideArea, Place};
use grid::control::Refusal;
use grid::control::machine::Event;
use grid::{AreaId, ClientId};
use registry::Field;
use store::audit::Origin;
use store::control::{AreaChange, AreaRefusal, HandOver, SelectionEnd, Site};
use wire::bus::BusMessage;

use crate::error::Error;
use crate::handle::Control;
use crate::open::Links;
use crate::steps::steps;

/// A change of the areas of a utility.
#[derive(Debug, Clone)]
pub enum AreaAct {
    /// Carries out an act about a desk, with the reason that the user gave; empty where none is required.
    Seat(SeatAct, String),
    /// Carries out an act about an area, with the reason that the user gave.
    HandOver(AreaId, Act, String),
    /// Replaces the areas and desks.
    Replace(Plan),
}

impl Control {
    /// Carries out a change of areas for a session. Continues to the end even if the caller stops waiting.
    pub async fn change_areas(
        &self,
        field: Arc<Field>,
        session: i64,
        act: AreaAct,
        origin: Origin,
    ) -> Result<Result<AreaChange, AreaRefusal>, Error> {
        let control = self.clone();
        let changing = tokio::spawn(async move { control.changed(&field, session, act, &origin).await });
        changing.await.unwrap_or(Err(Error::Internal))
    }

    async fn changed(&self, field: &Field, session: i64, act: AreaAct, origin: &Origin) -> Result<Result<AreaChange, AreaRefusal>, Error> {
        let client = field.client().id;
        let places = |site: &Site| places_of(field, site);
        let block = |site: &Site, outside: &OutsideArea| steps(site, std::iter::once(Event::Blocked(Refusal::from(outside))));
        let end = SelectionEnd { places: &places, block: &block };
        let store = &self.0.store;
        let changed = match act {
            AreaAct::Seat(act, reason) => store.seat(client, session, act, &reason, origin, &end).await?,
            AreaAct::HandOver(area, act, reason) => {
                store.hand_over(client, session, HandOver { area, act, reason: &reason }, origin, &end).await?
            }
            AreaAct::Replace(plan) => store.replace_areas(client, session, &plan, origin, &end).await?,
        };
        if let Ok(change) = &changed {
            let links = Links::unknown(Instant::now());
            change.dropped.iter().for_each(|dropped| self.carry_out(dropped, links));
            self.publish_areas(client, change.version);
        }
        Ok(changed)
    }

    /// Informs the hubs that the areas of a utility have changed.
    fn publish_areas(&self, client: ClientId, version: i64) {
        self.0.bus.publish(BusMessage::Areas { client: client.0, version });
    }
}

/// Returns the places of a switch.
fn places_of(field: &Field, site: &Site) -> Vec<Place> {
    field.asset(site.asset).map_or_else(|| vec![field.place_of_node(site.location)], |asset| field.places_of_asset(asset))
}
