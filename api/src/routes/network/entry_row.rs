//! Manual entries as a user may see them.

use std::collections::HashMap;

use grid::area::Place;
use grid::position::{Encoding, Position};
use grid::{PointId, Quality, Reading, freshness};
use identity::View;
use network::description::POSITION;
use network::{Contact, EquipmentId, Phases};
use store::manual_entry::{EntrySubject, ManualEntry};
use wire::manual_entry::ManualEntryRow;
use wire::time::iso;

use super::loaded::{LOADING, found_by, is_loaded, not_loaded};
use super::present::Seen;
use crate::error::Error;
use crate::state::Services;

/// Why an entry does not count.
const MISSING: &str = "The active version of the network has no such equipment. Withdraw the entry.";
const LAPSED: &str = "A version of the network without this equipment was active since the entry, so it may be another device now. Withdraw the entry, or enter the value again.";

/// A user's utility with its present network, and the last readings of the points with entries.
pub(crate) struct EntryView {
    pub(crate) view: View,
    /// `None` if no version is in memory.
    pub(crate) seen: Option<Seen>,
    /// Whether the network is the version that is active now.
    is_loaded: bool,
    latest: HashMap<PointId, Reading>,
    /// The same with the quality that the links permit.
    linked: HashMap<PointId, Reading>,
}

impl EntryView {
    /// Reads the present network and the last readings of some points.
    pub(crate) async fn read(services: &Services, view: View, points: &[PointId]) -> Result<Self, Error> {
        let seen = Seen::read(services, view.clone()).await?;
        let is_loaded = is_loaded(services, &view).await?;
        let latest = services.store().latest_of_points(view.principal.client, points).await?;
        let linked = view.field.reported(latest.clone(), Services::now());
        Ok(Self { view, seen, is_loaded, latest: latest.into_iter().collect(), linked })
    }

    /// Returns the last reading of a point, with the quality that was reported.
    pub(crate) fn last(&self, point: PointId) -> Option<&Reading> {
        self.latest.get(&point)
    }

    /// Returns the value that a point reports now; `None` if it reports nothing that is valid.
    pub(crate) fn reported_value(&self, point: PointId) -> Option<f64> {
        let (reading, known) = (self.linked.get(&point)?, self.view.field.point(point)?);
        let quality = freshness::shown_quality(reading.quality, reading.source, Services::now(), known.age_limit_ms(), true);
        reading.value.filter(|_| quality <= Quality::Questionable)
    }

