//! Requests of users: each is decided in one transaction, carried out, and answered with the state that it has reached.

use std::sync::Arc;
use std::time::Duration;

use auth::Principal;
use dashmap::DashMap;
use grid::command::CommandRecord;
use grid::control::check::{Intent, Request};
use grid::control::machine::{self, Answer, Event, Order, Step};
use grid::control::{AddCause, CommandId, Holder, Mode, Refusal, State, Throw};
use grid::{AssetId, Micros, PointId};
use registry::Field;
use serde_json::{Value, json};
use store::audit::Origin;
use store::control::{Ask, CommandFacts, Decision, Key, NewCommand, Site};
use tokio::sync::broadcast;
use tokio::time::Instant;
use wire::control::{CommandRow, ControlConfiguration, Refusal as RefusalDetails};

use crate::clock;
use crate::decide::{self, DecisionContext, PointFacts};
use crate::error::Error;
use crate::handle::Control;
use crate::open::{Links, Open};

/// Time limit of the answer, which has the state that was reached by then (docs/reference/operating.md, States).
const ANSWER: Duration = Duration::from_millis(4_500);
/// Requests without an idempotency key count as the same request if they are equal and arrive within this time, ms.
const SAME_FOR_MS: i64 = 10_000;
/// The message for a user who must give their credentials, or whose ticket has expired (specification 2, section 8).
const INVALID_CREDENTIAL: &str = "Invalid Credential...";

/// Builds the network outside of the transaction and of the locks of a decision. A failure is found by the decision.
pub(crate) async fn prepare_network(field: &Arc<Field>) {
    let field = Arc::clone(field);
    let _ = tokio::task::spawn_blocking(move || field.prepare_network()).await;
}

/// The requested action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// The first step of select before operate.
    Select,
    /// The second step: operates the selected switch.
    Execute,
    /// Operates in one step.
    Direct,
    /// Cancels the selection.
    Cancel,
}

impl Action {
    fn as_str(self) -> &'static str {
        match self {
            Self::Select => "command_select",
            Self::Execute => "command_execute",
            Self::Direct => "command_direct",
            Self::Cancel => "command_cancel",
        }
    }
}

/// A request whose form has been validated.
#[derive(Debug, Clone)]
pub struct CommandRequest {
    /// The requested action.
    pub action: Action,
    /// The switch.
    pub asset: AssetId,
    /// The position point of the switch.
    pub point: PointId,
    /// The position before the operation, in the point's own encoding.
    pub from: i64,
    /// The target position, in the point's own encoding.
    pub to: i64,
    /// The scheduled time; must be absent, because only immediate operation is allowed.
    pub scheduled: Option<Micros>,
    /// The selection to execute or cancel.
    pub command: Option<CommandId>,
    /// The reason that the user gave, for the audit.
    pub reason: String,
    /// The client's idempotency key.
    pub key: Option<String>,
    /// The operator that the request body claims; only for the audit.
    pub claims: Option<Value>,
    /// When the request arrived, by the monotonic clock.
    pub arrived: Instant,
}

/// The outcome of a request.
#[derive(Debug)]
pub enum Outcome {
    /// The request was accepted, now or by an earlier equal request. Has the state that the command has reached.
    Accepted(Box<CommandRow>),
    /// There was nothing to do.
    NothingToDo,
    /// The caller may not operate the device. Nothing is stored yet.
    NotPermitted,
    /// The request was refused by the rules or the gateway, or the command failed.
    Refused {
        /// The class of the refusal.
        class: RefusalClass,
        /// The message for users.
        message: String,
        /// The details for programs.
        details: Box<RefusalDetails>,
    },
}

/// The class of a refusal. Callers map each class to an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalClass {
    /// The caller may not operate the device, or must give credentials first.
    NoAuthority,
    /// The device cannot be operated in this way.
    NotSupported,
    /// A rule or the gateway refuses the operation now, or the command failed.
    Conflict,
    /// The command cannot be stored.
    NotRecorded,
}

