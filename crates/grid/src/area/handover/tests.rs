//! Tests of the handover of areas: a table of acts, and any sequence of acts.

use proptest::prelude::*;

use super::*;

const EAST: DeskId = DeskId(1);
const WEST: DeskId = DeskId(2);
const NORTH: DeskId = DeskId(3);
const NOW: Micros = Micros(1_800_000_000_000_000);

fn at(desk: DeskId) -> Actor {
    Actor { desk, member: MemberId(desk.0), operates: true, supervises: false }
}

fn open(id: i64, kind: RequestKind, to: DeskId) -> OpenRequest {
    let maker = if kind == RequestKind::Request { to } else { EAST };
    OpenRequest { id, kind, from: EAST, to, expires: NOW.plus_millis(1_000), member: Some(MemberId(maker.0)) }
}

/// East holds the area, West has requested it (1), and East has offered it to North (2).
fn example() -> AreaState {
    AreaState { holder: Some(EAST), open: vec![open(1, RequestKind::Request, WEST), open(2, RequestKind::Offer, NORTH)] }
}

#[test]
fn both_desks_must_agree() {
    use NotHandedOver as Not;
    let cases = [
        ("the holder gives it", at(EAST), Act::Consent(1), Ok((WEST, HeldSince::Consent))),
        ("the asking desk agrees with itself", at(WEST), Act::Consent(1), Err(Not::NotAddressed)),
        ("a third desk gives it", at(NORTH), Act::Consent(1), Err(Not::NotAddressed)),
        ("the other desk accepts the offer", at(NORTH), Act::Consent(2), Ok((NORTH, HeldSince::Consent))),
        ("the holder accepts its own offer", at(EAST), Act::Consent(2), Err(Not::NotAddressed)),
        ("a third desk accepts the offer", at(WEST), Act::Consent(2), Err(Not::NotAddressed)),
        (
            "who has requested it sits at the holder's desk now",
            Actor { member: MemberId(WEST.0), ..at(EAST) },
            Act::Consent(1),
            Err(Not::OwnRequest),
        ),
        (
            "who has offered it sits at the other desk now",
            Actor { member: MemberId(EAST.0), ..at(NORTH) },
            Act::Consent(2),
            Err(Not::OwnRequest),
        ),
        ("there is no such request", at(EAST), Act::Consent(3), Err(Not::NotOpen)),
        ("an area of another desk is taken", at(WEST), Act::Take, Err(Not::HeldByOther)),
        ("an area of another desk is offered", at(WEST), Act::Offer(NORTH), Err(Not::NotHolder)),
        ("an operator moves it", at(WEST), Act::Move(WEST), Err(Not::NoSupervisor)),
        ("a supervisor moves it", Actor { supervises: true, ..at(NORTH) }, Act::Move(WEST), Ok((WEST, HeldSince::Moved))),
        ("to the desk that holds it", Actor { supervises: true, ..at(NORTH) }, Act::Move(EAST), Err(Not::SameDesk)),
        ("a user without permission", Actor { operates: false, ..at(EAST) }, Act::Consent(1), Err(Not::NoPermission)),
        ("the same is requested again", at(WEST), Act::Request, Err(Not::AlreadyOpen)),
        ("the holder requests it", at(EAST), Act::Request, Err(Not::OwnAlready)),
        ("it is offered to itself", at(EAST), Act::Offer(EAST), Err(Not::SameDesk)),
    ];
    for (case, actor, act, expected) in cases {
        let found = step(&example(), actor, act, NOW).map(|handover| handover.holder.expect("a holder"));
        assert_eq!(found, expected, "{case}");
    }
}

#[test]
fn passed_area_ends_its_other_requests() {
    let handover = step(&example(), at(EAST), Act::Consent(1), NOW).unwrap();
    assert_eq!(handover.ends, [(1, RequestEnd::Consented), (2, RequestEnd::Overtaken)]);
    let refused = step(&example(), at(EAST), Act::Refuse(1), NOW).unwrap();
    assert_eq!((refused.ends, refused.holder), (vec![(1, RequestEnd::Refused)], None));
    let withdrawn = step(&example(), at(WEST), Act::Refuse(1), NOW).unwrap();
    assert_eq!((withdrawn.ends, withdrawn.holder), (vec![(1, RequestEnd::Withdrawn)], None));
    assert_eq!(step(&example(), at(NORTH), Act::Refuse(1), NOW), Err(NotHandedOver::NotAddressed));
}

