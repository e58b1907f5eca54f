//! Every precondition of operating, as one function over one snapshot (domain.md section 8). It is asked for the menu, at SELECT and at OPERATE.
//!
//! All refusals are answered, the one to tell first in front: who may not operate at all learns that first, whose only fault is a missing password last.

use super::interlock::{self, Verdict};
use super::tag::{self, Tag};
use super::{AddCause, Mode, Refusal, Support, Throw};
use crate::position::Position;
use crate::{Micros, Quality, freshness};

/// A request that waited longer than this for its turn is not carried out.
pub const REQUEST_AGE_LIMIT_MS: i64 = 10_000;
/// How far a scheduled time may be from now: commands are for now only.
pub const SCHEDULE_TOLERANCE_MS: i64 = 30_000;
/// Between two operations of one switch, so that it does not pump.
pub const REST_BETWEEN_MS: i64 = 10_000;
/// So many operations of one switch within [`OFTEN_WITHIN_MS`] need a new sign-in before the next.
pub const OFTEN: u32 = 3;
/// See [`OFTEN`].
pub const OFTEN_WITHIN_MS: i64 = 60_000;

/// What is to be done. `Look` asks for the menu: what would be refused if somebody asked now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Intent {
    /// Nothing yet.
    Look,
    /// The first of two steps.
    Select,
    /// The second of two steps.
    Execute,
    /// In one step.
    Direct,
}

/// What somebody asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    /// The step.
    pub intent: Intent,
    /// The position on the screen of who asks, `fromDIStatus`; `None` if it is no position to operate from.
    pub from: Option<Throw>,
    /// The position asked for, `toDIStatus`; `None` if it is none that can be commanded.
    pub target: Option<Throw>,
    /// When the request arrived, by the clock that also made `Snapshot::now`.
    pub asked: Micros,
    /// `scheduledTime`.
    pub scheduled: Option<Micros>,
    /// Whether it is marked as a test.
    pub test: bool,
}

/// The newest position of the point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Live {
    /// The position.
    pub position: Position,
    /// The quality that the device gave it.
    pub quality: Quality,
    /// When it was measured.
    pub source: Micros,
    /// Its age limit; `None` for a point that reports by exception only.
    pub age_limit_ms: Option<i64>,
}

/// Who has the point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reservation {
    /// Nobody.
    Free,
    /// Who asks has selected it and is asking with the same session.
    Mine,
    /// Somebody else has selected it.
    Other {
        /// Their name.
        holder: String,
        /// How long it lasts, ms.
        left_ms: i64,
    },
    /// A command is being carried out.
    Executing {
        /// Whose.
        holder: String,
    },
}

/// Whether who asks has confirmed who they are. A ticket is good once; the caller has looked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ticket {
    /// Roles 1 and 2 need none.
    NotNeeded,
    /// Present, unspent, of this person, device and direction, and not over.
    Valid,
    /// None, or one that is spent, over or for something else.
    Missing,
}

/// What has been done to this switch of late.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Recent {
    /// When the newest order to operate went out.
    pub last: Option<Micros>,
    /// How many went out in the last [`OFTEN_WITHIN_MS`], since who asks has signed in.
    pub within_a_minute: u32,
    /// When the last command ended without a known outcome; a position newer than that must be there before the next.
    pub doubt_since: Option<Micros>,
}

/// All that is known when the question is asked.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own, and every combination occurs")]
pub struct Snapshot {
    /// The time of the question.
    pub now: Micros,
    /// Whether who asks may operate this device: role, place, page, not a read-only or demo user.
    pub authority: bool,
    /// Whether the utility has remote control switched on.
    pub control_enabled: bool,
    /// Whether the audit can be written.
    pub audit_writable: bool,
    /// The modes that the device takes.
    pub support: Support,
    /// The gateway and the device are born, and ingest is heard.
    pub link_up: bool,
    /// The newest position; `None` when none was ever reported.
    pub live: Option<Live>,
    /// The device's or the station's local/remote switch is on local. What is not reported is remote.
    pub local: bool,
    /// The device is in test mode.
    pub test_mode: bool,
    /// Who has the point.
    pub reservation: Reservation,
    /// Another device of the bay that is selected or being operated.
    pub bay_busy: Option<String>,
    /// The tags on the device.
    pub tags: Vec<Tag>,
    /// What the interlocks say to the target.
    pub interlocks: Vec<Verdict>,
    /// The voltages on both sides are in step, or nobody measures it.
    pub in_step: bool,
    /// What the device says of its own fitness, such as low gas or a spring that is not charged.
    pub unfit: Option<String>,
    /// Operations before this one.
    pub recent: Recent,
    /// Whether who asks has confirmed who they are.
    pub ticket: Ticket,
}

