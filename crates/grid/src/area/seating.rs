//! How a session sits down at a desk. A desk that holds an area and at which another user sits is guarded: sitting down there needs the consent of a user who
//! sits there, or a supervisor with a reason.

use super::handover::{ANSWER_WITHIN_MS, RequestEnd};
use crate::{DeskId, MemberId, Micros};

/// A request to sit down at a desk, which waits for its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenSeat {
    /// Its number.
    pub id: i64,
    /// The desk.
    pub desk: DeskId,
    /// The session that would sit there.
    pub session: i64,
    /// The user of the session.
    pub member: MemberId,
    /// When it expires.
    pub expires: Micros,
}

/// The state of the desks of a utility, as far as it decides who sits where.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Desks {
    /// The desks that hold an area, and at which a user other than the one who acts sits.
    pub guarded: Vec<DeskId>,
    /// The requests without an answer.
    pub open: Vec<OpenSeat>,
}

/// The user who acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sitter {
    /// The session.
    pub session: i64,
    /// The user.
    pub member: MemberId,
    /// The desk of the session.
    pub desk: DeskId,
    /// Whether the user has permission to operate.
    pub operates: bool,
    /// Whether the user may sit down at a guarded desk without consent.
    pub supervises: bool,
}

/// An act of a user about a desk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeatAct {
    /// Sits down at a desk. A supervisor who gives a reason needs no consent.
    Sit {
        /// The desk.
        desk: DeskId,
        /// Whether a reason is given.
        has_reason: bool,
    },
    /// Requests the consent of those who sit at a desk.
    Request(DeskId),
    /// Agrees to a request: its session sits down at the desk.
    Consent(i64),
    /// Refuses a request, or withdraws an own one.
    Refuse(i64),
}

impl SeatAct {
    /// Returns the name of the act in the audit.
    pub fn audit_action(self) -> &'static str {
        match self {
            Self::Sit { .. } => "desk_chosen",
            Self::Request(_) => "desk_requested",
            Self::Consent(_) => "desk_consented",
            Self::Refuse(_) => "desk_refused",
        }
    }
}

/// What changes by an act.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seating {
    /// A request that begins: the desk, and when it expires.
    pub begins: Option<(DeskId, Micros)>,
    /// Requests that end.
    pub ends: Vec<(i64, RequestEnd)>,
    /// The session that sits down, and the desk.
    pub seated: Option<(i64, DeskId)>,
}

/// Why an act is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NotSeated {
    /// The user may not operate.
    NoPermission,
    /// The desk is guarded.
    ConsentNeeded,
    /// The desk is guarded, and the supervisor gives no reason.
    ReasonNeeded,
    /// The desk is not guarded, so there is nobody to ask.
    NotGuarded,
    /// The session sits there already.
    OwnDesk,
    /// The same is waiting for an answer already.
    AlreadyOpen,
    /// There is no such request any more.
    NotOpen,
    /// The answer belongs to those who sit at another desk.
    NotAddressed,
    /// The user has made the request.
    OwnRequest,
}

impl NotSeated {
    /// Whether the user may not do this at all, rather than not in the present state.
    pub fn is_about_rights(self) -> bool {
        matches!(self, Self::NoPermission | Self::ConsentNeeded | Self::ReasonNeeded | Self::NotAddressed | Self::OwnRequest)
    }
}

impl std::fmt::Display for NotSeated {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::NoPermission => "You need permission to operate to sit at a desk.",
            Self::ConsentNeeded => {
                "Other users sit at this desk, and it holds areas. Ask them for their consent, or let a supervisor sit there."
            }
            Self::ReasonNeeded => {
                "Other users sit at this desk, and it holds areas. Give a reason, which all users see, or ask them for their consent."
            }
            Self::NotGuarded => "No consent is needed. Sit down at this desk.",
            Self::OwnDesk => "You sit at this desk already.",
            Self::AlreadyOpen => "There is such a request already, and it waits for its answer.",
            Self::NotOpen => "This request was answered already, or it has expired.",
            Self::NotAddressed => "A user at another desk must answer this request.",
            Self::OwnRequest => "You have made this request yourself. Another user at the desk must agree to it.",
        })
    }
}

/// Returns what an act changes, or why it is refused. Requests whose time is over end in any case that is not refused.
pub fn step(desks: &Desks, sitter: Sitter, act: SeatAct, now: Micros) -> Result<Seating, NotSeated> {
    use NotSeated as Not;
    if !sitter.operates {
        return Err(Not::NoPermission);
    }
    let (open, expired): (Vec<&OpenSeat>, Vec<&OpenSeat>) = desks.open.iter().partition(|request| now < request.expires);
    let mut seating = Seating { ends: expired.iter().map(|request| (request.id, RequestEnd::Expired)).collect(), ..Seating::default() };
    let waiting = |id: i64| open.iter().find(|request| request.id == id).copied().ok_or(Not::NotOpen);
    let is_guarded = |desk: DeskId| desk != sitter.desk && desks.guarded.contains(&desk);
    match act {
        SeatAct::Sit { desk, has_reason } => {
            if is_guarded(desk) && !sitter.supervises {
                return Err(Not::ConsentNeeded);
            }
            if is_guarded(desk) && !has_reason {
                return Err(Not::ReasonNeeded);
            }
            seating.seated = Some((sitter.session, desk));
        }
        SeatAct::Request(desk) => {
            if desk == sitter.desk {
                return Err(Not::OwnDesk);
            }
            if !is_guarded(desk) {
                return Err(Not::NotGuarded);
            }
            if open.iter().any(|request| (request.desk, request.session) == (desk, sitter.session)) {
                return Err(Not::AlreadyOpen);
            }
            seating.begins = Some((desk, now.plus_millis(ANSWER_WITHIN_MS)));
        }
        SeatAct::Consent(id) => {
            let request = waiting(id)?;
            if request.member == sitter.member {
                return Err(Not::OwnRequest);
            }
            if request.desk != sitter.desk {
                return Err(Not::NotAddressed);
            }
            seating.ends.push((id, RequestEnd::Consented));
            seating.seated = Some((request.session, request.desk));
        }
        SeatAct::Refuse(id) => {
            let request = waiting(id)?;
            let end = if request.member == sitter.member {
                RequestEnd::Withdrawn
            } else if request.desk == sitter.desk {
                RequestEnd::Refused
            } else {
                return Err(Not::NotAddressed);
            };
            seating.ends.push((id, end));
        }
    }
    if let Some((session, _)) = seating.seated {
        let ended: Vec<i64> = seating.ends.iter().map(|(id, _)| *id).collect();
        let overtaken = open.iter().filter(|request| request.session == session && !ended.contains(&request.id));
        seating.ends.extend(overtaken.map(|request| (request.id, RequestEnd::Overtaken)));
    }
    Ok(seating)
}

