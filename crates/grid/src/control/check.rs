//! All preconditions of operating, as one function of one snapshot (docs/reference/operating.md, Refusals; causes of IEC 61850-7-2). It
//! runs for the menu, at SELECT and at OPERATE.
//!
//! All refusals are returned, the most important first: a missing permission comes first, a missing password last.

use super::interlock::{self, Verdict};
use super::tag::{self, Tag};
use super::{AddCause, Mode, Refusal, Support, Throw};
use crate::area::OutsideArea;
use crate::position::Position;
use crate::{Micros, Quality, freshness};

/// A request that waited longer than this is not carried out, ms.
pub const REQUEST_AGE_LIMIT_MS: i64 = 10_000;
/// Largest difference between a scheduled time and now, ms. Commands can only be executed at once.
pub const SCHEDULE_TOLERANCE_MS: i64 = 30_000;
/// Shortest time between two operations of one switch, to prevent pumping, ms.
pub const REST_BETWEEN_MS: i64 = 10_000;
/// Maximum number of operations of one switch within [`OFTEN_WITHIN_MS`]. At the limit, the next opening must wait until the oldest of these operations is
/// longer ago than that time.
pub const OFTEN: u32 = 3;
/// Period for [`OFTEN`], ms.
pub const OFTEN_WITHIN_MS: i64 = 60_000;

/// The requested step. `Preview` is for the menu: it returns what would be refused now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Intent {
    /// No operation, only the check.
    Preview,
    /// Select, the first of two steps.
    Select,
    /// Execute, the second of two steps.
    Execute,
    /// Operate in one step.
    Direct,
}

/// A request to operate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    /// The step.
    pub intent: Intent,
    /// The position on the user's screen, `fromDIStatus`; `None` if a switch in this position cannot be operated.
    pub from: Option<Throw>,
    /// The requested position, `toDIStatus`; `None` if it cannot be commanded.
    pub target: Option<Throw>,
    /// When the request arrived, by the same clock as `Snapshot::now`.
    pub requested: Micros,
    /// The requested time, `scheduledTime`.
    pub scheduled: Option<Micros>,
    /// Whether the request is marked as a test.
    pub test: bool,
}

/// The latest position of the point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Live {
    /// The position.
    pub position: Position,
    /// Its quality, from the device.
    pub quality: Quality,
    /// Its source time.
    pub source: Micros,
    /// Its age limit, ms; `None` for a point that reports by exception only.
    pub age_limit_ms: Option<i64>,
}

/// The reservation of the point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reservation {
    /// Not reserved.
    Free,
    /// Selected by the requesting user in the same session.
    Mine,
    /// Selected by another user or session.
    Other {
        /// Name of the holder.
        holder: String,
        /// Remaining time, ms.
        left_ms: i64,
    },
    /// A command is in execution.
    Executing {
        /// Name of the holder.
        holder: String,
    },
}

/// Whether the user has confirmed their identity. A ticket can be used once; the caller has checked this.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ticket {
    /// Not required: roles 1 and 2.
    NotNeeded,
    /// Present, unused, not expired, and for this user, device and direction.
    Valid,
    /// There is no ticket, or it was used before, has expired, or is for another operation.
    Missing,
}

/// What a synchronism check reports about closing a switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Synchronism {
    /// The switch has no such check.
    NotMeasured,
    /// The voltages on both sides permit closing.
    InStep,
    /// They do not.
    OutOfStep,
    /// The check has no certain value.
    Unknown,
}

/// A flag of a device or its station that refuses operating while it is on, and while it is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Flag {
    /// Reported as off, or nothing reports it.
    Off,
    /// Something reports it, but it has no certain value.
    Unknown,
    /// Reported as on.
    On,
}

/// Recent operations of this switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Recent {
    /// When the latest operate message was sent.
    pub last: Option<Micros>,
    /// The end of the time in which the number of operations within [`OFTEN_WITHIN_MS`], since the user signed in, is at its limit. `None` if the number is
    /// below the limit.
    pub often_until: Option<Micros>,
    /// When the last command ended with an unknown outcome. The next command requires a position that is newer than this time.
    pub doubt_since: Option<Micros>,
}

/// All facts at the time of the check.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own, and every combination occurs")]
pub struct Snapshot {
    /// The time of the check.
    pub now: Micros,
    /// Whether the user has permission to operate this device: role, location, page, and no read-only or demo user.
    pub authority: bool,
    /// Set if another desk holds the area of the device, or no desk.
    pub outside_area: Option<OutsideArea>,
    /// Whether remote control is enabled for the utility.
    pub control_enabled: bool,
    /// Whether audit records can be written.
    pub audit_writable: bool,
    /// The modes that the device supports.
    pub support: Support,
    /// Whether the gateway, the device and ingest are online.
    pub link_up: bool,
    /// The latest position; `None` if none was ever reported.
    pub live: Option<Live>,
    /// Whether the local/remote switch of the device or the station is on local. If nothing reports it, it counts as remote.
    pub local: Flag,
    /// Whether the device or the station is in test mode. If nothing reports it, it is not.
    pub test_mode: Flag,
    /// The reservation of the point.
    pub reservation: Reservation,
    /// Name of another device of the bay that is selected or in operation.
    pub bay_busy: Option<String>,
    /// The tags on the device.
    pub tags: Vec<Tag>,
    /// Verdicts of the interlocks for the target position.
    pub interlocks: Vec<Verdict>,
    /// What the synchronism check of the switch reports.
    pub synchronism: Synchronism,
    /// A reason reported by the device why it cannot operate, such as low gas or an uncharged spring.
    pub unfit: Option<String>,
    /// Earlier operations.
    pub recent: Recent,
    /// Whether the user has confirmed their identity.
    pub ticket: Ticket,
}