#[test]
fn request_expires_after_15_minutes() {
    let mut state = AreaState { holder: Some(EAST), open: Vec::new() };
    let new = step(&state, at(WEST), Act::Request, NOW).unwrap().begins.unwrap();
    assert_eq!(new.expires, NOW.plus_millis(15 * 60_000));
    state.open.push(OpenRequest { id: 5, kind: new.kind, from: new.from, to: new.to, expires: new.expires, member: None });
    assert!(step(&state, at(EAST), Act::Consent(5), NOW.plus_millis(15 * 60_000 - 1)).is_ok());
    assert_eq!(step(&state, at(EAST), Act::Consent(5), new.expires), Err(NotHandedOver::NotOpen));
    let again = step(&state, at(WEST), Act::Request, new.expires).unwrap();
    assert_eq!((again.ends, again.begins.is_some()), (vec![(5, RequestEnd::Expired)], true), "it can be requested again");
}

#[test]
fn area_without_a_holder_is_taken_at_once() {
    let state = AreaState { holder: None, open: Vec::new() };
    assert_eq!(step(&state, at(WEST), Act::Take, NOW).unwrap().holder, Some((WEST, HeldSince::Taken)));
    assert_eq!(step(&state, at(WEST), Act::Request, NOW), Err(NotHandedOver::Unheld));
    assert_eq!(step(&state, at(WEST), Act::Offer(EAST), NOW), Err(NotHandedOver::NotHolder));
}

/// A desk's act, and how long after the one before.
fn acts() -> impl Strategy<Value = Vec<(Actor, Act, i64)>> {
    let desk = || prop::sample::select(vec![EAST, WEST, NORTH]);
    let actor = (desk(), 0_i64..4, prop::bool::weighted(0.9), prop::bool::weighted(0.2));
    let act = prop_oneof![
        3 => Just(Act::Request),
        2 => desk().prop_map(Act::Offer),
        4 => (0_i64..12).prop_map(Act::Consent),
        1 => (0_i64..12).prop_map(Act::Refuse),
        1 => Just(Act::Take),
        1 => desk().prop_map(Act::Move),
    ];
    let actor = actor.prop_map(|(desk, member, operates, supervises)| Actor { desk, member: MemberId(member), operates, supervises });
    prop::collection::vec((actor, act, 0_i64..20 * 60_000), 0..60)
}

proptest! {
    /// The log of what was accepted shows for each new holder that both desks agreed in time, that a supervisor moved the area, or that no desk held it.
    #[test]
    fn nobody_holds_without_consent_or_supervisor(acts in acts(), is_held in any::<bool>()) {
        let mut state = AreaState { holder: is_held.then_some(EAST), open: Vec::new() };
        let (mut now, mut made): (Micros, Vec<(OpenRequest, DeskId, Micros)>) = (NOW, Vec::new());
        for (actor, act, later) in acts {
            now = now.plus_millis(later);
            let Ok(handover) = step(&state, actor, act, now) else { continue };
            prop_assert!(actor.operates);
            if let Some((desk, how)) = handover.holder {
                prop_assert_ne!(state.holder, Some(desk));
                match how {
                    HeldSince::Consent => {
                        let Act::Consent(id) = act else { return Err(TestCaseError::fail("consent without an answer")) };
                        let (request, maker, since) = made.iter().find(|(request, ..)| request.id == id).expect("it was made");
                        let mut agreed = [*maker, actor.desk];
                        let mut both = [state.holder.expect("a holder"), desk];
                        agreed.sort_unstable();
                        both.sort_unstable();
                        prop_assert_eq!(agreed, both, "both desks have agreed");
                        prop_assert_ne!(request.member, Some(actor.member), "two users have agreed");
                        prop_assert!(now.millis_since(*since) < ANSWER_WITHIN_MS && request.to == desk);
                    }
                    HeldSince::Moved => prop_assert!(actor.supervises && act == Act::Move(desk)),
                    HeldSince::Taken => prop_assert!(state.holder.is_none() && desk == actor.desk),
                    HeldSince::Initial => prop_assert!(false, "no act makes this"),
                }
                state.holder = Some(desk);
            }
            state.open.retain(|request| handover.ends.iter().all(|(id, _)| *id != request.id));
            if let Some(NewRequest { kind, from, to, expires }) = handover.begins {
                let request = OpenRequest { id: made.len() as i64, kind, from, to, expires, member: Some(actor.member) };
                made.push((request, actor.desk, now));
                state.open.push(request);
            }
            prop_assert!(state.open.iter().all(|request| Some(request.from) == state.holder), "open requests are about the present holder");
        }
    }
}
