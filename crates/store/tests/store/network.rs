//! Versions of the network on a real database: change sets, activation, two writers, and the separation of utilities.

use grid::{ClientId, MemberId, Micros};
use network::Description;
use network::changes::{ChangeSet, PartChanges, PartIds};
use network::description::{Container, ContainerKind, Electrical, Equipment, Line, Measurement, Node, SourceVoltage, Terminal};
use network::findings::Rule;
use network::{EquipmentKind, Phases};
use store::audit::Origin;
use store::network::{ActiveVersion, NetworkError, Plan, VersionNumber};
use store::{ReadClass, Store};
use testkit::Flavour;

use crate::fixture::{START, Utility, enter, utility, utility_on};

/// 2100-01-01 00:00 UTC: after the time of the database, which counts if it is later.
const FUTURE: Micros = Micros(4_102_444_800_000_000);

fn node(id: &str) -> Node {
    Node { id: id.into(), name: String::new(), container: Some("S".into()), nominal_kv: Some(11.0), is_internal: false, place: None }
}

fn equipment(id: &str, kind: EquipmentKind, nodes: &[&str]) -> Equipment {
    let terminals = nodes.iter().map(|node| Terminal { node: (*node).to_owned(), phases: Phases::ABC }).collect();
    Equipment {
        id: id.into(),
        name: format!("Name of {id}"),
        kind,
        container: Some("S".into()),
        terminals,
        is_in_service: true,
        electrical: Electrical::Nothing,
    }
}

fn line(id: &str, nodes: &[&str], length_km: f64) -> Equipment {
    let electrical = Electrical::Line(Line { length_km: Some(length_km), ..Line::default() });
    Equipment { electrical, ..equipment(id, EquipmentKind::LineSegment, nodes) }
}

/// A source and a chain of lines, and a breaker whose point exists in the fixture. Ids are in the order of their bytes.
pub(crate) fn chain(lines: usize) -> Description {
    let nodes: Vec<String> = (0..=lines).map(|number| format!("n{number:06}")).collect();
    let mut all = vec![
        Equipment { electrical: Electrical::Source(SourceVoltage::default()), ..equipment("G", EquipmentKind::EnergySource, &["b"]) },
        equipment("a", EquipmentKind::Breaker, &["b", &nodes[0]]),
    ];
    all.extend((0..lines).map(|number| line(&format!("l{number:06}"), &[&nodes[number], &nodes[number + 1]], 0.1 + number as f64 / 3.0)));
    let mut of_nodes = vec![Node { place: Some([83.2, 17.7]), name: "Bus".into(), ..node("b") }];
    of_nodes.extend(nodes.iter().map(|id| node(id)));
    Description {
        containers: vec![Container {
            id: "S".into(),
            name: "Autonagar".into(),
            kind: ContainerKind::Substation,
            parent: None,
            nominal_kv: None,
            place: Some([83.2, 17.7]),
        }],
        nodes: of_nodes,
        equipment: all,
        measurements: vec![
            Measurement {
                id: "P1".into(),
                equipment: "a".into(),
                terminal: None,
                quantity: "Pos".into(),
                phases: Phases::ABC,
                point: Some("AUTONAGAR/F3/F3CB/Pos".into()),
            },
            Measurement {
                id: "P2".into(),
                equipment: "a".into(),
                terminal: Some(2),
                quantity: "Ir".into(),
                phases: Phases::parse("A").unwrap(),
                point: Some("AUTONAGAR/F3/no/such".into()),
            },
        ],
    }
}

fn put_line(line: Equipment) -> ChangeSet {
    let put = Description { equipment: vec![line], ..Description::default() };
    ChangeSet::Parts(PartChanges { put, remove: PartIds::default() })
}

pub(crate) fn origin(client: ClientId) -> Origin {
    Origin { client: Some(client), from: "192.0.2.7".into(), correlation: "c1".into(), ..Origin::default() }
}

pub(crate) async fn store_change(store: &Store, client: ClientId, change: ChangeSet) -> VersionNumber {
    let plan = store.plan_network(client, None, change).await.unwrap();
    store.apply_network(client, &plan, "a note", START, &origin(client)).await.unwrap().expect("something differs")
}

async fn rows(utility: &Utility) -> Vec<i64> {
    let mut counts = Vec::new();
    for table in ["network_version", "network_container", "network_node", "network_equipment", "network_measurement"] {
        counts.push(utility.count(table).await);
    }
    counts
}

