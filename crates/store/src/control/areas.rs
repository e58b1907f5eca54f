//! Changes of areas of responsibility: at which desk a session sits, how an area passes to another desk, and which areas and desks there are.
//!
//! Each change holds the lock of the commands and raises the version of the areas, so that a decision about a command comes before it or after it. It ends the
//! selections that their desk may no longer execute. It is audited in its own transaction.

use deadpool_postgres::Transaction;
use grid::area::handover::{self, Act, Actor, AreaState, NotHandedOver};
use grid::area::plan::Plan;
use grid::area::seating::{self, NotSeated, OpenSeat, SeatAct, Sitter};
use grid::area::{OutsideArea, Part, Place, Responsibility};
use grid::control::machine::Step;
use grid::{AreaId, ClientId, DeskId, Micros};
use serde_json::{Value, json};

use super::stream_lock::lock;
use super::tags::drop_selections;
use super::write::enter_states;
use super::{CallerNow, Committed, Site, facts};
use crate::areas::{self, AreaRecord, Desk};
use crate::audit::{Entry, Origin, enter};
use crate::convert::{Stamp, micros, sql, without_nul};
use crate::{Result, Store, tenant};

/// A change of the areas of a utility.
#[derive(Debug, Clone, PartialEq)]
pub struct AreaChange {
    /// Version of the areas after the change.
    pub version: i64,
    /// Selections that the change has ended.
    pub dropped: Vec<Committed>,
}

/// Why a change of areas is refused. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AreaRefusal {
    /// The session of the caller has ended.
    SessionOver,
    /// There is no such area.
    NoArea,
    /// There is no such desk.
    NoDesk,
    /// The rules of handing over refuse it.
    Rule(NotHandedOver),
    /// The rules of sitting down refuse it.
    Seat(NotSeated),
    /// The areas or desks cannot be stored; the message says why and what is allowed.
    Plan(String),
}

/// How selections end that their desk may no longer execute.
pub struct SelectionEnd<'a> {
    /// Returns the places of the switch of a selection.
    pub places: &'a (dyn Fn(&Site) -> Vec<Place> + Send + Sync),
    /// Returns the step of the state machine.
    pub block: &'a (dyn Fn(&Site, &OutsideArea) -> Step + Send + Sync),
}

/// A change that is being made.
struct Changing<'a> {
    transaction: &'a Transaction<'a>,
    client: ClientId,
    origin: &'a Origin,
    caller: CallerNow,
    stream: (String, i64),
    version: i64,
    now: Micros,
}

impl<'a> Changing<'a> {
    /// Takes the locks. `Err` if the session has ended or the utility does not exist.
    async fn begin(
        transaction: &'a Transaction<'a>,
        client: ClientId,
        session: i64,
        origin: &'a Origin,
    ) -> Result<Result<Self, AreaRefusal>> {
        tenant::bind(transaction, client).await?;
        let Some(stream) = lock(transaction, client).await? else { return Ok(Err(AreaRefusal::SessionOver)) };
        // Read under the lock, but not bound to the utility, because a super user belongs to another one.
        tenant::release(transaction).await?;
        let caller = facts::caller(transaction, client, session).await?;
        tenant::bind(transaction, client).await?;
        let Some(caller) = caller else { return Ok(Err(AreaRefusal::SessionOver)) };
        let statement = transaction.prepare_cached(sql!("area/advance")).await?;
        let row = transaction.query_one(&statement, &[&client.0]).await?;
        let (version, now) = (row.try_get("top")?, micros(&row, "now")?);
        Ok(Ok(Self { transaction, client, origin, caller, stream, version, now }))
    }

    /// Ends the selections that their desk may no longer execute, and audits the change.
    async fn finish(self, action: &str, subject: String, before: Value, after: Value, end: &SelectionEnd<'_>) -> Result<AreaChange> {
        let Self { transaction, client, origin, stream, version, .. } = self;
        let responsibility = areas::responsibility(transaction, client).await?;
        let statement = transaction.prepare_cached(sql!("control/held_of_all")).await?;
        let held = transaction.query(&statement, &[&client.0]).await?;
        let mut outside = Vec::new();
        for row in &held {
            let point = grid::PointId(row.try_get("point_id")?);
            if let Some(refusal) = self::outside(transaction, client, point, &responsibility, end).await? {
                outside.push((point, refusal));
            }
        }
        let block = |site: &Site| outside.iter().find(|(point, _)| *point == site.point).map(|(_, refusal)| (end.block)(site, refusal));
        let points = outside.iter().map(|(point, _)| *point).collect();
        let (dropped, _) = drop_selections(transaction, client, points, origin, stream, block).await?;
        tenant::release(transaction).await?;
        for ended in &dropped {
            enter_states(transaction, origin, ended.site.held.as_ref().map(|held| held.command.state), &ended.rows).await?;
        }
        enter(transaction, &Entry::new(origin, action, subject).changing(Some(before), Some(after))).await?;
        Ok(AreaChange { version, dropped })
    }
}

