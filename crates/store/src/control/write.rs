//! The transaction in which a decision about a command is made and stored.

use deadpool_postgres::Transaction;
use grid::command::CommandRecord;
use grid::control::State;
use grid::control::machine::{Change, Step};
use grid::{ClientId, Micros, PointId};
use serde_json::json;

use super::stream_lock::lock;
use super::{Ask, Committed, Decision, Locked, Moment, NewCommand, Site, facts};
use crate::audit::{Entry, Origin, enter};
use crate::control::list::command;
use crate::convert::{Stamp, sql, without_nul};
use crate::{Error, Result, Store, tenant};

/// Maximum number of states from one decision. More would be a defect.
const ROWS_MAX: i64 = 64;

impl Store {
    /// Decides about a request. `owner` is the api that supervises the command from then on. `None` if there is no such point.
    pub async fn decide<T>(
        &self,
        client: ClientId,
        point: PointId,
        ask: &Ask,
        owner: &str,
        origin: &Origin,
        decide: impl FnOnce(&Site, &super::CommandFacts) -> Decision<T>,
    ) -> Result<Option<(Option<Committed>, T)>> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        tenant::bind(&transaction, client).await?;
        let Some((epoch, from)) = lock(&transaction, client).await? else { return Ok(None) };
        // Read under the lock, but not bound to the utility, because a super user belongs to another one.
        tenant::release(&transaction).await?;
        let caller = facts::caller(&transaction, client, ask.session).await?;
        tenant::bind(&transaction, client).await?;
        let decided = Moment::now();
        let Some(site) = facts::site(&transaction, client, point).await? else { return Ok(None) };
        let locked = Some(Locked { known: &self.known, epoch: &epoch, top: from });
        let around = Box::pin(facts::circumstances(&transaction, client, &site, ask, caller, locked)).await?;
        let Decision { step, begins, spends, remembers, audit, outcome } = decide(&site, &around);
        let writing = Writing { transaction: &transaction, client, site: &site, owner: Some(owner), origin };
        let entered = match step {
            Some(step) => Some((writing.enter(from, &step, begins.as_ref()).await?, step)),
            None => None,
        };
        if let Some(ticket) = spends {
            let statement = transaction.prepare_cached(sql!("control/use_ticket")).await?;
            if transaction.execute(&statement, &[&ticket]).await? != 1 {
                return Err(Error::Data(format!("ticket {ticket} is spent already")));
            }
        }
        if let Some((key, id, action, refusal)) = remembers {
            let statement = transaction.prepare_cached(sql!("control/remember_request")).await?;
            transaction
                .execute(&statement, &[&client.0, &key.hash.as_slice(), &id.to_string(), &action, &refusal, &key.body.as_slice()])
                .await?;
        }
        // The audit chains belong to no utility.
        tenant::release(&transaction).await?;
        if let Some((action, subject, before, after)) = audit {
            enter(&transaction, &Entry::new(origin, action, subject).changing(Some(before), Some(after))).await?;
        }
        transaction.commit().await?;
        Ok(Some((entered.map(|(rows, step)| Committed::new(client, site, decided, (epoch, from), rows, step)), outcome)))
    }

    /// Applies an event at a point to its unfinished command. `None` if nothing changes.
    pub async fn advance(
        &self,
        client: ClientId,
        point: PointId,
        origin: &Origin,
        step: impl FnOnce(&Site) -> Option<Step>,
    ) -> Result<Option<Committed>> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        tenant::bind(&transaction, client).await?;
        let Some((epoch, from)) = lock(&transaction, client).await? else { return Ok(None) };
        let decided = Moment::now();
        let Some(site) = facts::site(&transaction, client, point).await? else { return Ok(None) };
        let Some(step) = step(&site) else { return Ok(None) };
        let before = site.held.as_ref().map(|held| held.command);
        if step.changes.is_empty() && step.effects.is_empty() && step.object.command == before {
            return Ok(None);
        }
        let writing = Writing { transaction: &transaction, client, site: &site, owner: None, origin };
        let rows = writing.enter(from, &step, None).await?;
        tenant::release(&transaction).await?;
        enter_states(&transaction, origin, before.map(|before| before.state), &rows).await?;
        transaction.commit().await?;
        Ok(Some(Committed::new(client, site, decided, (epoch, from), rows, step)))
    }
}

/// Adds audit entries for the states that a command reached without a request, after all other changes.
pub(super) async fn enter_states(
    transaction: &Transaction<'_>,
    origin: &Origin,
    before: Option<State>,
    rows: &[CommandRecord],
) -> Result<()> {
    for row in rows {
        let was = before.map(|state| json!({ "state": state.as_str() }));
        let is = json!({ "state": row.state, "addCause": row.add_cause, "message": row.message });
        enter(transaction, &Entry::new(origin, "command_state", format!("command {}", row.id)).changing(was, Some(is))).await?;
    }
    Ok(())
}

/// A decision that is being stored.
pub(super) struct Writing<'a> {
    pub(super) transaction: &'a Transaction<'a>,
    pub(super) client: ClientId,
    pub(super) site: &'a Site,
    /// The api that supervises the command from now on; `None` for no change.
    pub(super) owner: Option<&'a str>,
    pub(super) origin: &'a Origin,
}

