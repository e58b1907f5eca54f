//! What can be entered by hand, and why an entry is refused.

use grid::manual_entry::{EntryRule, EntryTerms, OBSERVED_AGE_MAX_MS, ObservedError, PlausibleRange, check_observed, plausible};
use grid::measure::Quantity;
use grid::{Micros, Ordinal, Point, PointId};
use network::description::POSITION;
use network::{Contact, EquipmentId, EquipmentKind, Phases};
use registry::{Field, PresentNetwork};
use store::manual_entry::{EntrySubject, REASON_CHARACTERS_MAX, SamePosition};
use wire::manual_entry::{EnterableMeasurement, NewManualEntry};
use wire::time::parse_iso;

use super::entry_row::{EntryView, phases_of};
use super::present::Seen;
use crate::error::Error;
use crate::routes::alarms::text;

/// A double point.
const OPEN: f64 = 1.0;
const CLOSED: f64 = 2.0;
const MS_OF_DAY: i64 = 24 * 60 * 60 * 1_000;

/// Quantities that can be entered for any equipment.
const QUANTITIES: [&str; 13] = ["Vry", "Vyb", "Vbr", "Vr", "Vy", "Vb", "Ir", "Iy", "Ib", "P", "Q", "S", "Pf"];
/// Further quantities of transformers.
const OF_TRANSFORMERS: [&str; 3] = ["Tap", "OTI", "WTI"];

/// A checked entry.
pub(crate) struct CheckedEntry {
    pub(crate) subject: EntrySubject,
    pub(crate) quantity: String,
    pub(crate) phases: Phases,
    pub(crate) value: f64,
    /// What else has the position that is entered.
    pub(crate) same: SamePosition,
    /// The points that report the value, and by which the switch is operated.
    pub(crate) points: Vec<PointId>,
}

/// Returns a reason in its stored form.
pub(crate) fn checked_reason(reason: &str) -> Result<String, Error> {
    text(reason, REASON_CHARACTERS_MAX)
        .ok_or_else(|| Error::BadRequest(format!("reason must have 1 to {REASON_CHARACTERS_MAX} characters without control characters")))
}

/// Returns the rule and the times of an entry. All readings so far count as seen: only one that was measured after the observation is newer. `entered`: the time of
/// the database.
pub(crate) fn terms(new: &NewManualEntry, entered: Micros) -> Result<EntryTerms, Error> {
    let rule = new.rule.as_deref().map_or(Some(EntryRule::UntilReported), EntryRule::parse);
    let rule = rule.ok_or_else(|| Error::BadRequest("rule must be untilReported or untilWithdrawn".to_owned()))?;
    let observed = new.observed.as_deref().map_or(Some(entered), parse_iso);
    let observed = observed.ok_or_else(|| Error::BadRequest("observed must be a time such as 2026-11-27T10:00:00Z".to_owned()))?;
    check_observed(observed, entered).map_err(|error| match error {
        ObservedError::Future => Error::BadRequest("observed must not be in the future".to_owned()),
        ObservedError::Old => Error::BadRequest(format!("observed must be at most {} days ago", OBSERVED_AGE_MAX_MS / MS_OF_DAY)),
    })?;
    Ok(EntryTerms { rule, observed: observed.min(entered), entered, seen: Some(Ordinal::HIGHEST) })
}