impl RefusalClass {
    /// Returns the number that the database stores. Earlier releases stored the HTTP status.
    fn stored(self) -> u16 {
        match self {
            Self::NoAuthority => 403,
            Self::NotSupported => 422,
            Self::Conflict => 409,
            Self::NotRecorded => 503,
        }
    }

    fn from_stored(number: u64) -> Option<Self> {
        [Self::NoAuthority, Self::NotSupported, Self::Conflict, Self::NotRecorded]
            .into_iter()
            .find(|class| u64::from(class.stored()) == number)
    }
}

/// The result of the decision, for the answer.
enum DecisionResult {
    NoPoint,
    SessionOver,
    NotPermitted,
    Repeated { row: Box<CommandRecord>, refusal: Option<Value> },
    Refused { refusal: Refusal, holder: Option<String>, until: Option<Micros>, id: Option<CommandId> },
    Accepted(CommandId),
    NothingToDo,
}

impl Control {
    /// Decides a request, carries it out, and waits for a short time for its outcome. Continues to the end even if the caller stops
    /// waiting.
    pub async fn request(
        &self,
        field: Arc<Field>,
        principal: &Principal,
        origin: &Origin,
        command_request: CommandRequest,
    ) -> Result<Outcome, Error> {
        let by = command_request.arrived + ANSWER;
        let news = self.0.rows.subscribe();
        let (action, point) = (command_request.action, command_request.point);
        let (control, principal, origin) = (self.clone(), principal.clone(), origin.clone());
        let client = principal.client;
        let deciding = tokio::spawn(async move {
            prepare_network(&field).await;
            control.decided(&field, &principal, &origin, command_request).await
        });
        let (result, row) = match tokio::time::timeout_at(by, deciding).await {
            Ok(Ok(Ok(decided))) => decided,
            Ok(Ok(Err(error))) => {
                tracing::error!(%error, %client, %point, "a command could not be stored");
                return Ok(unrecorded());
            }
            // The decision is still running, or its task has failed. The list of commands will show the outcome.
            Ok(Err(_)) | Err(_) => return Err(Error::Unsure),
        };
        match result {
            DecisionResult::NoPoint => Err(Error::NotFound),
            DecisionResult::SessionOver => Err(Error::SessionOver),
            DecisionResult::NotPermitted => Ok(Outcome::NotPermitted),
            DecisionResult::NothingToDo => Ok(Outcome::NothingToDo),
            DecisionResult::Repeated { row: earlier, refusal: Some(refusal) } => self.repeated(client, &earlier.id, row, refusal).await,
            DecisionResult::Repeated { row: earlier, refusal: None } => self.settled(client, &earlier.id, row, action, news, by).await,
            DecisionResult::Accepted(id) => self.settled(client, &id.to_string(), row, action, news, by).await,
            DecisionResult::Refused { refusal, holder, until, id } => {
                let command = match id {
                    Some(id) => self.reread(client, &id.to_string()).await.or(row),
                    None => None,
                };
                Ok(refused(&refusal, holder, until, command))
            }
        }
    }

