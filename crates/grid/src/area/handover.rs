//! How an area passes from one desk to another: with the consent of both desks, or by a supervisor with a reason. An area without a holder can be taken.

use crate::{DeskId, MemberId, Micros, enum_text};

/// How long a request or an offer waits for its answer, ms.
pub const ANSWER_WITHIN_MS: i64 = 15 * 60_000;

/// Who has made it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RequestKind {
    /// A desk requests the area from its holder.
    Request,
    /// The holder offers the area to a desk.
    Offer,
}

enum_text! {
    /// The text in messages and in the database.
    RequestKind {
        Request = "request",
        Offer = "offer",
    }
}

/// How a request or an offer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RequestEnd {
    /// The other desk agreed.
    Consented,
    /// The other desk refused.
    Refused,
    /// The desk that made it withdrew it.
    Withdrawn,
    /// Nobody answered in time.
    Expired,
    /// The area passed to a desk in another way.
    Overtaken,
}

enum_text! {
    /// The text in messages and in the database.
    RequestEnd {
        Consented = "consented",
        Refused = "refused",
        Withdrawn = "withdrawn",
        Expired = "expired",
        Overtaken = "overtaken",
    }
}

/// How a desk got an area.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HeldSince {
    /// It held the area when the utility was set up.
    Initial,
    /// No desk held it.
    Taken,
    /// The former holder and the new one agreed.
    Consent,
    /// A supervisor moved it.
    Moved,
}

enum_text! {
    /// The text in messages and in the database.
    HeldSince {
        Initial = "initial",
        Taken = "taken",
        Consent = "consent",
        Moved = "moved",
    }
}

/// A request or an offer that waits for its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenRequest {
    /// Its number.
    pub id: i64,
    /// What it is.
    pub kind: RequestKind,
    /// The desk that holds the area.
    pub from: DeskId,
    /// The desk that would get it.
    pub to: DeskId,
    /// When it expires.
    pub expires: Micros,
    /// The user who made it; `None` if that is not known.
    pub member: Option<MemberId>,
}

impl OpenRequest {
    /// Returns the desk that made it, and the one that answers it.
    fn desks(&self) -> (DeskId, DeskId) {
        match self.kind {
            RequestKind::Request => (self.to, self.from),
            RequestKind::Offer => (self.from, self.to),
        }
    }
}

/// The state of one area.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AreaState {
    /// The desk that holds it; `None` if no desk does.
    pub holder: Option<DeskId>,
    /// Its requests and offers without an answer.
    pub open: Vec<OpenRequest>,
}

/// The user who acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Actor {
    /// The desk of the session.
    pub desk: DeskId,
    /// The user.
    pub member: MemberId,
    /// Whether the user has permission to operate.
    pub operates: bool,
    /// Whether the user may move areas without consent.
    pub supervises: bool,
}

/// An act of a user about an area.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// Requests the area from its holder.
    Request,
    /// Offers the own area to another desk.
    Offer(DeskId),
    /// Agrees to a request or an offer.
    Consent(i64),
    /// Refuses a request or an offer of another desk, or withdraws an own one.
    Refuse(i64),
    /// Takes an area that no desk holds.
    Take,
    /// Moves the area to a desk as a supervisor.
    Move(DeskId),
}

impl Act {
    /// Returns the name of the act in the audit.
    pub fn audit_action(self) -> &'static str {
        match self {
            Self::Request => "area_requested",
            Self::Offer(_) => "area_offered",
            Self::Consent(_) => "area_consented",
            Self::Refuse(_) => "area_refused",
            Self::Take => "area_taken",
            Self::Move(_) => "area_moved",
        }
    }
}

/// A request or an offer to store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewRequest {
    /// What it is.
    pub kind: RequestKind,
    /// The desk that holds the area.
    pub from: DeskId,
    /// The desk that would get it.
    pub to: DeskId,
    /// When it expires.
    pub expires: Micros,
}

/// What changes by an act.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Handover {
    /// A request or an offer that begins.
    pub begins: Option<NewRequest>,
    /// Requests and offers that end.
    pub ends: Vec<(i64, RequestEnd)>,
    /// The new holder; `None` if the holder stays.
    pub holder: Option<(DeskId, HeldSince)>,
}

/// Why an act is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NotHandedOver {
    /// The user may not operate.
    NoPermission,
    /// The user is no supervisor.
    NoSupervisor,
    /// The desk of the user holds the area already.
    OwnAlready,
    /// The area is already held by the desk that it would pass to.
    SameDesk,
    /// No desk holds the area, so there is nobody to request it from.
    Unheld,
    /// Another desk holds the area, so it cannot be taken.
    HeldByOther,
    /// The desk of the user does not hold the area, so it cannot offer it.
    NotHolder,
    /// The same is waiting for an answer already.
    AlreadyOpen,
    /// There is no such request or offer any more.
    NotOpen,
    /// The answer belongs to another desk.
    NotAddressed,
    /// The user has made the request.
    OwnRequest,
}

