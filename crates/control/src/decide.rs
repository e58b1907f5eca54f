//! Collects the facts of a decision. The rules are in `grid::control`.

use std::collections::HashMap;

use grid::command::{CommandRecord, TagRecord};
use grid::control::check::{self, Intent, Live, REST_BETWEEN_MS, Recent, Request, Reservation, Snapshot, Synchronism, Ticket};
use grid::control::interlock::{self, Class, Switch, Verdict};
use grid::control::machine::{Now, Object, Timing};
use grid::control::tag::{Tag, TagKind};
use grid::control::{Refusal, Support, Throw};
use grid::position::{Encoding, Position};
use grid::{AssetId, Micros, Point, PointId, Quality, Reading, freshness};
use registry::Field;
use serde_json::Value;
use store::control::{CommandFacts, Site};
use wire::control::ControlConfiguration;

use crate::device_report::DeviceReport;
use crate::image::Image;
use crate::network_rules::{DrawnClass, NetworkMoves, believed, principal};

/// Time in which a gateway must answer a select, ms. It equals the lifetime of a command.
const ANSWER_MS: i64 = 5_000;

/// The category of what the diagram shows as a breaker.
const DRAWN_BREAKER: &str = "breaker";

/// What is constant during a decision.
pub(crate) struct DecisionContext<'a> {
    /// The registry of the utility.
    pub(crate) field: &'a Field,
    /// What the diagram shows for each switch, see [`categories`].
    pub(crate) categories: &'a HashMap<AssetId, String>,
    /// Latest positions and link states.
    pub(crate) image: &'a Image,
    /// Whether the connection to the broker is up.
    pub(crate) can_send: bool,
}

impl DecisionContext<'_> {
    /// Returns whether the link to a point of the substation of `site` works, and brought this reading of it.
    fn is_linked(&self, site: &Site, point: &Point, reading: &Reading) -> bool {
        if point.gateway != site.gateway {
            return self.field.is_linked(point, reading);
        }
        // The bus has newer states of the gateway of `site` than the registry has read.
        let is_device_online = point.device == site.device || self.field.is_device_online(point);
        self.can_send && is_device_online && self.image.is_linked(self.field.client().id, site, Some(reading))
    }
}

/// The facts about a point, for one user and request.
pub(crate) struct PointFacts {
    pub(crate) snapshot: Snapshot,
    pub(crate) reading: Option<Reading>,
    /// The quality to show, after link state and age.
    pub(crate) quality: Quality,
    pub(crate) position: Option<Position>,
    pub(crate) verdicts: Vec<Verdict>,
    /// Whether the user must give their credentials first.
    pub(crate) credentials: bool,
}

/// Returns whether the user has permission to operate at this location.
pub(crate) fn has_authority(field: &Field, session: i64, site: &Site, around: &CommandFacts) -> bool {
    let (Some(caller), Some(location)) = (&around.caller, field.node(site.location)) else { return false };
    let principal = principal(field, session, caller);
    caller.can_operate && !caller.demo && principal.may_see(location.client, &location.path)
}