/// Checks an entry against what it is for.
pub(crate) fn checked(of: &EntryView, new: &NewManualEntry, terms: EntryTerms) -> Result<CheckedEntry, Error> {
    match (&new.equipment, new.point_id) {
        (Some(id), None) => {
            let seen = of.seen.as_ref().ok_or(Error::NotFound)?;
            let equipment =
                seen.network().active().model().equipment(id).filter(|of| seen.equipment(*of).is_some()).ok_or(Error::NotFound)?;
            match new.quantity.as_deref().unwrap_or(POSITION) {
                POSITION => position_of_equipment(of, seen, equipment, new, terms),
                quantity => match point_measuring(of, seen, equipment, quantity) {
                    Some(point) => measurement_of_point(of, point, new, terms),
                    None => measurement_of_equipment(seen, equipment, quantity, new),
                },
            }
        }
        (None, Some(point)) => {
            let point = super::present::visible_point(&of.view, point)?;
            let code = of.view.field.point(point).map(|point| point.code.clone()).unwrap_or_default();
            if new.quantity.as_ref().is_some_and(|quantity| *quantity != code) {
                return Err(Error::BadRequest(format!("quantity must be {code}, the code of the point, or absent")));
            }
            let moved = of.seen.as_ref().and_then(|seen| Some((seen, *seen.network().positions().equipment_of(point).first()?)));
            match moved.filter(|_| code == POSITION) {
                Some((seen, equipment)) => position_of_equipment(of, seen, equipment, new, terms),
                None if code == POSITION => position_of_point(of, point, new, terms),
                None => measurement_of_point(of, point, new, terms),
            }
        }
        _ => Err(Error::BadRequest("give one of equipment and pointId".to_owned())),
    }
}

/// Returns the points whose last readings an entry depends on.
pub(crate) fn points_of(seen: Option<&Seen>, view: &identity::View, new: &NewManualEntry) -> Vec<PointId> {
    let of_equipment = || {
        let seen = seen?;
        let equipment = seen.network().active().model().equipment(new.equipment.as_deref()?)?;
        Some(view.field.equipment_points(seen.network().active()).all(equipment).collect())
    };
    new.point_id.map(|point| vec![PointId(point)]).or_else(of_equipment).unwrap_or_default()
}

/// Returns the visible point that measures a quantity of equipment.
fn point_measuring(of: &EntryView, seen: &Seen, equipment: EquipmentId, quantity: &str) -> Option<PointId> {
    let points = of.view.field.equipment_points(seen.network().active());
    let is_it = |point: &PointId| {
        let known = of.view.field.point(*point).filter(|known| known.code == quantity && known.encoding().is_none());
        known.and_then(|known| of.view.field.node(known.location)).is_some_and(|node| of.view.sees(node))
    };
    points.all(equipment).find(is_it)
}

fn double_point(new: &NewManualEntry) -> Result<f64, Error> {
    if new.value.is_some() || new.unit.is_some() {
        return Err(Error::BadRequest("value and unit are for measurements; give position".to_owned()));
    }
    match new.position.as_deref() {
        Some("open") => Ok(OPEN),
        Some("closed") => Ok(CLOSED),
        _ => Err(Error::BadRequest("position must be open or closed".to_owned())),
    }
}

fn position_of_equipment(
    of: &EntryView,
    seen: &Seen,
    equipment: EquipmentId,
    new: &NewManualEntry,
    terms: EntryTerms,
) -> Result<CheckedEntry, Error> {
    let value = double_point(new)?;
    let (network, active) = (seen.network(), seen.network().active());
    if !active.has_manual_position(equipment) {
        return Err(Error::BadRequest(
            "equipment must be a switch or an earth switch in service, or a source, generator or battery in service whose voltage is not measured"
                .to_owned(),
        ));
    }
    let phases = phases(seen, equipment, new.phases.as_deref())?;
    let counting = phases_of(seen, equipment, phases);
    if terms.rule == EntryRule::UntilReported && network.reported_position(equipment, counting) != Contact::Unknown {
        return Err(reported("A point reports the position of this equipment"));
    }
    if !network.would_count(equipment, counting, terms) {
        return Err(newer());
    }
    let subject = EntrySubject::Equipment { id: active.model().equipment_name(equipment).to_owned(), version: active.version() };
    let same = same_position(network, equipment, phases, counting);
    let points = position_points(&of.view.field, network, equipment);
    Ok(CheckedEntry { subject, quantity: POSITION.to_owned(), phases, value, same, points })
}

/// Returns the points that report the position of equipment and of what moves together with it, and those of the assets with the names of the equipment: a switch
/// is operated by them also if the network does not bind them.
fn position_points(field: &Field, network: &PresentNetwork, equipment: EquipmentId) -> Vec<PointId> {
    let positions = network.positions();
    let together = positions.moved_with(equipment);
    let mut points: Vec<PointId> = together.iter().flat_map(|of| positions.points_of(*of)).copied().collect();
    let assets = together.iter().filter_map(|of| network.place_of(field, *of).asset);
    points.extend(assets.flat_map(|asset| field.points_of(asset.id)).filter(|point| point.code == POSITION).map(|point| point.id));
    points.sort_unstable();
    points.dedup();
    points
}