impl NotHandedOver {
    /// Whether the user may not do this at all, rather than not in the present state.
    pub fn is_about_rights(self) -> bool {
        matches!(self, Self::NoPermission | Self::NoSupervisor | Self::NotHolder | Self::NotAddressed | Self::OwnRequest)
    }
}

impl std::fmt::Display for NotHandedOver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::NoPermission => "You need permission to operate to hand over areas.",
            Self::NoSupervisor => "Only a supervisor can move an area: a user with role 1 or 2 and permission to operate.",
            Self::OwnAlready => "Your desk holds this area already.",
            Self::SameDesk => "This desk holds the area already.",
            Self::Unheld => "No desk holds this area. Take it.",
            Self::HeldByOther => "Another desk holds this area. Ask for it, or let a supervisor move it.",
            Self::NotHolder => "Your desk does not hold this area, so it cannot offer it.",
            Self::AlreadyOpen => "There is such a request already, and it waits for its answer.",
            Self::NotOpen => "This request was answered already, or it has expired.",
            Self::NotAddressed => "Another desk must answer this request.",
            Self::OwnRequest => "You have made this request yourself. Another user must agree to it.",
        })
    }
}

/// Returns what an act changes, or why it is refused. Requests whose time is over end in any case that is not refused.
pub fn step(state: &AreaState, actor: Actor, act: Act, now: Micros) -> Result<Handover, NotHandedOver> {
    use NotHandedOver as Not;
    if !actor.operates {
        return Err(Not::NoPermission);
    }
    let (open, expired): (Vec<&OpenRequest>, Vec<&OpenRequest>) = state.open.iter().partition(|request| now < request.expires);
    let mut handover = Handover { ends: expired.iter().map(|request| (request.id, RequestEnd::Expired)).collect(), ..Handover::default() };
    let waiting = |id: i64| open.iter().find(|request| request.id == id && state.holder == Some(request.from)).copied().ok_or(Not::NotOpen);
    let begin = |kind: RequestKind, from: DeskId, to: DeskId| {
        let is_open = open.iter().any(|request| (request.kind, request.from, request.to) == (kind, from, to));
        let new = NewRequest { kind, from, to, expires: now.plus_millis(ANSWER_WITHIN_MS) };
        if is_open { Err(Not::AlreadyOpen) } else { Ok(Some(new)) }
    };
    match act {
        Act::Request => match state.holder {
            None => return Err(Not::Unheld),
            Some(holder) if holder == actor.desk => return Err(Not::OwnAlready),
            Some(holder) => handover.begins = begin(RequestKind::Request, holder, actor.desk)?,
        },
        Act::Offer(to) => {
            if state.holder != Some(actor.desk) {
                return Err(Not::NotHolder);
            }
            if to == actor.desk {
                return Err(Not::SameDesk);
            }
            handover.begins = begin(RequestKind::Offer, actor.desk, to)?;
        }
        Act::Consent(id) => {
            let request = waiting(id)?;
            if request.desks().1 != actor.desk {
                return Err(Not::NotAddressed);
            }
            // Who has changed the desk meanwhile does not speak for both.
            if request.member == Some(actor.member) {
                return Err(Not::OwnRequest);
            }
            handover.ends.push((id, RequestEnd::Consented));
            handover.holder = Some((request.to, HeldSince::Consent));
        }
        Act::Refuse(id) => {
            let (maker, answerer) = waiting(id)?.desks();
            let end = match actor.desk {
                desk if desk == answerer => RequestEnd::Refused,
                desk if desk == maker => RequestEnd::Withdrawn,
                _ => return Err(Not::NotAddressed),
            };
            handover.ends.push((id, end));
        }
        Act::Take => match state.holder {
            None => handover.holder = Some((actor.desk, HeldSince::Taken)),
            Some(holder) if holder == actor.desk => return Err(Not::OwnAlready),
            Some(_) => return Err(Not::HeldByOther),
        },
        Act::Move(to) => {
            if !actor.supervises {
                return Err(Not::NoSupervisor);
            }
            if state.holder == Some(to) {
                return Err(Not::SameDesk);
            }
            handover.holder = Some((to, HeldSince::Moved));
        }
    }
    if handover.holder.is_some() {
        let ended: Vec<i64> = handover.ends.iter().map(|(id, _)| *id).collect();
        let overtaken = open.iter().filter(|request| !ended.contains(&request.id));
        handover.ends.extend(overtaken.map(|request| (request.id, RequestEnd::Overtaken)));
    }
    Ok(handover)
}

#[cfg(test)]
mod tests;