impl Writing<'_> {
    /// Stores a step and returns the rows of its new states.
    pub(super) async fn enter(&self, from: i64, step: &Step, begins: Option<&NewCommand>) -> Result<Vec<CommandRecord>> {
        let Self { transaction, client, site, .. } = *self;
        let mut offset = from;
        for change in &step.changes {
            offset += 1;
            if change.state == State::Requested {
                let new = begins.filter(|new| new.id == change.id);
                self.begin(new.ok_or_else(|| Error::Data("a new command has no description".to_owned()))?).await?;
            }
            self.reach(offset, change, step).await?;
        }
        let before = site.held.as_ref().map(|held| held.command);
        if let Some(before) = before.filter(|before| step.object.command.is_none_or(|now| now.id != before.id)) {
            let statement = transaction.prepare_cached(sql!("control/release")).await?;
            transaction.execute(&statement, &[&client.0, &before.id.to_string()]).await?;
        }
        if let Some(now) = step.object.command.filter(|now| before.as_ref() != Some(now)) {
            let statement = transaction.prepare_cached(sql!("control/keep_command")).await?;
            let due = Stamp(Micros::from_millis(now.deadline_ms));
            transaction.execute(&statement, &[&client.0, &now.id.to_string(), &Stamp(now.issued), &due, &now.moving]).await?;
            let holder = begins.map(|new| new.operator.as_str()).or(site.held.as_ref().map(|held| held.operator.as_str()));
            let statement = transaction.prepare_cached(sql!("control/reserve")).await?;
            transaction
                .execute(
                    &statement,
                    &[
                        &now.id.to_string(),
                        &client.0,
                        &site.point.0,
                        &site.location.0,
                        &now.holder.session,
                        &now.holder.member.0,
                        &holder.unwrap_or_default(),
                        &Stamp(now.until),
                    ],
                )
                .await?;
        }
        if offset == from {
            return Ok(Vec::new());
        }
        let statement = transaction.prepare_cached(sql!("control/advance")).await?;
        transaction.execute(&statement, &[&client.0, &offset]).await?;
        let statement = transaction.prepare_cached(sql!("control/after")).await?;
        let rows = transaction.query(&statement, &[&client.0, &None::<i64>, &from, &ROWS_MAX]).await?;
        rows.iter().map(command).collect()
    }

    async fn begin(&self, new: &NewCommand) -> Result<()> {
        let Self { transaction, client, site, owner, origin } = *self;
        let statement = transaction.prepare_cached(sql!("control/insert_command")).await?;
        transaction
            .execute(
                &statement,
                &[
                    &new.id.to_string(),
                    &client.0,
                    &site.location.0,
                    &site.asset.0,
                    &site.point.0,
                    &site.gateway.0,
                    &new.session,
                    &new.member.0,
                    &new.operator,
                    &new.mode.as_str(),
                    &new.from,
                    &new.to,
                    &without_nul(&new.reason),
                    &new.simulated,
                    &origin.from,
                    &origin.correlation,
                    &Stamp(site.now),
                    &owner.unwrap_or_default(),
                ],
            )
            .await?;
        Ok(())
    }

    /// Changes the state of a command, if the present state permits it, and stores the new state with its offset.
    async fn reach(&self, offset: i64, change: &Change, step: &Step) -> Result<()> {
        let Self { transaction, client, site, owner, .. } = *self;
        let Change { id, state, refusal, never_left } = change;
        let until = step.object.command.filter(|now| now.id == *id).map(|now| Stamp(now.until));
        let select_until = until.filter(|_| matches!(state, State::Selecting | State::Selected));
        let deadline = until.filter(|_| state.is_executing());
        let add_cause = refusal.as_ref().map(|refusal| i16::from(refusal.cause.code()));
        let message = refusal.as_ref().map_or("", |refusal| refusal.message.as_str());
        let before: Vec<&str> = State::ALL
            .into_iter()
            .filter(|before| before.may_become(*state) || *state == State::Requested && *before == State::Requested)
            .map(State::as_str)
            .collect();
        let (id, now) = (id.to_string(), Stamp(site.now));
        let statement = transaction.prepare_cached(sql!("control/move_command")).await?;
        let moved = transaction
            .execute(
                &statement,
                &[
                    &client.0,
                    &id,
                    &state.as_str(),
                    &now,
                    &select_until,
                    &deadline,
                    &add_cause,
                    &message,
                    &offset,
                    &owner,
                    &before,
                    never_left,
                ],
            )
            .await?;
        if moved != 1 {
            return Err(Error::Data(format!("command {id} cannot become {} any more", state.as_str())));
        }
        let statement = transaction.prepare_cached(sql!("control/insert_event")).await?;
        transaction
            .execute(
                &statement,
                &[&client.0, &offset, &id, &site.location.0, &state.as_str(), &now, &select_until, &deadline, &add_cause, &message],
            )
            .await?;
        Ok(())
    }
}

impl Committed {
    pub(super) fn new(
        client: ClientId,
        site: Site,
        decided: Moment,
        (epoch, from): (String, i64),
        rows: Vec<CommandRecord>,
        step: Step,
    ) -> Self {
        let holds = step.object.command.map(|command| (command, command.deadline_ms - site.now.millis()));
        Self { client, site, decided, epoch, from, rows, effects: step.effects, holds }
    }
}

impl<T> Decision<T> {
    /// Returns a decision that changes nothing.
    pub fn nothing(outcome: T) -> Self {
        Self { step: None, begins: None, spends: None, remembers: None, audit: None, outcome }
    }
}