    /// Returns the position that a point reports now.
    pub(crate) fn reported_position(&self, point: PointId) -> Option<&'static str> {
        let encoding = self.view.field.point(point)?.encoding()?;
        text_of(Position::decode(encoding, self.reported_value(point)?))
    }

    /// Returns an entry as the user may see it; `None` if it is about something that does not exist any more, or that the user may not see.
    pub(crate) fn row(&self, entry: &ManualEntry) -> Option<ManualEntryRow> {
        let is_position = entry.quantity == POSITION;
        let entered = is_position.then(|| Position::decode(Encoding::DoublePoint, entry.value));
        let row = ManualEntryRow {
            id: entry.id,
            equipment: None,
            name: String::new(),
            station_id: None,
            station: None,
            asset_id: None,
            point_id: None,
            quantity: entry.quantity.clone(),
            position: entered.and_then(text_of).map(str::to_owned),
            value: (!is_position).then_some(entry.value),
            unit: String::new(),
            phases: entry.phases.to_string(),
            reason: entry.reason.clone(),
            by: entry.by.clone(),
            observed: iso(entry.terms.observed),
            entered: iso(entry.terms.entered),
            rule: entry.terms.rule.as_str().to_owned(),
            counts: true,
            problem: None,
            reported_position: None,
            reported_value: None,
        };
        match &entry.subject {
            EntrySubject::Point(point) => self.row_of_point(*point, entry, row),
            EntrySubject::Equipment { id, .. } => self.row_of_equipment(id, entry, row),
        }
    }

    /// Returns the places of what an entry is for in the areas of responsibility. Equipment that the active version lacks is in no part of an area.
    ///
    /// # Errors
    /// Its point does not exist, or the active version, which is not in memory, may have its equipment.
    pub(crate) fn area_places(&self, subject: &EntrySubject) -> Result<Vec<Place>, Error> {
        match subject {
            EntrySubject::Point(id) => {
                let (field, point) = (&self.view.field, self.view.field.point(*id).ok_or(Error::NotFound)?);
                Ok(field.asset(point.asset).map_or_else(|| vec![field.place_of_node(point.location)], |asset| field.places_of_asset(asset)))
            }
            EntrySubject::Equipment { id, .. } => {
                let found = self.seen.as_ref().and_then(|seen| Some((seen, seen.network().active().model().equipment(id)?)));
                let Some((seen, equipment)) = found else {
                    let lacking = Place::new([], &[]).found_by(found_by(&self.view.field));
                    return if self.is_loaded { Ok(vec![lacking]) } else { Err(not_loaded()) };
                };
                let together = seen.network().positions().moved_with(equipment);
                Ok(together.into_iter().flat_map(|of| seen.area_places(of)).collect())
            }
        }
    }

    fn row_of_point(&self, id: PointId, entry: &ManualEntry, row: ManualEntryRow) -> Option<ManualEntryRow> {
        let point = self.view.field.point(id)?;
        let station = self.view.field.node(point.location).filter(|node| self.view.sees(node))?;
        let reported = self.reported_value(id);
        let of_network = self.seen.as_ref().filter(|_| entry.quantity == POSITION);
        let moved = of_network.and_then(|seen| Some((seen, *seen.network().reported_by(id).first()?)));
        Some(ManualEntryRow {
            name: point.asset_name.clone(),
            station_id: Some(station.id.0),
            station: Some(station.name.clone()),
            asset_id: Some(point.asset.0),
            point_id: Some(id.0),
            unit: point.unit.clone(),
            counts: moved.map_or_else(|| entry.terms.counts(self.last(id)), |(seen, (of, phases))| counts_at(seen, of, phases, entry)),
            reported_position: self.reported_position(id).map(str::to_owned),
            reported_value: reported.filter(|_| point.encoding().is_none()),
            ..row
        })
    }

    fn row_of_equipment(&self, id: &str, entry: &ManualEntry, row: ManualEntryRow) -> Option<ManualEntryRow> {
        let found = self.seen.as_ref().and_then(|seen| Some((seen, seen.network().active().model().equipment(id)?)));
        let Some((seen, equipment)) = found else {
            let principal = &self.view.principal;
            let problem = if self.is_loaded { MISSING } else { LOADING };
            let row = ManualEntryRow { name: id.to_owned(), counts: false, problem: Some(problem.to_owned()), ..row };
            return principal.may_see_all(principal.client).then_some(row);
        };
        let own = seen.equipment(equipment)?;
        let is_lapsed = seen.network().active().is_lapsed(entry.id);
        let is_position = entry.quantity == POSITION;
        let reported = is_position.then(|| seen.network().reported_position(equipment, phases_of(seen, equipment, entry.phases)));
        Some(ManualEntryRow {
            name: own.name.clone(),
            station_id: own.station_id,
            station: own.station.clone(),
            asset_id: own.asset_id,
            point_id: own.point_id.filter(|_| is_position),
            unit: if is_position { String::new() } else { grid::measure::Quantity::of_code(&entry.quantity).unit().to_owned() },
            counts: !is_lapsed && counts(seen, equipment, entry),
            problem: is_lapsed.then(|| LAPSED.to_owned()),
            reported_position: reported.and_then(contact_text).map(str::to_owned),
            equipment: Some(own),
            ..row
        })
    }
}

/// Returns whether an entry for equipment determines anything.
fn counts(seen: &Seen, equipment: EquipmentId, entry: &ManualEntry) -> bool {
    if entry.quantity != POSITION {
        return true;
    }
    counts_at(seen, equipment, phases_of(seen, equipment, entry.phases), entry)
}

/// Returns whether an entry determines the position of any of some phases.
fn counts_at(seen: &Seen, equipment: EquipmentId, phases: Phases, entry: &ManualEntry) -> bool {
    phases.iter().any(|phase| seen.network().entry_of(equipment, phase).is_some_and(|of| of.terms == entry.terms))
}

/// Returns the phases of an entry. None are all phases of the equipment.
pub(crate) fn phases_of(seen: &Seen, equipment: EquipmentId, phases: Phases) -> Phases {
    let all = seen.network().active().model().phases_with_contact(equipment);
    if phases.is_empty() { all } else { phases.intersection(all) }
}

pub(crate) fn contact_text(contact: Contact) -> Option<&'static str> {
    match contact {
        Contact::Open => Some("open"),
        Contact::Closed => Some("closed"),
        Contact::Unknown => None,
    }
}

fn text_of(position: Position) -> Option<&'static str> {
    match position {
        Position::Open => Some("open"),
        Position::Closed => Some("closed"),
        _ => None,
    }
}