    /// Decides and carries out. Returns the result, and the command as it was committed.
    async fn decided(
        &self,
        field: &Field,
        principal: &Principal,
        origin: &Origin,
        command_request: CommandRequest,
    ) -> store::Result<(DecisionResult, Option<CommandRow>)> {
        let client = principal.client;
        let Some(asset) = field.asset(command_request.asset) else { return Ok((DecisionResult::NoPoint, None)) };
        let location = asset.location;
        let drawing = self.0.store.drawing(client, location).await?;
        let categories = decide::categories(drawing.as_ref(), field, location);
        let config = ControlConfiguration::of(&field.client().config);
        let ask = Ask {
            session: principal.session,
            now: clock::now(),
            direction: direction(&command_request, field),
            key: Some(key(principal, &command_request)),
            window_ms: config.burst_seconds * 1_000,
            burst: config.burst_operations,
            network: field.active_network().filter(|_| command_request.action != Action::Cancel).map(|_| field.network_points()),
            places: field.places_of_asset(asset),
        };
        let mut links = Links::unknown(command_request.arrived.into_std());
        let decide = |site: &Site, around: &CommandFacts| {
            let image = self.image();
            let (gateway, device) = image.links(site);
            links = Links { at: std::time::Instant::now(), gateway: gateway.map(|link| link.order), device: device.map(|link| link.order) };
            let context = DecisionContext { field, categories: &categories, image: &image, can_send: self.0.publisher.is_up() };
            self.decision(&context, principal.session, site, around, &command_request, &ask)
        };
        let Some((committed, result)) = self.0.store.decide(client, command_request.point, &ask, &self.0.id, origin, decide).await? else {
            return Ok((DecisionResult::NoPoint, None));
        };
        let id = match &result {
            DecisionResult::Accepted(id) | DecisionResult::Refused { id: Some(id), .. } => id.to_string(),
            DecisionResult::Repeated { row, .. } => {
                let row = CommandRow::from(&**row);
                return Ok((result, Some(row)));
            }
            _ => String::new(),
        };
        let row = committed.as_ref().and_then(|committed| committed.rows.iter().rfind(|row| row.id == id)).map(CommandRow::from);
        if let Some(committed) = committed {
            self.carry_out(&committed, links);
        }
        Ok((result, row))
    }

    fn decision(
        &self,
        context: &DecisionContext<'_>,
        session: i64,
        site: &Site,
        around: &CommandFacts,
        command_request: &CommandRequest,
        ask: &Ask,
    ) -> Decision<DecisionResult> {
        if site.asset != command_request.asset || site.encoding.is_none() {
            return Decision::nothing(DecisionResult::NoPoint);
        }
        let Some(caller) = &around.caller else { return Decision::nothing(DecisionResult::SessionOver) };
        if let Some(earlier) =
            around.earlier.as_ref().filter(|earlier| command_request.key.is_some() || !decide::is_spent(&earlier.command))
        {
            if command_request.key.is_some() && !earlier.same_content {
                return other_content(site, command_request, &earlier.command.id);
            }
            return Decision::nothing(DecisionResult::Repeated {
                row: Box::new(earlier.command.clone()),
                refusal: earlier.refusal.clone(),
            });
        }
        if !decide::has_authority(context.field, session, site, around) {
            return Decision::nothing(DecisionResult::NotPermitted);
        }
        let site = &timed(site, self.open());
        let holder = Holder { member: caller.member, session };
        let request = Request {
            intent: match command_request.action {
                Action::Select => Intent::Select,
                Action::Execute => Intent::Execute,
                Action::Direct => Intent::Direct,
                Action::Cancel => Intent::Preview,
            },
            from: decide::throw(site.encoding, command_request.from),
            target: decide::throw(site.encoding, command_request.to),
            requested: site.now.plus_millis(-i64::try_from(command_request.arrived.elapsed().as_millis()).unwrap_or(i64::MAX)),
            scheduled: command_request.scheduled,
            test: false,
        };
        let facts = decide::point_facts(context, session, site, around, &request);
        let object = decide::object(site, facts.snapshot.support);
        let now = decide::now(site);
        if command_request.action == Action::Cancel {
            let step = machine::step(object, Event::Cancel { holder, id: command_request.command }, now);
            return cancelled(site, command_request, step);
        }
        let refusal = decide::refusals(&request, &facts).into_iter().next();
        let held = site.held.as_ref().filter(|held| held.command.holder == holder).map(|held| held.command.id);
        let id = match command_request.action {
            Action::Execute => command_request.command.or(held).unwrap_or(site.fresh),
            _ => site.fresh,
        };
        // Without two valid positions the rules refuse the request, so the state machine does not use the default.
        let order = Order {
            id,
            holder,
            from: request.from.unwrap_or(Throw::Open),
            target: request.target.unwrap_or(Throw::Open),
            refusal: refusal.clone(),
        };
        let (event, mode) = match command_request.action {
            Action::Select => (Event::Select(order), Mode::Select),
            Action::Direct => (Event::Direct(order), Mode::Direct),
            _ => (Event::Operate(order), Mode::Select),
        };
        let step = machine::step(object, event, now);
        let begins = (command_request.action != Action::Execute).then(|| NewCommand {
            id,
            mode,
            from: double(request.from),
            to: double(request.target),
            member: caller.member,
            operator: caller.name.clone(),
            session,
            reason: command_request.reason.clone(),
            simulated: site.config.get("simulated").and_then(Value::as_bool).unwrap_or_default(),
        });
        concluded(site, around, command_request, &facts, ask, step, begins, id, refusal)
    }