/// Returns why the desk of the session that has selected a point may not operate it.
async fn outside(
    transaction: &Transaction<'_>,
    client: ClientId,
    point: grid::PointId,
    responsibility: &Responsibility,
    end: &SelectionEnd<'_>,
) -> Result<Option<OutsideArea>> {
    let Some(site) = facts::site(transaction, client, point).await? else { return Ok(None) };
    let Some(held) = &site.held else { return Ok(None) };
    let desk = areas::own_desk(transaction, client, held.command.holder.session).await?;
    Ok(responsibility.permit(desk, &(end.places)(&site)).err())
}

/// An act about an area.
#[derive(Debug, Clone, Copy)]
pub struct HandOver<'a> {
    /// The area.
    pub area: AreaId,
    /// What is done.
    pub act: Act,
    /// Reason that the user gives; empty where none is required.
    pub reason: &'a str,
}

impl Store {
    /// Carries out an act of a session about a desk.
    pub async fn seat(
        &self,
        client: ClientId,
        session: i64,
        act: SeatAct,
        reason: &str,
        origin: &Origin,
        end: &SelectionEnd<'_>,
    ) -> Result<Result<AreaChange, AreaRefusal>> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        let changing = match Changing::begin(&transaction, client, session, origin).await? {
            Ok(changing) => changing,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let others = areas::desks_of_others(&transaction, client, session).await?;
        tenant::bind(&transaction, client).await?;
        let desks = areas::desks(&transaction, client).await?;
        if let SeatAct::Sit { desk, .. } | SeatAct::Request(desk) = act
            && !desks.iter().any(|known| known.id == desk)
        {
            return Ok(Err(AreaRefusal::NoDesk));
        }
        let Some(desk) = areas::own_desk(&transaction, client, session).await? else { return Ok(Err(AreaRefusal::NoDesk)) };
        let CallerNow { member, role_id, can_operate, demo, ref name, .. } = changing.caller;
        let operates = can_operate && !demo;
        let sitter = Sitter { session, member, desk, operates, supervises: operates && matches!(role_id, 1 | 2) };
        let guarded = areas::guarded(&others, &areas::records(&transaction, client).await?);
        let open: Vec<OpenSeat> = areas::seat_requests(&transaction, client).await?.iter().map(|record| record.request).collect();
        let answered = match act {
            SeatAct::Consent(id) | SeatAct::Refuse(id) => open.iter().find(|request| request.id == id).copied(),
            SeatAct::Sit { .. } | SeatAct::Request(_) => None,
        };
        let step = match seating::step(&seating::Desks { guarded, open }, sitter, act, changing.now) {
            Ok(step) => step,
            Err(rule) => return Ok(Err(AreaRefusal::Seat(rule))),
        };
        let (now, reason, by) = (Stamp(changing.now), without_nul(reason), without_nul(name));
        for (id, outcome) in &step.ends {
            let statement = transaction.prepare_cached(sql!("area/end_seat_request")).await?;
            transaction.execute(&statement, &[&client.0, id, &now, &outcome.as_str()]).await?;
        }
        if let Some((desk, expires)) = step.begins {
            let statement = transaction.prepare_cached(sql!("area/put_seat_request")).await?;
            let params: crate::pool::Params<'_> = &[&client.0, &desk.0, &session, &member.0, &reason, &by, &now, &Stamp(expires)];
            transaction.execute(&statement, params).await?;
        }
        let subject = answered.map_or(session, |request| request.session);
        let before = areas::own_desk(&transaction, client, subject).await?;
        if let Some((session, desk)) = step.seated {
            let statement = transaction.prepare_cached(sql!("area/sit")).await?;
            transaction.execute(&statement, &[&client.0, &session, &desk.0, &now]).await?;
        }
        let after = areas::own_desk(&transaction, client, subject).await?;
        let requested_desk = step.begins.map(|(desk, _)| desk).or(answered.map(|request| request.desk));
        let before = json!({ "desk": name_of(&desks, before) });
        let after = json!({
            "desk": name_of(&desks, after), "requested": name_of(&desks, requested_desk), "reason": reason,
            "ended": step.ends.iter().map(|(id, outcome)| json!({ "request": id, "outcome": outcome.as_str() })).collect::<Vec<_>>(),
        });
        let change = changing.finish(act.audit_action(), format!("session {subject}"), before, after, end).await?;
        transaction.commit().await?;
        Ok(Ok(change))
    }

