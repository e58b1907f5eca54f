//! Flashing points: changes since the last acknowledgement, with trips, in the requested substation; and acknowledgements.

use grid::measure::Quantity;
use grid::point::PointKind;
use grid::position::Encoding;
use grid::{NodeId, Ordinal, PointId, Quality, Reading, flash};
use store::audit::Origin;
use store::seed::PointSeed;
use store::writer::{Batch, NewEvent};
use testkit::Flavour;

use crate::fixture::{START, Utility, enter, utility, utility_on};

/// A change of a point, received the given number of ms after its source time.
fn change(utility: &Utility, point: PointId, value: f64, second: i64, late_ms: i64) -> NewEvent {
    let source = START.plus_millis(second * 1_000);
    let ordinal = Ordinal { epoch: 1, seq: second };
    let reading = Reading { value: Some(value), quality: Quality::Good, source, received: source.plus_millis(late_ms), ordinal };
    NewEvent { client: utility.client, point, index: 0, reading }
}

async fn commit(utility: &Utility, events: Vec<NewEvent>) {
    utility.writer().await.commit(&Batch { events, ..Batch::default() }).await.unwrap();
}

/// The relay of the bay of a substation's breaker.
async fn relay(utility: &Utility, site: usize) -> PointId {
    let site = &utility.sites[site];
    let device: String =
        utility.database.client().await.query_one("SELECT device FROM point WHERE id = $1", &[&site.position.0]).await.unwrap().get(0);
    let seed = PointSeed {
        client: utility.client,
        gateway: site.gateway,
        device,
        metric: "F3R/Op".into(),
        code: "Op".into(),
        asset: site.breaker,
        kind: PointKind::Status(Encoding::Signal),
        quantity: Quantity::Status,
        unit: String::new(),
        decimals: 0,
        scale: 1.0,
        expected_ms: None,
    };
    utility.store.put_points(&[seed]).await.unwrap()[0]
}

async fn flashes(utility: &Utility, locations: Option<&[NodeId]>) -> Vec<(PointId, flash::FlashKind, i64)> {
    let records = utility.store.flashes(locations).await.unwrap();
    records.into_iter().map(|record| (record.point, record.kind, (record.at.0 - START.0) / 1_000_000)).collect()
}

async fn member(utility: &Utility) -> grid::MemberId {
    let seed = store::seed::MemberSeed {
        client: utility.client,
        username: "operator".into(),
        email: "operator@example.org".into(),
        first_name: "A".into(),
        last_name: "B".into(),
        role_id: 2,
        role_name: "Role".into(),
        password_hash: "none".into(),
        node: None,
        can_operate: false,
        demo: false,
    };
    utility.store.put_member(&seed).await.unwrap()
}

fn origin(utility: &Utility, member: grid::MemberId) -> Origin {
    Origin { client: Some(utility.client), actor: Some(member), from: "test".into(), ..Origin::default() }
}

#[tokio::test]
async fn a_change_flashes_until_it_is_acknowledged_and_the_next_one_again() {
    for flavour in Flavour::ALL {
        let utility = utility_on(flavour).await;
        let [one, other] = [0, 1].map(|site| (utility.sites[site].location, utility.sites[site].position));
        assert_eq!(flashes(&utility, None).await, []);
        commit(
            &utility,
            vec![change(&utility, one.1, 2.0, 1, 5), change(&utility, one.1, 2.0, 2, 61_000), change(&utility, other.1, 2.0, 3, 5)],
        )
        .await;
        let (first, second) = ((one.1, flash::FlashKind::Change, 1), (other.1, flash::FlashKind::Change, 3));
        assert_eq!(flashes(&utility, None).await, [first, second], "what came late is history");
        assert_eq!(flashes(&utility, Some(&[other.0])).await, [second]);
        assert_eq!(flashes(&utility, Some(&[])).await, []);

        let member = member(&utility).await;
        let origin = origin(&utility, member);
        let acknowledge = async |location, points: Option<&[PointId]>| {
            utility.store.acknowledge(utility.client, location, points, member, &origin, |_| Vec::new()).await.unwrap()
        };
        assert_eq!(acknowledge(one.0, Some(&[other.1])).await, [], "a point of another substation");
        assert_eq!(acknowledge(one.0, None).await, [one.1]);
        assert_eq!(acknowledge(one.0, None).await, [], "nothing is left");
        assert_eq!(flashes(&utility, None).await, [second]);
        commit(&utility, vec![change(&utility, one.1, 0.0, 4, 5)]).await;
        assert_eq!(flashes(&utility, None).await, [(one.1, flash::FlashKind::Change, 4), second]);
        assert_eq!(acknowledge(one.0, Some(&[one.1])).await, [one.1]);
        assert_eq!(flashes(&utility, None).await, [second]);

        let audited = utility.store.audit_rows(utility.client, None, 10).await.unwrap();
        let audited: Vec<_> = audited.into_iter().map(|row| (row.action, row.subject, row.after)).collect();
        let entry = ("changes_acknowledged".to_owned(), format!("substation {}", one.0), Some(serde_json::json!({ "points": [one.1.0] })));
        assert_eq!(audited, [entry.clone(), entry], "what changed nothing is not entered");
    }
}

#[tokio::test]
async fn of_another_utility_nothing_is_acknowledged() {
    let utility = utility().await;
    let (other, ..) = enter(&utility.store, "OTHER").await;
    let (location, position) = (utility.sites[0].location, utility.sites[0].position);
    commit(&utility, vec![change(&utility, position, 2.0, 1, 5)]).await;
    let member = member(&utility).await;
    let origin = origin(&utility, member);
    for points in [None, Some([position].as_slice())] {
        assert_eq!(utility.store.acknowledge(other, location, points, member, &origin, |_| Vec::new()).await.unwrap(), []);
    }
    assert_eq!(flashes(&utility, None).await.len(), 1);
}