/// Returns what else has the position of some phases of equipment: the points that report them, and what moves with it.
fn same_position(network: &PresentNetwork, equipment: EquipmentId, phases: Phases, counting: Phases) -> SamePosition {
    let positions = network.positions();
    let together = if phases.is_empty() { positions.moved_with(equipment) } else { [equipment].into() };
    let is_within = |point: &PointId| {
        let reported = network.reported_by(*point);
        phases.is_empty() || reported.iter().all(|(of, phases)| *of == equipment && phases.without(counting).is_empty())
    };
    let points = together.iter().flat_map(|of| positions.points_of(*of)).copied().filter(is_within).collect();
    let others = together.iter().filter(|of| **of != equipment);
    SamePosition { points, equipment: others.map(|of| network.active().model().equipment_name(*of).to_owned()).collect() }
}

/// Returns the phases of an entry; none if they are all phases.
fn phases(seen: &Seen, equipment: EquipmentId, given: Option<&str>) -> Result<Phases, Error> {
    let Some(given) = given.filter(|given| !given.is_empty()) else { return Ok(Phases::NONE) };
    let model = seen.network().active().model();
    let all = model.phases_with_contact(equipment);
    let phases = Phases::parse(given).filter(|phases| !phases.is_empty() && phases.without(all).is_empty());
    let phases = phases.ok_or_else(|| Error::BadRequest(format!("phases must be some of {all}, the phases of this equipment")))?;
    if phases == all {
        return Ok(Phases::NONE);
    }
    if !model.kind(equipment).has_position_for_each_phase() {
        return Err(Error::BadRequest("phases must be absent: all phases of this switch move together".to_owned()));
    }
    Ok(phases)
}

fn position_of_point(of: &EntryView, point: PointId, new: &NewManualEntry, terms: EntryTerms) -> Result<CheckedEntry, Error> {
    let value = double_point(new)?;
    if new.phases.is_some() {
        return Err(Error::BadRequest("phases must be absent: the point is no equipment of the network".to_owned()));
    }
    if terms.rule == EntryRule::UntilReported && of.reported_position(point).is_some() {
        return Err(reported("The point reports its position"));
    }
    if !terms.counts(of.last(point)) {
        return Err(newer());
    }
    Ok(CheckedEntry {
        subject: EntrySubject::Point(point),
        quantity: POSITION.to_owned(),
        phases: Phases::NONE,
        value,
        same: SamePosition::default(),
        points: vec![point],
    })
}

fn measurement_of_point(of: &EntryView, id: PointId, new: &NewManualEntry, terms: EntryTerms) -> Result<CheckedEntry, Error> {
    let point = of.view.field.point(id).ok_or(Error::NotFound)?;
    let value = measured(new, &point.code, point.quantity, &point.unit, nominal_kv(of, id))?;
    if terms.rule == EntryRule::UntilReported && of.reported_value(id).is_some() {
        return Err(reported("The point reports this value"));
    }
    if !terms.counts(of.last(id)) {
        return Err(newer());
    }
    Ok(CheckedEntry {
        subject: EntrySubject::Point(id),
        quantity: point.code.clone(),
        phases: Phases::NONE,
        value,
        same: SamePosition::default(),
        points: vec![id],
    })
}

fn measurement_of_equipment(seen: &Seen, equipment: EquipmentId, quantity: &str, new: &NewManualEntry) -> Result<CheckedEntry, Error> {
    let active = seen.network().active();
    let allowed = quantities(active.model().kind(equipment));
    if !allowed.contains(&quantity) {
        return Err(Error::BadRequest(format!("quantity must be one of {POSITION}, {}", allowed.join(", "))));
    }
    let of = Quantity::of_code(quantity);
    let value = measured(new, quantity, of, of.unit(), active.nominal_kv(equipment).map(f64::from))?;
    let subject = EntrySubject::Equipment { id: active.model().equipment_name(equipment).to_owned(), version: active.version() };
    let same = SamePosition::default();
    Ok(CheckedEntry { subject, quantity: quantity.to_owned(), phases: Phases::NONE, value, same, points: Vec::new() })
}