    /// Waits until a command has left the waiting states, at most until `by`, and returns its state.
    ///
    /// `known` is the command as it was committed. It is returned if the database does not answer, so that such a failure never makes a
    /// command look as if it was not sent.
    async fn settled(
        &self,
        client: grid::ClientId,
        id: &str,
        mut known: Option<CommandRow>,
        action: Action,
        mut news: broadcast::Receiver<Arc<CommandRow>>,
        by: Instant,
    ) -> Result<Outcome, Error> {
        loop {
            known = tokio::time::timeout_at(by, self.reread(client, id)).await.ok().flatten().or(known);
            let row = known.clone().ok_or(Error::Unsure)?;
            if !is_waiting(&row.state, action) || Instant::now() >= by {
                return Ok(outcome(row, action));
            }
            let changed = async {
                loop {
                    match news.recv().await {
                        Ok(row) if row.command_id == id && !is_waiting(&row.state, action) => return Some(row),
                        Ok(_) => {}
                        Err(_) => return None,
                    }
                }
            };
            match tokio::time::timeout_at(by, changed).await {
                Ok(Some(row)) => return Ok(outcome((*row).clone(), action)),
                // The receiver has lost messages, so the state is read from the database.
                Ok(None) => news = self.0.rows.subscribe(),
                Err(_) => {}
            }
        }
    }

    /// Reads a command from the database; `None` if the database does not answer.
    async fn reread(&self, client: grid::ClientId, id: &str) -> Option<CommandRow> {
        match self.0.store.command(client, id).await {
            Ok(found) => found.as_ref().map(CommandRow::from),
            Err(error) => {
                tracing::warn!(%error, command = id, "the state of a command cannot be read from the database");
                None
            }
        }
    }

    /// Returns the answer of the first, equal request.
    async fn repeated(&self, client: grid::ClientId, id: &str, known: Option<CommandRow>, refusal: Value) -> Result<Outcome, Error> {
        let class = refusal.get("status").and_then(Value::as_u64).and_then(RefusalClass::from_stored).unwrap_or(RefusalClass::Conflict);
        let message = refusal.get("message").and_then(Value::as_str).unwrap_or_default().to_owned();
        let details: Option<RefusalDetails> = refusal.get("details").and_then(|details| serde_json::from_value(details.clone()).ok());
        let command = self.reread(client, id).await.or(known);
        let details = details.ok_or(Error::Internal)?;
        Ok(Outcome::Refused { class, message, details: Box::new(RefusalDetails { command, ..details }) })
    }
}

/// Returns the point with the deadline of its command set to now if it has passed on the monotonic clock. This way, setting the wall clock
/// does not prolong it.
fn timed(site: &Site, open: &DashMap<String, Open>) -> Site {
    let mut site = site.clone();
    if let Some(held) = &mut site.held {
        let ours = open.get(&held.command.id.to_string()).filter(|open| open.state == held.command.state);
        if ours.is_some_and(|open| open.due <= std::time::Instant::now()) {
            held.command.deadline_ms = held.command.deadline_ms.min(site.now.millis());
        }
    }
    site
}

