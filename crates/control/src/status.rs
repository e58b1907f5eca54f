//! The status of a breaker, and the reasons that prevent operating it: the facts of a decision, for the screen.

use std::sync::Arc;

use auth::Principal;
use grid::control::Throw;
use grid::control::check::{Intent, Request};
use grid::{Micros, Point};
use registry::Field;
use serde_json::Value;
use store::control::{Ask, CommandFacts, Site};
use wire::control::{BreakerStatus, ControlConfiguration, InterlockRow, RefusalRow, ReservationRow, TagRow};

use crate::clock;
use crate::decide::{self, DecisionContext, PointFacts};
use crate::error::Error;
use crate::handle::Control;
use crate::request::prepare_network;

impl Control {
    /// Returns the status of a breaker for one user.
    pub async fn status(&self, field: &Arc<Field>, principal: &Principal, point: &Point) -> Result<BreakerStatus, Error> {
        prepare_network(field).await;
        let store = &self.0.store;
        let drawing = store.drawing(principal.client, point.location).await?;
        let categories = decide::categories(drawing.as_ref(), field, point.location);
        let config = ControlConfiguration::of(&field.client().config);
        let window_ms = config.burst_seconds * 1_000;
        let network = field.active_network().map(|_| field.network_points());
        let ask = Ask {
            session: principal.session,
            now: clock::now(),
            direction: None,
            key: None,
            window_ms,
            burst: config.burst_operations,
            network,
            places: field.asset(point.asset).map(|asset| field.places_of_asset(asset)).unwrap_or_default(),
        };
        let (site, around) = store.look(principal.client, point.id, &ask).await?.ok_or(Error::NotFound)?;
        let request = Request { intent: Intent::Preview, from: None, target: None, requested: site.now, scheduled: None, test: false };
        let facts = {
            let image = self.image();
            let context = DecisionContext { field, categories: &categories, image: &image, can_send: self.0.publisher.is_up() };
            decide::point_facts(&context, principal.session, &site, &around, &request)
        };
        Ok(breaker_status(field, principal, point, &site, &around, &request, &facts))
    }
}

#[allow(clippy::too_many_arguments, reason = "all that was found out comes together here, once")]
fn breaker_status(
    field: &Field,
    principal: &Principal,
    point: &Point,
    site: &Site,
    around: &CommandFacts,
    request: &Request,
    facts: &PointFacts,
) -> BreakerStatus {
    let position = facts.position.and_then(Throw::of);
    let change = position.map(Throw::other);
    let all = decide::refusals(request, facts);
    let wait_seconds = all.iter().filter_map(|refusal| refusal.wait_s).max();
    let refusals: Vec<RefusalRow> = all
        .into_iter()
        .map(|refusal| RefusalRow {
            add_cause: refusal.cause.code().into(),
            add_cause_name: refusal.cause.name().to_owned(),
            message: refusal.message,
        })
        .collect();
    let current_text = facts.position.map_or("UNKNOWN", grid::position::Position::text);
    let change_text = change.map_or("", |change| change.position().text());
    let display_msg = match refusals.first() {
        Some(refusal) => refusal.message.clone(),
        None => format!("Would you like to change {} from {current_text} to {change_text}?", site.asset_name),
    };
    let held = site.held.as_ref().filter(|held| held.command.deadline_ms > site.now.millis());
    let timing = decide::object(site, facts.snapshot.support).timing;
    BreakerStatus {
        asset_id: site.asset.0,
        product_id: site.gateway.0,
        current_status: facts.reading.and_then(|reading| reading.value).map(|value| value as i64),
        current_text: current_text.to_owned(),
        change_status: change.map(|change| decide::code(site.encoding, change)),
        change_text: change_text.to_owned(),
        reported_datetime: facts.reading.map(|reading| wire::time::iso(reading.source)),
        display_msg,
        path: path(field, point, site),
        asset_name: site.asset_name.clone(),
        location_id: site.location.0,
        point_id: site.point.0,
        quality: facts.quality.code(),
        source_time: facts.reading.map(|reading| reading.source.millis()),
        changed_time: site.last_change.map(Micros::millis),
        received_time: facts.reading.map(|reading| reading.received.millis()),
        age_limit_ms: point.age_limit_ms(),
        operable: refusals.is_empty(),
        refusals,
        wait_seconds,
        tags: around.tags.iter().filter(|tag| tag.covers(site.asset, &site.device)).map(TagRow::from).collect(),
        interlocks: facts
            .verdicts
            .iter()
            .map(|verdict| InterlockRow { rule: verdict.rule.to_owned(), message: verdict.message.clone(), fulfilled: verdict.fulfilled })
            .collect(),
        credentials_required: facts.credentials,
        direct: facts.snapshot.support.direct,
        sbo: facts.snapshot.support.sbo,
        select_seconds: timing.select / 1_000,
        feedback_seconds: timing.feedback / 1_000,
        reservation: held.map(|held| ReservationRow {
            command_id: held.command.id.to_string(),
            holder: held.operator.clone(),
            member_id: held.command.holder.member.0,
            until: Micros::millis(held.command.until),
            mine: held.command.holder.session == principal.session,
        }),
        simulated: site.config.get("simulated").and_then(Value::as_bool).unwrap_or_default(),
    }
}

/// Returns the path from the utility down to the device, as one line.
fn path(field: &Field, point: &Point, site: &Site) -> String {
    let client = field.client().name.clone();
    let nodes = field.node(point.location).into_iter().flat_map(|location| &location.path).filter_map(|id| field.node(*id));
    let names = std::iter::once(client).chain(nodes.map(|node| node.name.clone())).chain([site.asset_name.clone()]);
    names.collect::<Vec<_>>().join(" / ")
}