/// Returns the quantities that can be entered for a kind of equipment.
fn quantities(kind: EquipmentKind) -> Vec<&'static str> {
    let further: &[&str] = if kind == EquipmentKind::PowerTransformer { &OF_TRANSFORMERS } else { &[] };
    QUANTITIES.iter().chain(further).copied().collect()
}

/// Returns the measurements that can be entered for equipment.
pub(crate) fn enterable(of: &EntryView, seen: &Seen, equipment: EquipmentId) -> Vec<EnterableMeasurement> {
    let active = seen.network().active();
    let nominal = active.nominal_kv(equipment).map(f64::from);
    let measurement = |code: &str| {
        let range = plausible(code, Quantity::of_code(code), nominal)?;
        let point = point_measuring(of, seen, equipment, code);
        let unit = point.and_then(|point| of.view.field.point(point)).map(|point| point.unit.clone());
        Some(EnterableMeasurement {
            quantity: code.to_owned(),
            unit: unit.unwrap_or_else(|| Quantity::of_code(code).unit().to_owned()),
            least: range.least,
            greatest: range.greatest,
            point_id: point.map(|point| point.0),
        })
    };
    quantities(active.model().kind(equipment)).into_iter().filter_map(measurement).collect()
}

/// Returns the measurement of a point that can be entered; `None` for registers and the like.
pub(crate) fn measurable(of: &EntryView, point: &Point) -> Option<EnterableMeasurement> {
    let range = plausible(&point.code, point.quantity, nominal_kv(of, point.id))?;
    Some(EnterableMeasurement {
        quantity: point.code.clone(),
        unit: point.unit.clone(),
        least: range.least,
        greatest: range.greatest,
        point_id: Some(point.id.0),
    })
}

/// Returns the nominal voltage of the equipment at which a point measures.
fn nominal_kv(of: &EntryView, point: PointId) -> Option<f64> {
    let active = of.seen.as_ref()?.network().active();
    let equipment = of.view.field.equipment_points(active).measured_by(&[point].into());
    equipment.first().and_then(|equipment| active.nominal_kv(*equipment)).map(f64::from)
}

/// Returns the value of a measurement, if it is plausible in its unit.
fn measured(new: &NewManualEntry, code: &str, quantity: Quantity, unit: &str, nominal_kv: Option<f64>) -> Result<f64, Error> {
    let Some(range) = plausible(code, quantity, nominal_kv) else {
        return Err(Error::BadRequest(format!("quantity must be a position or a measurement; {code} is a register, a signal or unknown")));
    };
    if new.position.is_some() || new.phases.is_some() {
        return Err(Error::BadRequest("position and phases are for switches; give value".to_owned()));
    }
    if new.unit.as_ref().is_some_and(|given| given != unit) {
        return Err(Error::BadRequest(format!("unit must be {unit}")));
    }
    let is_plausible = |value: &f64| value.is_finite() && range.contains(*value);
    new.value.filter(is_plausible).ok_or_else(|| Error::BadRequest(implausible(range, unit, quantity, nominal_kv)))
}

fn implausible(range: PlausibleRange, unit: &str, quantity: Quantity, nominal_kv: Option<f64>) -> String {
    let nominal = nominal_kv.filter(|_| quantity == Quantity::Voltage).map(|kv| format!(": the nominal voltage is {} {unit}", short(kv)));
    format!("value must be from {} to {} {unit}{}", short(range.least), short(range.greatest), nominal.unwrap_or_default())
}

/// Returns a number with at most two decimals.
fn short(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn reported(what: &str) -> Error {
    Error::Impossible(format!(
        "{what}, and the report counts. Nothing was entered. If the point is known to be wrong, enter the value until it is withdrawn."
    ))
}

fn newer() -> Error {
    Error::Impossible("A report is newer than the observation, and the report counts. Nothing was entered.".to_owned())
}