/// The target position, in the form that a ticket is bound to.
fn direction(command_request: &CommandRequest, field: &Field) -> Option<i16> {
    let point = field.point(command_request.point)?;
    decide::throw(point.encoding(), command_request.to).map(|throw| double(Some(throw)))
}

/// Returns the idempotency key: the client's own key, or one derived from the content of the request.
fn key(principal: &Principal, command_request: &CommandRequest) -> Key {
    let CommandRequest { action, asset, point, from, to, scheduled, command, reason, .. } = command_request;
    let (member, action) = (principal.member, action.as_str());
    let command = command.map(|command| command.to_string()).unwrap_or_default();
    let at = scheduled.map(|at| at.0);
    let body = auth::hash_token(&format!("{action}\n{asset}\n{point}\n{from}\n{to}\n{at:?}\n{command}\n{reason}"));
    if let Some(key) = &command_request.key {
        return Key { hash: auth::hash_token(&format!("{member}\n{action}\ngiven\n{key}")), body, good_for_ms: None };
    }
    let hash = auth::hash_token(&format!("{member}\n{action}\nmade\n{point}\n{to}\n{command}"));
    Key { hash, body, good_for_ms: Some(SAME_FOR_MS) }
}

/// Refuses a request whose idempotency key belongs to a request with another content. Nothing is sent, and the first request keeps its answer.
fn other_content(site: &Site, command_request: &CommandRequest, earlier: &str) -> Decision<DecisionResult> {
    let refusal =
        AddCause::InconsistentParameters.because("This Idempotency-Key was used for another request. Nothing was sent; use a new key.");
    let after = json!({
        "asset": site.asset.0, "point": site.point.0, "from": command_request.from, "to": command_request.to, "reason": command_request.reason,
        "outcome": { "refused": refusal.cause.code(), "message": refusal.message }, "claims": command_request.claims,
    });
    let audit = Some(("command_refused", format!("asset {}", site.asset), json!({ "earlier": earlier }), after));
    let outcome = DecisionResult::Refused { refusal, holder: None, until: None, id: None };
    Decision { audit, ..Decision::nothing(outcome) }
}