/// Collects the facts that the rules need for a request.
pub(crate) fn point_facts(
    context: &DecisionContext<'_>,
    session: i64,
    site: &Site,
    around: &CommandFacts,
    request: &Request,
) -> PointFacts {
    let config = ControlConfiguration::of(&site.config);
    let readings: HashMap<PointId, Reading> = around.readings.iter().copied().collect();
    let seen = |point: PointId| context.image.newest(point, readings.get(&point).copied());
    let reading = context.image.newest(site.point, site.latest);
    let is_linked = |point: &Point, reading: &Reading| context.is_linked(site, point, reading);
    let link_up = context.can_send && context.image.is_linked(context.field.client().id, site, reading.as_ref());
    let age_limit_ms = freshness::age_limit_ms(site.expected_ms);
    let position = reading.and_then(|reading| Some(Position::decode(site.encoding?, reading.value?)));
    let live =
        reading.zip(position).map(|(reading, position)| Live { position, quality: reading.quality, source: reading.source, age_limit_ms });
    let quality = reading
        .map_or(Quality::Never, |reading| freshness::shown_quality(reading.quality, reading.source, site.now, age_limit_ms, link_up));
    let target = request.target.or_else(|| position.and_then(Throw::of).map(Throw::other));
    let mut verdicts = target.map_or_else(Vec::new, |target| {
        let entered = context.field.entered_at(site.location, &around.network.manual);
        // A position that a user has entered takes the place of the reading, as substituted: it is never certain, and so never a good "open".
        let shown = |point| {
            let reading = seen(point);
            let entered = entered.get(&point).and_then(|entered| entered.shown(point, seen));
            entered.or_else(|| Some(believed(point, reading?, &around.doubts)))
        };
        let switches: Vec<Switch> = switches(context, site, shown).collect();
        interlock::verdicts(site.asset, target, &switches)
    });
    let report = DeviceReport::read(context.field, site, target, is_linked, seen);
    let category = context.categories.get(&site.asset).map(String::as_str);
    let class = DrawnClass { class: Class::of(&site.class_name, category), is_drawn_as_breaker: category == Some(DRAWN_BREAKER) };
    let found = target
        .map_or_else(NetworkMoves::default, |target| NetworkMoves::new(context.field, context.image, session, site, class, around, target));
    verdicts.extend(found.verdicts(report.synchronism == Synchronism::InStep));
    let mut tags: Vec<Tag> = around.tags.iter().filter(|tag| tag.covers(site.asset, &site.device)).filter_map(tag).collect();
    tags.extend(found.tags());
    let credentials = config.stepup_all || !around.caller.as_ref().is_some_and(|caller| matches!(caller.role_id, 1 | 2));
    let ticket = match (credentials && request.intent != Intent::Execute, around.ticket) {
        (false, _) => Ticket::NotNeeded,
        (true, Some(_)) => Ticket::Valid,
        (true, None) => Ticket::Missing,
    };
    let min_interval_ms = config.min_interval_seconds * 1_000;
    let snapshot = Snapshot {
        now: site.now,
        authority: has_authority(context.field, session, site, around),
        outside_area: around.outside_area.clone(),
        control_enabled: config.enabled,
        // If the audit cannot be written, the transaction fails, and the caller reports this refusal.
        audit_writable: true,
        support: Support::new(site.control_asset_req, site.is_sbo_supported, report.model),
        link_up,
        live,
        local: report.local,
        test_mode: report.test_mode,
        reservation: reservation(session, site),
        bay_busy: around.busy.iter().find(|(_, _, bay)| *bay == site.device).map(|(_, name, _)| name.clone()),
        tags,
        interlocks: verdicts.clone(),
        synchronism: report.synchronism,
        unfit: report.unfit,
        recent: Recent {
            // The rule uses the fixed interval `REST_BETWEEN_MS` since the last command. Shifting the time by the difference applies the
            // interval of the utility.
            last: around.last.map(|last| last.plus_millis(min_interval_ms - REST_BETWEEN_MS)),
            often_until: around.often_since.map(|since| since.plus_millis(config.burst_seconds * 1_000)),
            doubt_since: around.doubt.max(overdue(site)),
        },
        ticket,
    };
    PointFacts { snapshot, reading, quality, position, verdicts, credentials }
}

/// Returns the current time if the command's deadline has passed and its end is not stored yet: its outcome is in doubt from now on.
fn overdue(site: &Site) -> Option<Micros> {
    let held = site.held.as_ref().map(|held| held.command);
    held.filter(|command| command.state.is_executing() && command.deadline_ms <= site.now.millis()).map(|_| site.now)
}