/// Every reason why the request is not carried out, the one to tell first in front; none if it may go on.
pub fn check(request: &Request, facts: &Snapshot) -> Vec<Refusal> {
    let mut refusals = Vec::new();
    right(facts, &mut refusals);
    support(request.intent, facts.support, &mut refusals);
    form(request, facts.now, &mut refusals);
    position(request, facts, &mut refusals);
    mode(request, facts, &mut refusals);
    reserved(request.intent, facts, &mut refusals);
    refusals.extend(tag::refusals(&facts.tags, facts.now));
    refusals.extend(interlock::refusals(&facts.interlocks));
    if !facts.in_step && request.target == Some(Throw::Closed) {
        refusals.push(AddCause::BlockedBySynchrocheck.refusal());
    }
    if let Some(unfit) = &facts.unfit {
        refusals.push(AddCause::BlockedByHealth.because(format!("The device is not fit to operate: {unfit}.")));
    }
    pumping(request.intent, facts, &mut refusals);
    if facts.ticket == Ticket::Missing && request.intent != Intent::Look {
        refusals.push(AddCause::NoAccessAuthority.because("Confirm who you are by user name and password."));
    }
    refusals
}

fn right(facts: &Snapshot, refusals: &mut Vec<Refusal>) {
    if !facts.authority {
        refusals.push(AddCause::NoAccessAuthority.because("You may not operate this device."));
    }
    if !facts.control_enabled {
        refusals.push(AddCause::BlockedByMode.because("Remote control is switched off for this utility."));
    }
    if !facts.audit_writable {
        refusals.push(AddCause::BlockedByHealth.because("The record of commands cannot be written, so none is carried out."));
    }
}

/// Whether an object takes a mode: the cause of case S13 and S14, and of rule 4 for an object that only takes select before operate.
pub fn mode_refusal(mode: Mode, support: Support) -> Option<Refusal> {
    match mode {
        Mode::Select if support.sbo => None,
        Mode::Direct if support.direct => None,
        Mode::Direct if support.sbo => Some(AddCause::ObjectNotSelected.because("This device must be selected before it is operated.")),
        Mode::Select if support.direct => Some(AddCause::NotSupported.because("This device does not take select before operate.")),
        Mode::Select | Mode::Direct => Some(AddCause::NotSupported.because("This device cannot be operated from here.")),
    }
}

fn support(intent: Intent, support: Support, refusals: &mut Vec<Refusal>) {
    refusals.extend(match intent {
        Intent::Select | Intent::Execute => mode_refusal(Mode::Select, support),
        Intent::Look if support.sbo => None,
        Intent::Direct | Intent::Look => mode_refusal(Mode::Direct, support),
    });
}

fn form(request: &Request, now: Micros, refusals: &mut Vec<Refusal>) {
    if request.intent == Intent::Look {
        return;
    }
    if request.target.is_none() {
        refusals.push(AddCause::InconsistentParameters.because("Only open and closed can be commanded."));
    }
    // A clock that was set back makes the age negative; such a request is as unfit as an old one.
    if !(0..=REQUEST_AGE_LIMIT_MS).contains(&now.millis_since(request.asked)) {
        refusals.push(AddCause::TimeLimitOver.because("The request is too old to be carried out."));
    }
    if request.scheduled.is_some_and(|at| at.millis_since(now).abs() > SCHEDULE_TOLERANCE_MS) {
        refusals.push(AddCause::InconsistentParameters.because("A command can only be given for now."));
    }
}