/// Builds the decision from the state machine's step for a request to operate.
#[allow(clippy::too_many_arguments, reason = "all that was found out comes together here, once")]
fn concluded(
    site: &Site,
    around: &CommandFacts,
    command_request: &CommandRequest,
    facts: &PointFacts,
    ask: &Ask,
    step: Step,
    begins: Option<NewCommand>,
    id: CommandId,
    refusal: Option<Refusal>,
) -> Decision<DecisionResult> {
    let on_record = begins.is_some() && step.changes.iter().any(|change| change.id == id)
        || command_request.action == Action::Execute && site.held.as_ref().is_some_and(|held| held.command.id == id);
    let held = site.held.as_ref().filter(|held| held.command.deadline_ms > site.now.millis());
    let (result, remembered) = match &step.answer {
        Answer::Refused(machines) => {
            // A desk that lost the area gets that reason, although its selection has ended too. For the same cause the message of the rules has more detail than that of the state machine, such as the holder and the
            // remaining time.
            let refused = refusal.filter(|ours| ours.cause == machines.cause || ours.is_outside_area).unwrap_or_else(|| machines.clone());
            let refused = if is_about_credentials(&refused, facts) { refused.cause.because(INVALID_CREDENTIAL) } else { refused };
            let by_somebody = matches!(
                refused.cause,
                AddCause::ObjectAlreadySelected | AddCause::LockedByOtherClient | AddCause::CommandAlreadyInExecution
            );
            let holder = held.filter(|_| by_somebody).map(|held| held.operator.clone());
            let until = held.filter(|_| by_somebody).map(|held| held.command.until);
            let result = DecisionResult::Refused { refusal: refused.clone(), holder: holder.clone(), until, id: on_record.then_some(id) };
            (result, Some(remembrance(&refused, holder, until)))
        }
        _ => (DecisionResult::Accepted(id), None),
    };
    let taken = remembered.is_none();
    let spends = around.ticket.filter(|_| taken && facts.credentials && command_request.action != Action::Execute);
    let outcome = match &result {
        DecisionResult::Refused { refusal, .. } => json!({ "refused": refusal.cause.code(), "message": refusal.message }),
        _ => json!({ "taken": step.object.command.map(|command| command.state.as_str()) }),
    };
    let before = json!({ "position": facts.position.map(grid::position::Position::text), "quality": facts.quality.code() });
    let after = json!({
        "asset": site.asset.0, "point": site.point.0, "from": command_request.from, "to": command_request.to, "reason": command_request.reason, "outcome": outcome,
        "ticket": spends, "claims": command_request.claims,
    });
    let action = if taken { command_request.action.as_str() } else { "command_refused" };
    let remembers = ask.key.filter(|_| on_record).map(|key| (key, id, command_request.action.as_str(), remembered));
    let subject = if on_record { format!("command {id}") } else { format!("asset {}", site.asset) };
    let audit = Some((action, subject, before, after));
    Decision { step: Some(step), begins, spends, remembers, audit, outcome: result }
}

/// Builds the decision from the state machine's step for a request to cancel a selection.
fn cancelled(site: &Site, command_request: &CommandRequest, step: Step) -> Decision<DecisionResult> {
    let held = site.held.as_ref().map(|held| held.command.id);
    let result = match &step.answer {
        Answer::Refused(refusal) => DecisionResult::Refused {
            refusal: refusal.clone(),
            holder: site.held.as_ref().map(|held| held.operator.clone()),
            until: site.held.as_ref().map(|held| held.command.until),
            id: None,
        },
        Answer::Taken(_) => held.map_or(DecisionResult::NothingToDo, DecisionResult::Accepted),
        _ => DecisionResult::NothingToDo,
    };
    let id = held.map_or_else(String::new, |id| id.to_string());
    let after = json!({ "asset": site.asset.0, "point": site.point.0, "cancelled": matches!(result, DecisionResult::Accepted(_)) });
    let audit = Some((command_request.action.as_str(), format!("command {id}"), Value::Null, after));
    Decision { step: Some(step), begins: None, spends: None, remembers: None, audit, outcome: result }
}

/// Returns whether credentials are the only thing that is missing.
fn is_about_credentials(refusal: &Refusal, facts: &PointFacts) -> bool {
    refusal.cause == AddCause::NoAccessAuthority
        && facts.snapshot.ticket == grid::control::check::Ticket::Missing
        && refusal.message.starts_with("Confirm")
}

/// Returns a refusal in the form that is stored for repeated requests.
fn remembrance(refusal: &Refusal, holder: Option<String>, until: Option<Micros>) -> Value {
    let Outcome::Refused { class, message, details } = refused(refusal, holder, until, None) else { return Value::Null };
    json!({ "status": class.stored(), "message": message, "details": details })
}

fn double(throw: Option<Throw>) -> i16 {
    throw.map_or(0, |throw| throw.code() as i16)
}

/// Returns whether the command is still in a state in which the caller waits.
fn is_waiting(state: &str, action: Action) -> bool {
    matches!(
        (State::parse(state), action),
        (Some(State::Requested | State::Selecting), Action::Select)
            | (Some(State::Requested | State::Sent), Action::Direct | Action::Execute)
    )
}