/// Returns the switches of the substation with their positions.
fn switches<'a>(
    context: &'a DecisionContext<'_>,
    site: &'a Site,
    seen: impl Fn(PointId) -> Option<Reading> + 'a,
) -> impl Iterator<Item = Switch> + 'a {
    context.field.points_at(site.location).filter(|point| point.code == "Pos").filter_map(move |point| {
        let asset = context.field.asset(point.asset)?;
        let class = Class::of(&asset.class_name, context.categories.get(&asset.id).map(String::as_str))?;
        let reading = seen(point.id);
        let quality = reading.map_or(Quality::Never, |reading| {
            let is_linked = context.is_linked(site, point, &reading);
            freshness::shown_quality(reading.quality, reading.source, site.now, point.age_limit_ms(), is_linked)
        });
        let position = reading.and_then(|reading| Some(Position::decode(point.encoding()?, reading.value?)));
        Some(Switch { asset: asset.id, name: asset.name.clone(), bay: point.device.clone(), class, position, quality })
    })
}

fn reservation(session: i64, site: &Site) -> Reservation {
    let Some(held) = site.held.as_ref().filter(|held| held.command.deadline_ms > site.now.millis()) else { return Reservation::Free };
    let (command, holder) = (&held.command, held.operator.clone());
    if command.state.is_executing() {
        return Reservation::Executing { holder };
    }
    if command.holder.session == session {
        return Reservation::Mine;
    }
    Reservation::Other { holder, left_ms: command.until.millis_since(site.now) }
}

fn tag(record: &TagRecord) -> Option<Tag> {
    let kind = TagKind::parse(&record.kind)?;
    Some(Tag { kind, holder: record.holder.clone(), reason: record.reason.clone(), expires: record.expires })
}

/// Returns the point as the state machine needs it.
pub(crate) fn object(site: &Site, support: Support) -> Object {
    let config = ControlConfiguration::of(&site.config);
    // All switches other than breakers are moved by a motor and take longer.
    let feedback = if site.class_name == "breaker" { config.feedback_seconds } else { config.isolator_feedback_seconds };
    let timing = Timing { select: config.select_seconds * 1_000, feedback: feedback * 1_000, answer: ANSWER_MS };
    Object { support, timing, command: site.held.as_ref().map(|held| held.command) }
}

/// Returns the time for the state machine. Deadlines are in milliseconds of the database's clock, which all apis share. Setting that clock
/// does not prolong a command, because each api also measures deadlines with its monotonic clock (`service`).
pub(crate) fn now(site: &Site) -> Now {
    Now { wall: site.now, monotonic_ms: site.now.millis() }
}

/// Returns the refusals of the rules, the most important one first.
pub(crate) fn refusals(request: &Request, facts: &PointFacts) -> Vec<Refusal> {
    check::check(request, &facts.snapshot)
}

/// Decodes the target position that a ticket is bound to, in the encoding of the asset's position points. `None` if the number is no
/// position, or if the encodings of several points disagree.
pub fn throw_of(field: &Field, asset: AssetId, code: i64) -> Option<Throw> {
    let mut throws = field.points_of(asset).filter(|point| point.code == "Pos").map(|point| throw(point.encoding(), code));
    let first = throws.next()??;
    throws.all(|other| other == Some(first)).then_some(first)
}

/// Decodes an open or closed position from the point's own encoding.
pub(crate) fn throw(encoding: Option<Encoding>, code: i64) -> Option<Throw> {
    encoding.filter(|encoding| *encoding != Encoding::Signal).and_then(|encoding| Throw::of(Position::decode(encoding, code as f64)))
}

/// Encodes a position in the point's own encoding.
pub(crate) fn code(encoding: Option<Encoding>, throw: Throw) -> i64 {
    let double = i64::from(throw.code());
    if encoding == Some(Encoding::SinglePoint) { double - 1 } else { double }
}

