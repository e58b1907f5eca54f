//! GET /api/network/abnormal: the switches that are not in their normal position.

use std::collections::HashMap;

use axum::Json;
use axum::extract::State;
use grid::position::{Encoding, Position};
use grid::{Micros, PointId, Quality, Reading};
use identity::View;
use network::{Abnormal, Contact, EquipmentId};
use store::Store;
use store::events::StatusPeriod;
use wire::Envelope;
use wire::network_present::{NetworkAbnormal, NetworkAbnormalSwitch, NetworkEquipment};
use wire::time::iso;

use super::check::computed;
use super::present::{LISTED_MAX, Seen};
use crate::error::Error;
use crate::heavy::slot;
use crate::state::Services;

/// How far back all changes of the listed switches are read. Before, only the last one is.
const LOOK_BACK_MS: i64 = 7 * 86_400_000;
/// The clock of a device can be ahead by this much.
const AHEAD_MS: i64 = 60_000;
/// Maximum of changes that are read for the times of the listed switches.
const CHANGES_MAX: usize = 20_000;

/// Returns the switches that are not in their normal position, and those whose position is not known, by the positions at the moment.
///
/// A switch that no point reports counts as being in its normal position. Only switches in the caller's area are listed.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/network/abnormal", tag = "network", operation_id = "networkAbnormal", security(("bearer" = [])),
    responses((status = 200, description = "The switches; null if no network is active", body = Envelope<Option<NetworkAbnormal>>))
))]
pub(crate) async fn handle(State(services): State<Services>, view: View) -> Result<Json<Envelope<Option<NetworkAbnormal>>>, Error> {
    let client = view.principal.client;
    let Some(seen) = Seen::read(&services, view).await? else { return Ok(Json(Envelope::ok(None))) };
    // The positions of the moment are read before: a standby, which long reads may use, can be behind.
    let slot = slot(&services, &seen.view().principal).await?;
    let search = computed(move || {
        // An abandoned request keeps its slot until the computation ends.
        let _slot = slot;
        let deviations = Deviations::find(&seen);
        (seen, deviations)
    });
    let (seen, deviations) = search.await?;
    let (network, active) = (seen.network(), seen.network().active());
    let points = deviations.listed.iter().filter_map(|of| network.positions().point_of(of.found.equipment));
    let points: Vec<PointId> = points.collect();
    let latest: HashMap<PointId, Reading> = services.store().latest_of_points(client, &points).await?.into_iter().collect();
    let changes = changes(services.store(), client, &points).await?;
    let feeders = services.0.feeders.of(active).await?;
    let headed: HashMap<&str, _> = feeders.all().iter().map(|feeder| (feeder.head.as_str(), feeder)).collect();
    let row = |of: Listed| {
        let Listed { found, equipment, customers } = of;
        let point = network.positions().point_of(found.equipment).and_then(|point| seen.view().field.point(point));
        let reported = point.and_then(|point| Some((point.encoding()?, latest.get(&point.id)?)));
        let since = point.and_then(|point| since(changes.get(&point.id)?, point.encoding()?, found.present));
        let feeder = active.feeder_of(found.equipment).map(|at| &active.containers()[at as usize]);
        NetworkAbnormalSwitch {
            feeder_id: feeder.map(|feeder| feeder.id.clone()),
            feeder: match feeder {
                Some(feeder) => Some(named(&feeder.id, &feeder.name)),
                None => headed.get(equipment.id.as_str()).map(|feeder| named(&feeder.id, &feeder.name)),
            },
            normal: text(found.normal).to_owned(),
            present: text(found.present).to_owned(),
            since: since.map(iso),
            last_known: reported.and_then(|(encoding, reading)| Some(text(position(encoding, reading.value?)?).to_owned())),
            reported: reported.map(|(_, reading)| iso(reading.source)),
            customers,
            equipment,
        }
    };
    let answer = NetworkAbnormal {
        abnormal: deviations.abnormal,
        unknown: deviations.unknown,
        assumed: deviations.assumed,
        switches: active.switches().count(),
        listed: deviations.listed.into_iter().map(row).collect(),
    };
    Ok(Json(Envelope::ok(Some(answer))))
}

/// A switch that is not in its normal position.
struct Listed {
    found: Abnormal,
    /// What the user sees of it.
    equipment: NetworkEquipment,
    /// The customers that it feeds in one of the two positions only; `None` if its position is not known.
    customers: Option<u64>,
}