/// Name; command as position, second and state; events as point, value and second; how the breaker flashes after them.
type Step = (&'static str, Option<(i16, i64, &'static str)>, Vec<(PointId, f64, i64)>, Option<(flash::FlashKind, i64)>);

/// In place of a state: the outcome is unknown, and the command was not passed on to the broker.
const NEVER_LEFT: &str = "never left";

#[tokio::test]
async fn a_breaker_that_nobody_opened_has_tripped() {
    use flash::FlashKind::{Change, Trip};
    let utility = utility().await;
    let database = utility.database.client().await;
    // Only the queried columns matter here.
    database.batch_execute("ALTER TABLE command DROP CONSTRAINT command_pkey CASCADE").await.unwrap();
    let columns = "SELECT string_agg(format('ALTER COLUMN %I DROP NOT NULL', attname), ', ') FROM pg_attribute
        WHERE attrelid = 'command'::regclass AND attnotnull AND attnum > 0";
    let dropped: String = database.query_one(columns, &[]).await.unwrap().get(0);
    database.batch_execute(&format!("ALTER TABLE command {dropped}")).await.unwrap();
    let [mine, apart] = [utility.sites[0].position, utility.sites[1].position];
    let relays = [relay(&utility, 0).await, relay(&utility, 1).await];
    let order = async |to: i16, second: i64, state: &str| {
        let at = (START.0 + second * 1_000_000) as f64 / 1e6;
        let (state, never_left) = if state == NEVER_LEFT { ("UNKNOWN", true) } else { (state, false) };
        let statement = "INSERT INTO command (point_id, to_status, sent_at, state, never_left) VALUES ($1, $2, to_timestamp($3), $4, $5)";
        database.execute(statement, &[&mine.0, &to, &at, &state, &never_left]).await.unwrap();
    };
    let member = member(&utility).await;
    let origin = origin(&utility, member);
    let steps: [Step; 10] = [
        ("nobody ordered it", None, vec![(mine, 1.0, 100)], Some((Trip, 100))),
        ("ordered", Some((1, 198, "DONE")), vec![(mine, 1.0, 200)], Some((Change, 200))),
        ("ordered long before", Some((1, 269, "DONE")), vec![(mine, 1.0, 300)], Some((Trip, 300))),
        ("ordered to close", Some((2, 399, "DONE")), vec![(mine, 1.0, 400)], Some((Trip, 400))),
        ("ordered, and its relay operated", Some((1, 499, "DONE")), vec![(relays[0], 1.0, 497), (mine, 1.0, 500)], Some((Trip, 500))),
        (
            "ordered, and the relay of another bay operated",
            Some((1, 599, "DONE")),
            vec![(relays[1], 1.0, 599), (mine, 1.0, 600)],
            Some((Change, 600)),
        ),
        (
            "ordered, and its relay had operated before or came back",
            Some((1, 699, "DONE")),
            vec![(relays[0], 1.0, 694), (relays[0], 0.0, 699), (mine, 1.0, 700)],
            Some((Change, 700)),
        ),
        ("ordered and refused", Some((1, 799, "REFUSED")), vec![(mine, 1.0, 800)], Some((Trip, 800))),
        ("ordered, and nobody knows what came of it", Some((1, 899, "UNKNOWN")), vec![(mine, 1.0, 900)], Some((Change, 900))),
        ("ordered, and the order stayed here", Some((1, 999, NEVER_LEFT)), vec![(mine, 1.0, 1_000)], Some((Trip, 1_000))),
    ];
    for (name, ordered, events, expected) in steps {
        if let Some((to, second, state)) = ordered {
            order(to, second, state).await;
        }
        commit(&utility, events.into_iter().map(|(point, value, second)| change(&utility, point, value, second, 5)).collect()).await;
        let flashing = flashes(&utility, Some(&[utility.sites[0].location])).await;
        let of_breaker = flashing.iter().find(|(point, ..)| *point == mine).map(|(_, kind, second)| (*kind, *second));
        assert_eq!(of_breaker, expected, "{name}");
        utility.store.acknowledge(utility.client, utility.sites[0].location, None, member, &origin, |_| Vec::new()).await.unwrap();
    }
    commit(&utility, vec![change(&utility, apart, 2.0, 1_100, 5)]).await;
    assert!(flashes(&utility, None).await.contains(&(apart, Change, 1_100)));
}

#[tokio::test]
async fn registry_says_when_a_drawing_was_stored() {
    let utility = utility().await;
    let [one, other] = [0, 1].map(|site| utility.sites[site].location);
    let put = async |body: &serde_json::Value| utility.store.put_drawing(utility.client, one, "S", body).await.unwrap();
    let stored = async || {
        let nodes = utility.store.registry(Some(utility.client)).await.unwrap().nodes;
        nodes.into_iter().find(|node| node.id == one).unwrap().drawing_stored
    };
    for first in [1, 2] {
        let before = stored().await;
        put(&serde_json::json!({ "elements": [first] })).await;
        let drawings = utility.store.drawings_of(&[one, other]).await.unwrap();
        assert_eq!(
            drawings.iter().map(|drawing| (drawing.location, drawing.body["elements"][0].clone())).collect::<Vec<_>>(),
            [(one, first.into())]
        );
        assert_eq!(stored().await, Some(drawings[0].updated));
        assert_ne!(stored().await, before);
    }
}