/// Returns what the diagram shows for each switch of a substation: the category of isolator, or that it is a breaker. If the diagram shows an asset as two kinds
/// of switches, the category is `contradictory`.
pub(crate) fn categories(drawing: Option<&Value>, field: &Field, location: grid::NodeId) -> HashMap<AssetId, String> {
    let elements = drawing.and_then(|drawing| drawing.get("elements")).and_then(Value::as_array);
    let codes: HashMap<&str, AssetId> = field.assets_at(location).map(|asset| (asset.code.as_str(), asset.id)).collect();
    let text = |element: &Value, key: &str| element.get(key).and_then(Value::as_str).map(str::to_owned);
    let mut categories: HashMap<AssetId, String> = HashMap::new();
    for element in elements.into_iter().flatten() {
        let category = match text(element, "class").as_deref() {
            Some("isolator") => text(element, "category"),
            Some("earthSwitch") => Some("earthSwitch".to_owned()),
            Some("breaker" | "recloser") => Some(DRAWN_BREAKER.to_owned()),
            _ => continue,
        };
        let Some(asset) = text(element, "asset").and_then(|code| codes.get(code.as_str()).copied()) else { continue };
        let category = category.unwrap_or_default();
        let first = categories.entry(asset).or_insert_with(|| category.clone());
        let kind = |category: &str| (category.starts_with("earthSwitch"), category == DRAWN_BREAKER);
        if kind(first) != kind(&category) {
            // The rules do not know this category and therefore apply the rules of both.
            "contradictory".clone_into(first);
        }
    }
    categories
}

/// Returns whether a stored command no longer answers a repeated request: after a cancelled selection, the user may select again.
pub(crate) fn is_spent(record: &CommandRecord) -> bool {
    matches!(record.state.as_str(), "CANCELLED" | "EXPIRED" | "REFUSED")
}

#[cfg(test)]
mod tests {
    use grid::control::State;
    use grid::{GatewayId, Lease, LinkOrder, LinkState, Ordinal, Shard, Term};
    use store::registry::CurrentLinks;

    use super::*;
    use crate::example::{NOW, linked_field_with, site};

    const OPEN: f64 = 1.0;

    fn at(term: i64) -> LinkOrder {
        LinkOrder { term: Term(term), count: 1 }
    }

    /// The quality of the good position of a switch that another gateway reports, by its link state, its lost devices, and the terms of the lease and of the reading.
    fn quality_of_other_gateway(online: bool, gone: &[&str], lease: Option<i64>, reading: i64) -> Quality {
        let own = Site { gateway: GatewayId(8), ..site(State::Done, 0) };
        let other = site(State::Done, 0).gateway;
        let links = CurrentLinks {
            states: vec![(other, LinkState { online, since: NOW, order: at(4) })],
            last_seen: Vec::new(),
            gone_devices: gone.iter().map(|device| (other, (*device).to_owned())).collect(),
        };
        let leases = lease.map(|term| Lease { shard: Shard::default(), since: at(term) });
        let field = linked_field_with(&[("F3CB/Pos", None)], links, leases.into_iter().collect());
        let (categories, image) = (HashMap::new(), Image::default());
        let context = DecisionContext { field: &field, categories: &categories, image: &image, can_send: true };
        let ordinal = Ordinal::of_term(Term(reading), 1);
        let reading = Reading { value: Some(OPEN), quality: Quality::Good, source: NOW, received: NOW, ordinal };
        let found: Vec<Switch> = switches(&context, &own, |_| Some(reading)).collect();
        assert_eq!(found.len(), 1);
        found[0].quality
    }

    #[test]
    fn position_from_another_gateway_is_good_only_while_its_link_is_confirmed() {
        assert_eq!(quality_of_other_gateway(true, &[], Some(4), 4), Quality::Good);
        assert_eq!(quality_of_other_gateway(true, &["F9"], Some(4), 4), Quality::Good, "another device is lost");
        let lost = [
            (quality_of_other_gateway(false, &[], Some(4), 4), "the gateway is offline"),
            (quality_of_other_gateway(true, &["F3"], Some(4), 4), "the device is offline"),
            (quality_of_other_gateway(true, &[], None, 4), "no ingest confirms the gateway"),
            (quality_of_other_gateway(true, &[], Some(4), 5), "a later ingest has reported it, which confirms nothing yet"),
        ];
        for (quality, why) in lost {
            assert_eq!(quality, Quality::CommLost, "{why}");
        }
    }
}