/// What is not in its normal position.
struct Deviations {
    /// The number of switches that are not in their normal position.
    abnormal: usize,
    /// The number of switches whose position is not known.
    unknown: usize,
    /// The number of switches whose position no point reports.
    assumed: usize,
    /// The first of them.
    listed: Vec<Listed>,
}

impl Deviations {
    /// Searches the whole network. May take a while for a large one.
    fn find(seen: &Seen) -> Self {
        let (network, active) = (seen.network(), seen.network().active());
        let visible = network.state().abnormal_switches().filter_map(|found| Some((found, seen.equipment(found.equipment)?)));
        let (unknown, mut listed): (Vec<_>, Vec<_>) = visible.partition(|(found, _)| found.present == Contact::Unknown);
        let counts = (listed.len(), unknown.len());
        listed.extend(unknown);
        listed.truncate(LISTED_MAX);
        let switches: Vec<EquipmentId> = listed.iter().map(|(found, _)| found.equipment).collect();
        let customers = network.state().customers_fed_differently(active.normal(), &switches).customers;
        let listed = listed.into_iter().zip(customers).map(|((found, equipment), customers)| {
            let customers = (found.present != Contact::Unknown).then_some(customers);
            Listed { found, equipment, customers }
        });
        Self {
            abnormal: counts.0,
            unknown: counts.1,
            assumed: active.switches().filter(|switch| !network.positions().is_reported(*switch)).count(),
            listed: listed.collect(),
        }
    }
}

fn named(id: &str, name: &str) -> String {
    if name.is_empty() { id.to_owned() } else { name.to_owned() }
}

fn text(contact: Contact) -> &'static str {
    match contact {
        Contact::Open => "open",
        Contact::Closed => "closed",
        Contact::Unknown => "unknown",
    }
}

/// Returns what a raw status says about a switch; `None` if that is neither open nor closed.
fn position(encoding: Encoding, raw: f64) -> Option<Contact> {
    match Position::decode(encoding, raw) {
        Position::Open => Some(Contact::Open),
        Position::Closed => Some(Contact::Closed),
        _ => None,
    }
}

/// Returns the changes of each point, oldest first.
async fn changes(store: &Store, client: grid::ClientId, points: &[PointId]) -> Result<HashMap<PointId, Vec<StatusPeriod>>, Error> {
    let end = Services::now().plus_millis(AHEAD_MS);
    let all = store.status_changes(client, points, (end.plus_millis(-LOOK_BACK_MS), end), CHANGES_MAX).await?;
    let all = match all {
        Some(all) => all,
        // Too many: the last one of each has to do.
        None => store.status_changes(client, points, (end, end), points.len()).await?.unwrap_or_default(),
    };
    let mut changes: HashMap<PointId, Vec<StatusPeriod>> = HashMap::new();
    for change in all {
        changes.entry(change.point).or_default().push(change);
    }
    Ok(changes)
}

/// Returns when a switch reached its present position. A report of the same position after an interruption is no change. `None` if the last known change says
/// something else.
fn since(changes: &[StatusPeriod], encoding: Encoding, present: Contact) -> Option<Micros> {
    let said =
        |change: &StatusPeriod| change.value.filter(|_| change.quality <= Quality::Substituted).and_then(|raw| position(encoding, raw));
    let mut since = None;
    for change in changes.iter().rev() {
        match said(change) {
            Some(contact) if contact == present => since = Some(change.at),
            None if present == Contact::Unknown => since = Some(change.at),
            None => {}
            Some(_) => break,
        }
    }
    since
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(at: i64, value: f64, quality: Quality) -> StatusPeriod {
        StatusPeriod { point: PointId(1), at: Micros(at), value: Some(value), quality }
    }

    #[test]
    fn switch_has_its_position_since_the_first_report_after_another_one() {
        let (open, closed, moving) = (1.0, 2.0, 0.0);
        let since = |changes: &[StatusPeriod], present| since(changes, Encoding::DoublePoint, present).map(|at| at.0);
        let reported = [
            change(1, closed, Quality::Good),
            change(2, open, Quality::Good),
            change(3, open, Quality::Invalid),
            change(4, open, Quality::Good),
        ];
        assert_eq!(since(&reported, Contact::Open), Some(2), "the report after the interruption is no change");
        assert_eq!(since(&reported, Contact::Closed), None, "the last event says something else");
        assert_eq!(since(&reported, Contact::Unknown), None, "the loss of a link is no event");
        assert_eq!(since(&[], Contact::Open), None);
        assert_eq!(since(&[change(1, open, Quality::Good), change(2, moving, Quality::Good)], Contact::Unknown), Some(2));
    }
}