#[cfg(test)]
mod tests {
    use super::*;

    const EAST: DeskId = DeskId(1);
    const WEST: DeskId = DeskId(2);
    const FREE: DeskId = DeskId(3);
    const NOW: Micros = Micros(1_800_000_000_000_000);
    const EVE: MemberId = MemberId(10);
    const WIM: MemberId = MemberId(20);

    fn at(desk: DeskId, session: i64, member: MemberId) -> Sitter {
        Sitter { session, member, desk, operates: true, supervises: false }
    }

    /// West is guarded, and session 1 of Eve at East has requested to sit there.
    fn example() -> Desks {
        let request = OpenSeat { id: 5, desk: WEST, session: 1, member: EVE, expires: NOW.plus_millis(1_000) };
        Desks { guarded: vec![WEST], open: vec![request] }
    }

    #[test]
    fn guarded_desk_needs_consent_or_a_supervisor_with_a_reason() {
        use NotSeated as Not;
        let sit = |desk, has_reason| SeatAct::Sit { desk, has_reason };
        let (eve, wim) = (at(EAST, 1, EVE), at(WEST, 2, WIM));
        let supervisor = Sitter { supervises: true, ..eve };
        let cases = [
            ("nobody sits there, or it holds nothing", eve, sit(FREE, false), Ok(Some((1, FREE)))),
            ("others sit there", eve, sit(WEST, true), Err(Not::ConsentNeeded)),
            ("a supervisor with a reason", supervisor, sit(WEST, true), Ok(Some((1, WEST)))),
            ("a supervisor without a reason", supervisor, sit(WEST, false), Err(Not::ReasonNeeded)),
            ("the own desk again", wim, sit(WEST, false), Ok(Some((2, WEST)))),
            ("without permission to operate", Sitter { operates: false, ..eve }, sit(FREE, false), Err(Not::NoPermission)),
            ("a user there agrees", wim, SeatAct::Consent(5), Ok(Some((1, WEST)))),
            ("the user who has requested it agrees", eve, SeatAct::Consent(5), Err(Not::OwnRequest)),
            ("another session of that user, at the desk", at(WEST, 3, EVE), SeatAct::Consent(5), Err(Not::OwnRequest)),
            ("a user elsewhere agrees", at(EAST, 2, WIM), SeatAct::Consent(5), Err(Not::NotAddressed)),
            ("there is no such request", wim, SeatAct::Consent(6), Err(Not::NotOpen)),
            ("a user there refuses", wim, SeatAct::Refuse(5), Ok(None)),
            ("a user elsewhere refuses", at(FREE, 2, WIM), SeatAct::Refuse(5), Err(Not::NotAddressed)),
            ("it is requested again", eve, SeatAct::Request(WEST), Err(Not::AlreadyOpen)),
            ("a desk that is not guarded is requested", eve, SeatAct::Request(FREE), Err(Not::NotGuarded)),
            ("the own desk is requested", wim, SeatAct::Request(WEST), Err(Not::OwnDesk)),
            ("another user requests it", at(FREE, 3, WIM), SeatAct::Request(WEST), Ok(None)),
        ];
        for (case, sitter, act, expected) in cases {
            assert_eq!(step(&example(), sitter, act, NOW).map(|seating| seating.seated), expected, "{case}");
        }
    }

    #[test]
    fn requests_end_with_the_answer_the_seat_or_the_time() {
        let (eve, wim) = (at(EAST, 1, EVE), at(WEST, 2, WIM));
        let ends = |sitter, act, now| step(&example(), sitter, act, now).unwrap().ends;
        assert_eq!(ends(wim, SeatAct::Consent(5), NOW), [(5, RequestEnd::Consented)]);
        assert_eq!(ends(wim, SeatAct::Refuse(5), NOW), [(5, RequestEnd::Refused)]);
        assert_eq!(ends(eve, SeatAct::Refuse(5), NOW), [(5, RequestEnd::Withdrawn)]);
        let elsewhere = SeatAct::Sit { desk: FREE, has_reason: false };
        assert_eq!(ends(eve, elsewhere, NOW), [(5, RequestEnd::Overtaken)], "the session sits elsewhere");
        assert_eq!(ends(wim, elsewhere, NOW), [], "another session");
        let late = NOW.plus_millis(1_000);
        assert_eq!(step(&example(), wim, SeatAct::Consent(5), late), Err(NotSeated::NotOpen));
        let again = step(&example(), eve, SeatAct::Request(WEST), late).unwrap();
        assert_eq!((again.begins, again.ends), (Some((WEST, late.plus_millis(15 * 60_000))), vec![(5, RequestEnd::Expired)]));
    }
}