#[tokio::test]
async fn activation_waits_for_the_decision_about_a_command() {
    let utility = utility().await;
    let (store, client) = (&utility.store, utility.client);
    let version = store_change(store, client, ChangeSet::Whole(chain(3))).await;
    let mut other = utility.database.client().await;
    other
        .batch_execute(&format!("INSERT INTO stream (client_id, kind) VALUES ({client}, 'command') ON CONFLICT DO NOTHING"))
        .await
        .unwrap();
    // As a command that is being decided holds it.
    let decision = other.transaction().await.unwrap();
    let lock = "SELECT FROM stream WHERE client_id = $1 AND kind = 'command' FOR UPDATE";
    decision.execute(lock, &[&client.0]).await.unwrap();
    let (watch, by) = (utility.database.client().await, origin(client));
    let (activated, decided) = tokio::join!(store.activate_network(client, version, START, START, &by), async {
        let waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
        let blocked = async {
            while watch.query_one(waiting, &[]).await.unwrap().get::<_, i64>(0) == 0 {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(std::time::Duration::from_secs(20), blocked).await.expect("the activation waits");
        assert_eq!(store.active_network(client, FUTURE).await.unwrap(), None);
        let now = decision.query_one("SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::int8", &[]).await.unwrap().get::<_, i64>(0);
        decision.commit().await.unwrap();
        Micros(now)
    });
    assert!(activated.unwrap().active.since >= decided, "the version is active after the decision");
}

#[tokio::test]
async fn each_version_is_read_as_it_was_stored() {
    for flavour in Flavour::ALL {
        let utility = utility_on(flavour).await;
        let (store, client) = (&utility.store, utility.client);
        assert_eq!(store.newest_network(client).await.unwrap(), None);
        assert_eq!(store.network(client, VersionNumber(1)).await.unwrap(), None);
        let first = chain(40);
        assert_eq!(store_change(store, client, ChangeSet::Whole(first.clone())).await, VersionNumber(1));
        let moved = line("l000007", &["n000007", "n000008"], 9.5);
        assert_eq!(store_change(store, client, put_line(moved.clone())).await, VersionNumber(2));
        let mut third = first.clone();
        third.equipment.retain(|equipment| equipment.id != "l000039");
        third.nodes.retain(|node| node.id != "n000040");
        assert_eq!(store_change(store, client, ChangeSet::Whole(third.clone())).await, VersionNumber(3));
        let mut second = first.clone();
        let place = second.equipment.iter_mut().find(|equipment| equipment.id == moved.id).unwrap();
        *place = moved;
        for (number, expected) in [(1, &first), (2, &second), (3, &third)] {
            assert_eq!(store.network(client, VersionNumber(number)).await.unwrap().as_ref(), Some(expected), "{flavour:?} {number}");
        }
        let mut page = store.network_parts::<Node>(client, VersionNumber(1), "n000010", Some(2)).await.unwrap();
        assert_eq!(page.pop().map(|node| node.id).as_deref(), Some("n000012"));
        assert_eq!(page.len(), 1);
        let versions = store.network_versions(client, Some(VersionNumber(3)), 10).await.unwrap();
        let found: Vec<_> = versions.iter().map(|version| (version.number.0, version.note.as_str(), version.counts.nodes)).collect();
        assert_eq!(found, [(2, "a note", 42), (1, "a note", 42)]);
    }
}

#[tokio::test]
async fn change_of_one_line_writes_one_row() {
    let utility = utility().await;
    let (store, client) = (&utility.store, utility.client);
    store_change(store, client, ChangeSet::Whole(chain(500))).await;
    assert_eq!(rows(&utility).await, [1, 1, 502, 502, 2]);
    store_change(store, client, put_line(line("l000007", &["n000007", "n000008"], 9.5))).await;
    assert_eq!(rows(&utility).await, [2, 1, 502, 503, 2]);
    let plan = store.plan_network(client, None, put_line(line("l000007", &["n000007", "n000008"], 9.5))).await.unwrap();
    assert!(plan.difference().is_empty());
    assert_eq!(store.apply_network(client, &plan, "", START, &origin(client)).await.unwrap(), None);
    assert_eq!(rows(&utility).await, [2, 1, 502, 503, 2], "what changes nothing makes no version");
}

#[tokio::test]
async fn dry_run_reports_difference_and_findings_and_writes_nothing() {
    let utility = utility().await;
    let (store, client) = (&utility.store, utility.client);
    store_change(store, client, ChangeSet::Whole(chain(3))).await;
    let before = (rows(&utility).await, utility.count("audit").await);
    let stray = equipment("x", EquipmentKind::Breaker, &["n000001", "nowhere"]);
    let remove = PartIds { equipment: vec!["l000002".into()], ..PartIds::default() };
    let put = Description { equipment: vec![stray], ..Description::default() };
    let plan = store.plan_network(client, Some(1), ChangeSet::Parts(PartChanges { put, remove })).await.unwrap();
    let difference = plan.difference();
    assert_eq!(difference.equipment.added.iter().map(|part| part.id.as_str()).collect::<Vec<_>>(), ["x"]);
    assert_eq!((difference.equipment.removed.as_slice(), difference.nodes.is_empty()), (&["l000002"][..], true));
    assert_eq!((plan.findings().count(Rule::MissingNode), plan.findings().count(Rule::NodeWithoutTerminals)), (1, 1));
    assert_eq!(plan.based_on(), Some(VersionNumber(1)));
    assert_eq!((rows(&utility).await, utility.count("audit").await), before);
}

#[tokio::test]
async fn second_of_two_writers_is_refused() {
    let utility = utility().await;
    let (store, client) = (&utility.store, utility.client);
    store_change(store, client, ChangeSet::Whole(chain(3))).await;
    let plan = async |km: f64| store.plan_network(client, Some(1), put_line(line("l000001", &["n000001", "n000002"], km))).await.unwrap();
    let (one, other) = (plan(1.0).await, plan(2.0).await);
    let origin = origin(client);
    let apply = |plan: Plan| {
        let (store, origin) = (store.clone(), origin.clone());
        async move { store.apply_network(client, &plan, "", START, &origin).await }
    };
    let (one, other) = tokio::join!(apply(one), apply(other));
    let refused = if one.is_ok() { other } else { one }.unwrap_err();
    assert!(matches!(refused, NetworkError::Outdated { based_on: 1, newest: 2 }), "{refused}");
    assert_eq!(
        refused.to_string(),
        "the change is based on version 1 of the network, but version 2 is the newest. Nothing was changed. Read version 2 and make the change again"
    );
    assert_eq!(rows(&utility).await[0], 2);
    let late = store.plan_network(client, Some(1), ChangeSet::Whole(chain(4))).await.unwrap_err();
    assert!(matches!(late, NetworkError::Outdated { based_on: 1, newest: 2 }), "{late}");
}

#[tokio::test]
async fn parts_that_cannot_be_read_again_are_not_stored() {
    let utility = utility().await;
    let (store, client) = (&utility.store, utility.client);
    let mut doubled = chain(3);
    doubled.nodes.push(node("b"));
    let mut infinite = chain(3);
    infinite.nodes[0].nominal_kv = Some(f64::INFINITY);
    let mut with_nul = chain(3);
    with_nul.nodes[0].name = "a\0b".into();
    let in_reference = |change: fn(&mut Description, String), text: String| {
        let mut network = chain(3);
        change(&mut network, text);
        network
    };
    let references: [fn(&mut Description, String); 5] = [
        |network, text| network.containers[0].parent = Some(text),
        |network, text| network.nodes[0].container = Some(text),
        |network, text| network.equipment[0].container = Some(text),
        |network, text| network.equipment[1].terminals[0].node = text,
        |network, text| network.measurements[0].equipment = text,
    ];
    for change in references {
        for text in ["a\0b".to_owned(), "x".repeat(10_000)] {
            let plan = store.plan_network(client, None, ChangeSet::Whole(in_reference(change, text))).await.unwrap();
            assert_eq!(plan.findings().count(Rule::InvalidText), 1, "{:?}", plan.findings());
            let refused = store.apply_network(client, &plan, "", START, &origin(client)).await.unwrap_err();
            assert!(matches!(refused, NetworkError::Findings(_)) && refused.to_string().len() < 2_000, "{refused}");
        }
    }
    for wrong in [doubled, infinite, with_nul] {
        let plan = store.plan_network(client, None, ChangeSet::Whole(wrong)).await.unwrap();
        let refused = store.apply_network(client, &plan, "", START, &origin(client)).await.unwrap_err();
        assert!(refused.to_string().starts_with("the network has 1 errors. Nothing was changed. The first: node b: "), "{refused}");
    }
    let plan = store.plan_network(client, None, ChangeSet::Whole(chain(3))).await.unwrap();
    let long = store.apply_network(client, &plan, &"x".repeat(1_001), START, &origin(client)).await.unwrap_err();
    assert!(matches!(long, NetworkError::LongNote(1_001)), "{long}");
    assert_eq!(rows(&utility).await, [0; 5]);
}

#[tokio::test]
async fn versions_are_active_from_their_times_on() {
    let utility = utility().await;
    let (store, client) = (&utility.store, utility.client);
    let origin = Origin { actor: None, ..origin(client) };
    for lines in [3, 4, 5] {
        store_change(store, client, ChangeSet::Whole(chain(lines))).await;
    }
    let at = |seconds: i64| FUTURE.plus_millis(seconds * 1_000);
    let activate =
        async |version: i32, since: Micros, now: Micros| store.activate_network(client, VersionNumber(version), since, now, &origin).await;
    let active = async |seconds: i64| store.active_network(client, at(seconds)).await.unwrap().map(|active| active.version.0);
    assert_eq!(active(0).await, None);
    activate(1, at(-1_000), at(0)).await.expect("the first activation may be in the past");
    activate(2, at(100), at(10)).await.unwrap();
    assert_eq!((active(-1_001).await, active(-1_000).await, active(99).await, active(100).await), (None, Some(1), Some(1), Some(2)));
    let replaced = activate(3, at(50), at(20)).await.unwrap();
    assert_eq!(replaced.replaced, [ActiveVersion { version: VersionNumber(2), since: at(100), until: None }]);
    assert_eq!((active(49).await, active(50).await, active(200).await), (Some(1), Some(3), Some(3)));
    let late = activate(1, at(59), at(60)).await.unwrap_err();
    assert!(matches!(late, NetworkError::Past { active: VersionNumber(3) }), "{late}");
    activate(1, at(60), at(60)).await.expect("a version can be activated again");
    let missing = activate(4, at(70), at(70)).await.unwrap_err();
    assert_eq!(missing.to_string(), "there is no version 4 of the network");
    let first = store.network_version(client, VersionNumber(1)).await.unwrap().unwrap();
    let spans: Vec<_> = first.activations.iter().map(|activation| (activation.since, activation.until)).collect();
    assert_eq!(spans, [(at(-1_000), Some(at(50))), (at(60), None)]);
}

#[tokio::test]
async fn activation_never_removes_one_that_came_into_force_meanwhile() {
    let utility = utility().await;
    let (store, client) = (&utility.store, utility.client);
    for lines in [3, 4, 5] {
        store_change(store, client, ChangeSet::Whole(chain(lines))).await;
    }
    let database = utility.database.client().await;
    let text = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint";
    let begin = Micros(database.query_one(text, &[]).await.unwrap().get(0));
    store.activate_network(client, VersionNumber(1), begin, begin, &origin(client)).await.unwrap();
    let planned = Micros(database.query_one(text, &[]).await.unwrap().get(0)).plus_millis(300);
    store.activate_network(client, VersionNumber(2), planned, begin, &origin(client)).await.unwrap();
    // The activation began before the planned time, and gets the lock after it.
    let wait = format!("SELECT pg_sleep_until(to_timestamp({}::numeric / 1000000))", planned.0);
    database.batch_execute(&wait).await.unwrap();
    let requested = begin.plus_millis(1);
    let late = store.activate_network(client, VersionNumber(3), requested, requested, &origin(client)).await.unwrap();
    assert_eq!(late.replaced, []);
    assert!(late.active.since > planned, "{late:?}");
    assert_eq!(store.active_network(client, planned).await.unwrap().map(|active| active.version.0), Some(2));
    assert_eq!(store.active_network(client, late.active.since).await.unwrap().map(|active| active.version.0), Some(3));
    let past = store.activate_network(client, VersionNumber(1), planned, begin, &origin(client)).await.unwrap_err();
    assert!(matches!(past, NetworkError::Past { active: VersionNumber(3) }), "{past}");
}

#[tokio::test]
async fn active_networks_of_all_utilities_follow_planned_activations() {
    let utility = utility().await;
    let (store, own) = (&utility.store, utility.client);
    let other = enter(store, "KSEB").await.0;
    enter(store, "NONE").await;
    let at = |seconds: i64| FUTURE.plus_millis(seconds * 1_000);
    let active = |version: i32, since: i64, until: Option<i64>| ActiveVersion {
        version: VersionNumber(version),
        since: at(since),
        until: until.map(at),
    };
    for (client, activations) in [(own, [(1, 10), (2, 20), (1, 30)].as_slice()), (other, &[(1, 15)])] {
        for lines in [3, 4] {
            store_change(store, client, ChangeSet::Whole(chain(lines))).await;
        }
        for &(version, since) in activations {
            store.activate_network(client, VersionNumber(version), at(since), at(0), &origin(client)).await.unwrap();
        }
    }
    for (seconds, expected) in [
        (9, vec![]),
        (14, vec![(own, active(1, 10, Some(20)))]),
        (15, vec![(own, active(1, 10, Some(20))), (other, active(1, 15, None))]),
        (20, vec![(own, active(2, 20, Some(30))), (other, active(1, 15, None))]),
        (30, vec![(own, active(1, 30, None)), (other, active(1, 15, None))]),
    ] {
        assert_eq!(store.active_networks(at(seconds)).await.unwrap(), expected, "{seconds} s");
        for client in [own, other] {
            let of_client = expected.iter().find(|(id, _)| *id == client).map(|(_, active)| *active);
            assert_eq!(store.active_network(client, at(seconds)).await.unwrap(), of_client, "{client} {seconds} s");
        }
    }
    let replaced = store.activate_network(own, VersionNumber(2), at(18), at(16), &origin(own)).await.unwrap().replaced;
    assert_eq!(replaced, [active(2, 20, Some(30)), active(1, 30, None)]);
}

#[tokio::test]
async fn network_with_errors_is_stored_but_not_activated() {
    let utility = utility().await;
    let (store, client) = (&utility.store, utility.client);
    let mut wrong = chain(3);
    wrong.equipment[1].terminals[1].node = "nowhere".into();
    let version = store_change(store, client, ChangeSet::Whole(wrong)).await;
    let refused = store.activate_network(client, version, FUTURE, FUTURE, &origin(client)).await.unwrap_err();
    let NetworkError::Findings(findings) = &refused else { panic!("{refused}") };
    assert_eq!(findings.count(Rule::MissingNode), 1);
    assert!(
        refused.to_string().contains("equipment a: its terminal 2 is at node nowhere, which does not exist. Add the node"),
        "{refused}"
    );
    assert_eq!(utility.count("network_activation").await, 0);
    assert_eq!(store.active_network(client, START).await.unwrap(), None);
}

#[tokio::test]
async fn audit_has_user_origin_and_extent_of_each_change() {
    let utility = utility().await;
    let (store, client) = (&utility.store, utility.client);
    let version = store_change(store, client, ChangeSet::Whole(chain(30))).await;
    store.activate_network(client, version, FUTURE, FUTURE, &Origin { actor: Some(MemberId(17)), ..origin(client) }).await.unwrap_err();
    store.activate_network(client, version, FUTURE, FUTURE, &origin(client)).await.unwrap();
    let entered = store.audit_rows(client, None, 10).await.unwrap();
    let actions: Vec<_> = entered.iter().map(|entry| (entry.action.as_str(), entry.subject.as_str(), entry.from.as_str())).collect();
    assert_eq!(
        actions,
        [("network_activated", "network version 1", "192.0.2.7"), ("network_version_stored", "network version 1", "192.0.2.7")],
        "a refused activation, by a user that does not exist, leaves no row"
    );
    let stored = entered[1].after.as_ref().unwrap();
    assert_eq!((&stored["nodes"]["added"]["count"], &stored["nodes"]["added"]["first"][0]), (&32.into(), &"b".into()));
    assert_eq!(stored["nodes"]["added"]["first"].as_array().unwrap().len(), 20);
    assert_eq!(entered[0].after.as_ref().unwrap()["sinceMicros"], FUTURE.0);
}

#[tokio::test]
async fn utilities_have_networks_of_their_own() {
    let utility = utility().await;
    let (store, own) = (&utility.store, utility.client);
    let other = enter(store, "KSEB").await.0;
    let client = utility.database.client().await;
    let role = testkit::unique("plain");
    let grants = format!(
        "CREATE ROLE {role} LOGIN; GRANT switchyard_tenant TO {role};
         GRANT ALL ON ALL TABLES IN SCHEMA public TO {role}; GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO {role}"
    );
    client.batch_execute(&grants).await.unwrap();
    // A user without exemption from row-level security, as a deployment has.
    let plain = Store::connect(&format!("{}?user={role}", utility.database.url()), 2).await.unwrap();
    assert_eq!(store_change(&plain, own, ChangeSet::Whole(chain(3))).await, VersionNumber(1));
    assert_eq!(store_change(&plain, other, ChangeSet::Whole(chain(5))).await, VersionNumber(1), "the same ids in another utility");
    plain.activate_network(own, VersionNumber(1), FUTURE, FUTURE, &origin(own)).await.unwrap();
    assert_eq!(plain.active_network(other, START).await.unwrap(), None);
    assert_eq!(plain.network(own, VersionNumber(1)).await.unwrap(), Some(chain(3)));
    assert_eq!(plain.network(other, VersionNumber(1)).await.unwrap(), Some(chain(5)));
    let tables = ["network_version", "network_container", "network_node", "network_equipment", "network_measurement"];
    for (bound, is_one) in [(String::new(), false), (own.to_string(), true), (other.to_string(), true)] {
        client.batch_execute(&format!("SET ROLE switchyard_tenant; SET app.client_id = '{bound}'")).await.unwrap();
        for table in tables {
            let row = client.query_one(&format!("SELECT count(*), count(DISTINCT client_id) FROM {table}"), &[]).await.unwrap();
            let (rows, clients): (i64, i64) = (row.get(0), row.get(1));
            assert_eq!((rows > 0, clients), (is_one, i64::from(is_one)), "{table} bound to {bound:?}");
        }
        for table in tables {
            let written = client.batch_execute(&format!("DELETE FROM {table}")).await.unwrap_err();
            assert_eq!(written.code(), Some(&tokio_postgres::error::SqlState::INSUFFICIENT_PRIVILEGE), "{table}");
        }
        client.batch_execute("RESET ROLE; RESET app.client_id").await.unwrap();
    }
    drop(plain);
    client.batch_execute(&format!("DROP OWNED BY {role}; DROP ROLE {role}")).await.unwrap();
}

/// Undoes the migration of the network and those after it.
const BEFORE: &str = "DROP TRIGGER control_room_created ON client; DROP FUNCTION create_control_room;
    DROP TABLE seat_request, session_desk, area_request, area_part, area, desk; DELETE FROM stream WHERE kind = 'area';
    DROP TABLE manual_entry, temporary_change;
    DROP TABLE network_activation, network_version, network_container, network_node, network_equipment, network_measurement;
    DROP TABLE energy_budget, register_step;
    DROP TRIGGER registry_inserted ON feeds; DROP TRIGGER registry_deleted ON feeds; DROP TRIGGER registry_updated ON feeds;
    ALTER TABLE outage_layout DROP COLUMN momentary_ms;
    ALTER TABLE outage DROP COLUMN customers, DROP COLUMN customer_minutes, DROP COLUMN customer_steps;
    ALTER TABLE outage_cursor DROP COLUMN activations;
    DELETE FROM schema_migration WHERE version >= 15";

#[tokio::test]
async fn database_without_network_is_upgraded() {
    for flavour in Flavour::ALL {
        let utility = utility_on(flavour).await;
        let client = utility.database.client().await;
        let body = serde_json::json!({"name": "D", "elements": []});
        utility.store.put_drawing(utility.client, utility.sites[0].location, "D", &body).await.unwrap();
        client.batch_execute(BEFORE).await.unwrap();
        store::migrate(utility.database.url()).await.unwrap();
        assert_eq!(utility.store.newest_network(utility.client).await.unwrap(), None);
        assert_eq!(utility.store.areas(utility.client, 1).await.unwrap().areas.len(), 1, "one area, which its desk holds");
        assert_eq!(utility.store.drawing(utility.client, utility.sites[0].location).await.unwrap(), Some(body), "{flavour:?}");
        assert_eq!(store_change(&utility.store, utility.client, ChangeSet::Whole(chain(3))).await, VersionNumber(1));
    }
}

#[tokio::test]
async fn network_of_100_000_nodes_is_stored_in_seconds() {
    let utility = utility().await;
    // As the console and the uploads of the api: no user waits for a short answer.
    let (store, client) = (&utility.store.in_class(ReadClass::Heavy), utility.client);
    let large = chain(100_000);
    let started = std::time::Instant::now();
    let plan = store.plan_network(client, None, ChangeSet::Whole(large.clone())).await.unwrap();
    let planned = started.elapsed();
    store.apply_network(client, &plan, "", START, &origin(client)).await.unwrap();
    let applied = started.elapsed();
    assert_eq!(store.network(client, VersionNumber(1)).await.unwrap(), Some(large));
    let read = started.elapsed();
    store_change(store, client, put_line(line("l000007", &["n000007", "n000008"], 9.5))).await;
    println!("planned after {planned:?}, stored after {applied:?}, read after {read:?}, one line changed after {:?}", started.elapsed());
    assert!(applied.as_secs() < 60, "{applied:?}");
}