    /// Carries out an act of a user about an area.
    pub async fn hand_over(
        &self,
        client: ClientId,
        session: i64,
        HandOver { area, act, reason }: HandOver<'_>,
        origin: &Origin,
        end: &SelectionEnd<'_>,
    ) -> Result<Result<AreaChange, AreaRefusal>> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        let changing = match Changing::begin(&transaction, client, session, origin).await? {
            Ok(changing) => changing,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let all = areas::records(&transaction, client).await?;
        let Some(known) = all.iter().find(|known| known.area.id == area) else { return Ok(Err(AreaRefusal::NoArea)) };
        let desks = areas::desks(&transaction, client).await?;
        if let Act::Offer(to) | Act::Move(to) = act
            && !desks.iter().any(|desk| desk.id == to)
        {
            return Ok(Err(AreaRefusal::NoDesk));
        }
        let Some(desk) = areas::own_desk(&transaction, client, session).await? else { return Ok(Err(AreaRefusal::NoDesk)) };
        let CallerNow { member, role_id, can_operate, demo, ref name, .. } = changing.caller;
        let operates = can_operate && !demo;
        let actor = Actor { desk, member, operates, supervises: operates && matches!(role_id, 1 | 2) };
        let open = areas::requests(&transaction, client, Some(area)).await?;
        let state = AreaState {
            holder: known.area.holder.as_ref().map(|(holder, _)| *holder),
            open: open.iter().map(|record| record.request).collect(),
        };
        let step = match handover::step(&state, actor, act, changing.now) {
            Ok(step) => step,
            Err(rule) => return Ok(Err(AreaRefusal::Rule(rule))),
        };
        let (now, reason, by) = (Stamp(changing.now), without_nul(reason), without_nul(name));
        for (id, outcome) in &step.ends {
            let statement = transaction.prepare_cached(sql!("area/end_request")).await?;
            transaction.execute(&statement, &[&client.0, id, &now, &outcome.as_str()]).await?;
        }
        if let Some(new) = step.begins {
            let statement = transaction.prepare_cached(sql!("area/put_request")).await?;
            let params: crate::pool::Params<'_> =
                &[&client.0, &area.0, &new.kind.as_str(), &new.from.0, &new.to.0, &reason, &by, &now, &Stamp(new.expires), &member.0];
            transaction.execute(&statement, params).await?;
        }
        if let Some((holder, how)) = step.holder {
            let statement = transaction.prepare_cached(sql!("area/hold")).await?;
            transaction.execute(&statement, &[&client.0, &area.0, &holder.0, &now, &by, &how.as_str()]).await?;
        }
        let holder_after = step.holder.map(|(holder, _)| holder).or(state.holder);
        let other = match act {
            Act::Offer(to) | Act::Move(to) => name_of(&desks, Some(to)),
            Act::Consent(id) | Act::Refuse(id) => {
                let request = state.open.iter().find(|request| request.id == id);
                name_of(&desks, request.map(|request| request.to))
            }
            Act::Request | Act::Take => name_of(&desks, Some(desk)),
        };
        let before = json!({ "area": known.area.name, "holder": name_of(&desks, state.holder) });
        let after = json!({
            "area": known.area.name, "holder": name_of(&desks, holder_after), "desk": name_of(&desks, Some(desk)), "to": other, "reason": reason,
            "ended": step.ends.iter().map(|(id, outcome)| json!({ "request": id, "outcome": outcome.as_str() })).collect::<Vec<_>>(),
        });
        let change = changing.finish(act.audit_action(), format!("area {area}"), before, after, end).await?;
        transaction.commit().await?;
        Ok(Ok(change))
    }

    /// Replaces the areas and desks of a utility. Those that are missing in the plan are deleted; the default desk, the area for the rest and desks that hold
    /// an area cannot be deleted. A new area has no holder.
    pub async fn replace_areas(
        &self,
        client: ClientId,
        session: i64,
        plan: &Plan,
        origin: &Origin,
        end: &SelectionEnd<'_>,
    ) -> Result<Result<AreaChange, AreaRefusal>> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        let changing = match Changing::begin(&transaction, client, session, origin).await? {
            Ok(changing) => changing,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let (areas, desks) = (areas::records(&transaction, client).await?, areas::desks(&transaction, client).await?);
        if let Err(fault) = fits(plan, &areas, &desks) {
            return Ok(Err(AreaRefusal::Plan(fault)));
        }
        let before = json!({ "desks": desks.iter().map(|desk| &desk.name).collect::<Vec<_>>(), "areas": areas::responsibility(&transaction, client).await.map(|all| described(&all))? });
        write_areas(&transaction, client, plan, &areas).await?;
        write_desks(&transaction, client, plan, &desks).await?;
        let after = json!({ "desks": plan.desks.iter().map(|desk| &desk.name).collect::<Vec<_>>(), "areas": areas::responsibility(&transaction, client).await.map(|all| described(&all))? });
        let change = changing.finish("areas_changed", format!("client {client}"), before, after, end).await?;
        transaction.commit().await?;
        Ok(Ok(change))
    }
}