/// Builds the outcome of an accepted command from the state that it has reached.
fn outcome(row: CommandRow, action: Action) -> Outcome {
    let failed = match State::parse(&row.state) {
        Some(State::Refused | State::Expired | State::NoFeedback | State::Unknown) => true,
        Some(State::Cancelled) => action != Action::Cancel,
        _ => false,
    };
    if !failed {
        return Outcome::Accepted(Box::new(row));
    }
    let cause = row.add_cause.and_then(AddCause::from_code).unwrap_or(AddCause::Unknown);
    let message = if row.message.is_empty() { cause.sentence().to_owned() } else { row.message.clone() };
    refused(&cause.because(message), None, None, Some(row))
}

/// Returns the outcome for a user without permission to operate the device.
pub fn not_permitted() -> Outcome {
    refused(&AddCause::NoAccessAuthority.because("You may not operate this device."), None, None, None)
}

fn refused(refusal: &Refusal, holder: Option<String>, until: Option<Micros>, command: Option<CommandRow>) -> Outcome {
    let class = match refusal.cause {
        _ if refusal.is_outside_area => RefusalClass::NoAuthority,
        AddCause::NoAccessAuthority => RefusalClass::NoAuthority,
        AddCause::NotSupported => RefusalClass::NotSupported,
        _ => RefusalClass::Conflict,
    };
    let details = RefusalDetails {
        add_cause: refusal.cause.code().into(),
        add_cause_name: refusal.cause.name().to_owned(),
        holder,
        until: until.map(Micros::millis),
        wait_seconds: refusal.wait_s,
        command,
    };
    Outcome::Refused { class, message: refusal.message.clone(), details: Box::new(details) }
}

/// Returns the outcome for a command that cannot be stored. Such a command is not carried out (docs/reference/operating.md, Refusals).
fn unrecorded() -> Outcome {
    let refusal = AddCause::BlockedByHealth.because("The command cannot be put on record now, so it is not carried out.");
    match refused(&refusal, None, None, None) {
        Outcome::Refused { message, details, .. } => Outcome::Refused { class: RefusalClass::NotRecorded, message, details },
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::example::{NOW, site};

    #[test]
    fn set_wall_clock_does_not_prolong_a_command() {
        let now = std::time::Instant::now();
        let hour = 3_600_000;
        let site = site(State::Selected, hour);
        let open = |state, due| Open {
            client: grid::ClientId(1),
            point: site.point,
            gateway: site.gateway,
            device: site.device.clone(),
            session: 4,
            state,
            due,
            noted: now,
            links: Links::unknown(now),
        };
        let id = CommandId(5).to_string();
        let cases = [
            ("its time is over by our own clock", Some((id.clone(), open(State::Selected, now))), 0),
            ("its time goes on", Some((id.clone(), open(State::Selected, now + Duration::from_mins(1)))), hour),
            ("the time of another state is over", Some((id, open(State::Selecting, now))), hour),
            ("the time of another command is over", Some((CommandId(9).to_string(), open(State::Selected, now))), hour),
            ("nothing is known of it", None, hour),
        ];
        for (case, known, left_ms) in cases {
            let timed = timed(&site, &known.into_iter().collect());
            assert_eq!(timed.held.expect("held").command.deadline_ms - NOW.millis(), left_ms, "{case}");
        }
    }

    #[test]
    fn stored_refusal_keeps_its_class() {
        for class in [RefusalClass::NoAuthority, RefusalClass::NotSupported, RefusalClass::Conflict, RefusalClass::NotRecorded] {
            assert_eq!(RefusalClass::from_stored(class.stored().into()), Some(class));
        }
        let stored = [AddCause::NoAccessAuthority, AddCause::NotSupported, AddCause::BlockedByInterlocking]
            .map(|cause| remembrance(&cause.because("no"), None, None)["status"].as_u64());
        assert_eq!(stored, [Some(403), Some(422), Some(409)], "as releases have stored them");
        assert_eq!(RefusalClass::from_stored(200), None);
    }
}