fn position(request: &Request, facts: &Snapshot, refusals: &mut Vec<Refusal>) {
    if !facts.link_up {
        refusals.push(AddCause::AbortionByCommunicationLoss.because("There is no link to the device."));
    }
    let Some(live) = facts.live else {
        return refusals.push(AddCause::InvalidPosition.because("The device has never reported its position."));
    };
    let shown = freshness::shown_quality(live.quality, live.source, facts.now, live.age_limit_ms, true);
    if shown != Quality::Good {
        let message = match shown {
            Quality::Stale => "The position of the device is too old to be believed.",
            Quality::Substituted => "The position of the device was entered by hand.",
            _ => "The position of the device cannot be believed.",
        };
        refusals.push(AddCause::InvalidPosition.because(message));
    }
    if facts.recent.doubt_since.is_some_and(|since| live.source <= since) {
        refusals.push(
            AddCause::InvalidPosition.because("The outcome of the last command is not known, and the device has not reported since. It has been asked to: wait for its report, or look at it on site."),
        );
    }
    let Some(stands) = Throw::of(live.position) else {
        return refusals.push(AddCause::InvalidPosition.because(format!("The position of the device is {}.", live.position.text())));
    };
    if request.intent == Intent::Look {
        return;
    }
    if request.from != Some(stands) {
        refusals.push(
            AddCause::InconsistentParameters
                .because(format!("The device is {}, which is not what your screen showed.", live.position.text())),
        );
    }
    if request.target == Some(stands) {
        refusals.push(AddCause::PositionReached.because(format!("The device is already {}.", live.position.text())));
    }
}

fn mode(request: &Request, facts: &Snapshot, refusals: &mut Vec<Refusal>) {
    if facts.local {
        refusals.push(AddCause::BlockedBySwitchingHierarchy.refusal());
    }
    if facts.test_mode != request.test && (request.intent != Intent::Look || facts.test_mode) {
        let message = if facts.test_mode {
            "The device is in test mode."
        } else {
            "The device is not in test mode, and the command is marked as a test."
        };
        refusals.push(AddCause::BlockedByMode.because(message));
    }
}

fn reserved(intent: Intent, facts: &Snapshot, refusals: &mut Vec<Refusal>) {
    match (&facts.reservation, intent) {
        (Reservation::Free, Intent::Execute) => refusals.push(AddCause::ObjectNotSelected.refusal()),
        (Reservation::Mine, Intent::Select | Intent::Direct) => {
            refusals.push(AddCause::ObjectAlreadySelected.because("You have already selected this device."));
        }
        (Reservation::Other { holder, left_ms }, intent) => {
            let cause = if intent == Intent::Select { AddCause::ObjectAlreadySelected } else { AddCause::LockedByOtherClient };
            refusals.push(cause.because(format!("Selected by {holder}, {} s left.", left_ms.max(&0).div_euclid(1_000))));
        }
        (Reservation::Executing { holder }, _) => {
            refusals.push(AddCause::CommandAlreadyInExecution.because(format!("A command of {holder} is being carried out.")));
        }
        (Reservation::Free | Reservation::Mine, _) => {}
    }
    if let Some(other) = &facts.bay_busy {
        refusals.push(AddCause::OneOfNControl.because(format!("{other} of the same bay is selected or being operated.")));
    }
}

fn pumping(intent: Intent, facts: &Snapshot, refusals: &mut Vec<Refusal>) {
    let rest = facts.recent.last.map_or(i64::MAX, |last| facts.now.millis_since(last));
    if rest < REST_BETWEEN_MS {
        let left = (REST_BETWEEN_MS - rest + 999).div_euclid(1_000);
        refusals
            .push(AddCause::BlockedByCommand.because(format!("The device was operated just now and may be operated again in {left} s.")));
    }
    if facts.recent.within_a_minute >= OFTEN && intent != Intent::Look {
        refusals.push(AddCause::NoAccessAuthority.because("The device was operated three times within a minute: sign in again."));
    }
}

#[cfg(test)]
mod tests;