/// Checks a plan against what is stored.
fn fits(plan: &Plan, areas: &[AreaRecord], desks: &[Desk]) -> Result<(), String> {
    let rest = areas.iter().find(|record| record.area.is_rest).map_or("Rest", |record| record.area.name.as_str());
    plan.check(rest)?;
    for id in plan.areas.iter().filter_map(|area| area.id) {
        if !areas.iter().any(|known| known.area.id == id && !known.area.is_rest) {
            return Err(format!("there is no area with the id {id} that can be changed: read the areas again"));
        }
    }
    for id in plan.desks.iter().filter_map(|desk| desk.id) {
        if !desks.iter().any(|known| known.id == id) {
            return Err(format!("there is no desk with the id {id}: read the areas again"));
        }
    }
    for desk in desks.iter().filter(|desk| !plan.desks.iter().any(|planned| planned.id == Some(desk.id))) {
        if desk.is_default {
            return Err(format!("desk {} cannot be deleted: users who choose no desk sit at it. It can be renamed", desk.name));
        }
        let is_kept = |record: &&AreaRecord| record.area.is_rest || plan.areas.iter().any(|planned| planned.id == Some(record.area.id));
        let held = |record: &&AreaRecord| record.area.holder.as_ref().is_some_and(|(holder, _)| *holder == desk.id);
        if let Some(record) = areas.iter().filter(is_kept).find(held) {
            return Err(format!("desk {} holds {}: move that area to another desk first", desk.name, record.area.name));
        }
    }
    Ok(())
}

async fn write_areas(transaction: &Transaction<'_>, client: ClientId, plan: &Plan, areas: &[AreaRecord]) -> Result<()> {
    let statement = transaction.prepare_cached(sql!("area/drop_parts")).await?;
    transaction.execute(&statement, &[&client.0]).await?;
    let drop = transaction.prepare_cached(sql!("area/drop_area")).await?;
    for known in areas.iter().filter(|known| !known.area.is_rest) {
        if !plan.areas.iter().any(|planned| planned.id == Some(known.area.id)) {
            transaction.execute(&drop, &[&client.0, &known.area.id.0]).await?;
        }
    }
    let (mut of, mut nodes, mut containers) = (Vec::new(), Vec::new(), Vec::new());
    for planned in &plan.areas {
        let id = if let Some(id) = planned.id {
            let rename = transaction.prepare_cached(sql!("area/rename_area")).await?;
            transaction.execute(&rename, &[&client.0, &id.0, &planned.name]).await?;
            id.0
        } else {
            let put = transaction.prepare_cached(sql!("area/put_area")).await?;
            transaction.query_one(&put, &[&client.0, &planned.name]).await?.try_get("id")?
        };
        for part in &planned.parts {
            of.push(id);
            let (node, container) = match part {
                Part::Node(node) => (Some(node.0), None),
                Part::Container(container) => (None, Some(container.as_str())),
            };
            nodes.push(node);
            containers.push(container);
        }
    }
    let statement = transaction.prepare_cached(sql!("area/put_parts")).await?;
    transaction.execute(&statement, &[&client.0, &of, &nodes, &containers]).await?;
    Ok(())
}

async fn write_desks(transaction: &Transaction<'_>, client: ClientId, plan: &Plan, desks: &[Desk]) -> Result<()> {
    let drop = transaction.prepare_cached(sql!("area/drop_desk")).await?;
    for known in desks.iter().filter(|known| !plan.desks.iter().any(|planned| planned.id == Some(known.id))) {
        transaction.execute(&drop, &[&client.0, &known.id.0]).await?;
    }
    for planned in &plan.desks {
        if let Some(id) = planned.id {
            let rename = transaction.prepare_cached(sql!("area/rename_desk")).await?;
            transaction.execute(&rename, &[&client.0, &id.0, &planned.name]).await?;
        } else {
            let put = transaction.prepare_cached(sql!("area/put_desk")).await?;
            transaction.execute(&put, &[&client.0, &planned.name]).await?;
        }
    }
    Ok(())
}

fn name_of(desks: &[Desk], id: Option<DeskId>) -> Option<&str> {
    desks.iter().find(|desk| Some(desk.id) == id).map(|desk| desk.name.as_str())
}

/// Returns the areas for the audit.
fn described(all: &Responsibility) -> Vec<Value> {
    let described = |part: &Part| match part {
        Part::Node(id) => json!({ "node": id.0 }),
        Part::Container(id) => json!({ "container": id }),
    };
    let of = |id: AreaId| all.parts.of(id).into_iter().map(described).collect::<Vec<_>>();
    all.areas.iter().map(|area| json!({ "area": area.id.0, "name": area.name, "parts": of(area.id) })).collect()
}