/// Returns every reason to refuse the request, the most important first; empty if it is permitted.
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
    if closes(request, facts) {
        refusals.extend(out_of_step(facts.synchronism));
    }
    if let Some(unfit) = &facts.unfit {
        refusals.push(AddCause::BlockedByHealth.because(format!("The device is not fit to operate: {unfit}.")));
    }
    pumping(request, facts, &mut refusals);
    if facts.ticket == Ticket::Missing && request.intent != Intent::Preview {
        refusals.push(AddCause::NoAccessAuthority.because("Confirm who you are by user name and password."));
    }
    refusals
}

/// Whether the operation would close the device. For the menu, the target is the opposite of the present position.
fn closes(request: &Request, facts: &Snapshot) -> bool {
    match request.intent {
        Intent::Preview => facts.live.is_some_and(|live| live.position == Position::Open),
        _ => request.target == Some(Throw::Closed),
    }
}

fn out_of_step(synchronism: Synchronism) -> Option<Refusal> {
    let message = match synchronism {
        Synchronism::NotMeasured | Synchronism::InStep => return None,
        Synchronism::OutOfStep => {
            "The voltages on both sides of the device are not in step: wait until its synchronism check permits closing."
        }
        Synchronism::Unknown => {
            "The synchronism check of the device has no valid value. Wait for one, or close the device on site with its own check."
        }
    };
    Some(AddCause::BlockedBySynchrocheck.because(message))
}

fn right(facts: &Snapshot, refusals: &mut Vec<Refusal>) {
    if !facts.authority {
        refusals.push(AddCause::NoAccessAuthority.because("You may not operate this device."));
    }
    refusals.extend(facts.outside_area.as_ref().map(Refusal::from));
    if !facts.control_enabled {
        refusals.push(AddCause::BlockedByMode.because("Remote control is switched off for this utility."));
    }
    if !facts.audit_writable {
        refusals.push(AddCause::BlockedByHealth.because("The record of commands cannot be written, so none is carried out."));
    }
}

/// Returns the refusal if an object does not support a mode: cases S13 and S14, and rule 4 for an object that supports only select before operate.
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
        Intent::Preview if support.sbo => None,
        Intent::Direct | Intent::Preview => mode_refusal(Mode::Direct, support),
    });
}

fn form(request: &Request, now: Micros, refusals: &mut Vec<Refusal>) {
    if request.intent == Intent::Preview {
        return;
    }
    if request.target.is_none() {
        refusals.push(AddCause::InconsistentParameters.because("Only open and closed can be commanded."));
    }
    // A clock that was set back makes the age negative; such a request is refused like an old one.
    if !(0..=REQUEST_AGE_LIMIT_MS).contains(&now.millis_since(request.requested)) {
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
    if request.intent == Intent::Preview {
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
    refusals.extend(match facts.local {
        Flag::Off => None,
        Flag::On => Some(AddCause::BlockedBySwitchingHierarchy.refusal()),
        Flag::Unknown => {
            Some(AddCause::BlockedBySwitchingHierarchy.because(
                "It is not known whether the local/remote switch is on local. Wait for its report, or operate the device on site.",
            ))
        }
    });
    let message = match (facts.test_mode, request.test) {
        (Flag::Off, false) | (Flag::On, true) => return,
        (Flag::Off, true) if request.intent == Intent::Preview => return,
        (Flag::Off, true) => "The device is not in test mode, and the command is marked as a test.",
        (Flag::On, false) => "The device is in test mode.",
        (Flag::Unknown, _) => "It is not known whether the device is in test mode. Wait for its report, or operate the device on site.",
    };
    refusals.push(AddCause::BlockedByMode.because(message));
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

fn pumping(request: &Request, facts: &Snapshot, refusals: &mut Vec<Refusal>) {
    let refusal = |ms: i64, message: &dyn Fn(i64) -> String| {
        let left = (ms + 999).div_euclid(1_000);
        Refusal { wait_s: Some(left), ..AddCause::BlockedByCommand.because(message(left)) }
    };
    let rest_ms = facts.recent.last.map_or(0, |last| REST_BETWEEN_MS - facts.now.millis_since(last));
    let resting =
        (rest_ms > 0).then(|| refusal(rest_ms, &|left| format!("The device was operated just now and may be operated again in {left} s.")));
    // Closing gives supply to customers, so only the rest of the device delays it.
    let is_open = facts.live.is_some_and(|live| live.position == Position::Open);
    let often_ms = facts.recent.often_until.map_or(0, |until| until.millis_since(facts.now));
    let often = (often_ms > 0 && !(is_open && closes(request, facts)))
        .then(|| refusal(often_ms, &|left| format!("The device was operated as often as is allowed within this time: wait {left} s.")));
    // The longest time comes first, because after it nothing is left to wait for.
    let mut waits: Vec<Refusal> = resting.into_iter().chain(often).collect();
    waits.sort_by_key(|refusal| std::cmp::Reverse(refusal.wait_s));
    refusals.append(&mut waits);
}

#[cfg(test)]
mod tests;
