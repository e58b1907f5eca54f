//! Alarms and faults for the matrix of routes and roles: rows of the other utility with the numbers that the requests use, and an
//! operator's own requests.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::control::rig::Rig;
use crate::field::Utility;
use crate::server::Server;

/// Stores alarms, faults, rules and notes of a utility with these ids, all marked.
pub(crate) async fn mark(server: &Server, utility: &Utility, ids: &[i64], mark: &str) {
    let Utility { client, location, feeder, position, current, .. } = utility;
    let mut statements = format!(
        "INSERT INTO stream (client_id, kind, top) VALUES ({client}, 'alarm', 1), ({client}, 'fault', 1);
         INSERT INTO alarm_setting (client_id, point_id, kind, limit_value, priority, text) VALUES ({client}, {current}, 'high', 1, 1, '{mark}');
         INSERT INTO relay_setting (client_id, asset_id, element, pickup_a, curve, time_s) VALUES ({client}, {feeder}, '50', 999, 'definite_time', 0);"
    );
    for (number, id) in ids.iter().enumerate() {
        write!(
            statements,
            "INSERT INTO alarm (id, client_id, source, kind, priority, point_id, asset_id, location_id, text, unit, customers, state, count, \"offset\",
                 raised_offset)
             VALUES ({id}, {client}, 'mark/{id}', 'high', 1, {current}, {feeder}, {location}, '{mark}', '', 0, 'active_unacked', 1, 1, 1)
             ON CONFLICT DO NOTHING;
             INSERT INTO fault (id, client_id, point_id, asset_id, location_id, customers, started, ended, opened, trips, reclosed, lockout, \"offset\")
             VALUES ({id}, {client}, {position}, {feeder}, {location}, 0, now() - {number} * interval '1 s', now(), now(), 1, true, false, 1)
             ON CONFLICT DO NOTHING;
             INSERT INTO outage (id, client_id, location_id, asset_id, incident, worked_started, worked_cause, from_unknown, provisional, trips, evidence,
                 note)
             VALUES ({id}, {client}, {location}, {feeder}, 1, now() - {number} * interval '1 s', 'fault', false, false, 1, '{{1}}', '{mark}')
             ON CONFLICT DO NOTHING;
             INSERT INTO action_note (id, client_id, location_id, text, owner, due, state, created_by)
             VALUES ({id}, {client}, {location}, '{mark}', '{mark}', '2026-01-01', 'planned', '{mark}') ON CONFLICT DO NOTHING;"
        )
        .expect("a string takes everything");
    }
    write!(
        statements,
        "INSERT INTO alarm_event (client_id, \"offset\", alarm_id, change, kind, priority, location_id, text, unit, customers, state, count, raised_offset)
         SELECT client_id, 1, min(id), 'raised', 'high', 1, {location}, '{mark}', '', 0, 'active_unacked', 1, 1 FROM alarm WHERE client_id = {client}
         GROUP BY client_id;"
    )
    .expect("a string takes everything");
    // The ids are far above those of other rows.
    for table in ["alarm", "fault", "outage", "action_note"] {
        write!(statements, "SELECT setval(pg_get_serial_sequence('{table}', 'id'), 1000000);").expect("a string takes everything");
    }
    server.database.client().await.batch_execute(&statements).await.expect("entered");
}

/// Returns the requests of an operator about alarms, rules and notes, with the expected results.
pub(crate) async fn requests(rig: &Rig, foreign: i64) -> Vec<(&'static str, String, Value, u16)> {
    let (one, two) = (&rig.server.one, &rig.server.two);
    let client = rig.server.database.client().await;
    let statement =
        "INSERT INTO alarm (client_id, source, kind, priority, location_id, text, unit, customers, state, count, \"offset\", raised_offset)
                     VALUES ($1, 'own', 'comm', 1, $2, 'own', '', 0, 'active_unacked', 1, 1, 1) RETURNING id";
    let own: i64 = client.query_one(statement, &[&one.client.0, &one.location.0]).await.expect("an alarm").get(0);
    let statement = "INSERT INTO action_note (client_id, location_id, text, owner, due, state, created_by)
                     VALUES ($1, $2, 'own', 'own', '2026-01-01', 'planned', 'own') RETURNING id";
    let note: i64 = client.query_one(statement, &[&one.client.0, &one.location.0]).await.expect("a note").get(0);
    let statement = "INSERT INTO outage (client_id, location_id, asset_id, incident, worked_started, worked_cause, from_unknown, provisional, trips, evidence)
                     VALUES ($1, $2, $3, 1, now(), 'fault', false, false, 1, '{1}') RETURNING id";
    let outage: i64 = client.query_one(statement, &[&one.client.0, &one.location.0, &one.feeder.0]).await.expect("an outage").get(0);
    let rules = json!({ "rules": [{ "kind": "high", "limit": 1.0, "priority": 1 }] });
    let plan =
        |id: Option<i64>, location: i64| json!({ "id": id, "locationId": location, "text": "x", "owner": "x", "dueDate": "2026-12-31" });
    let (here, there) = (one.location.0, two.location.0);
    let mut all = Vec::new();
    for (id, status) in [(own, 200), (foreign, 404)] {
        all.push(("POST", "/api/alarms/acknowledge".to_owned(), json!({ "ids": [id], "offset": 1_000_000 }), status));
        all.push(("POST", "/api/alarms/shelve".to_owned(), json!({ "id": id, "minutes": 5, "reason": "x" }), status));
        all.push(("POST", "/api/alarms/unshelve".to_owned(), json!({ "id": id }), status));
        all.push(("POST", "/api/alarms/note".to_owned(), json!({ "id": id, "note": "x" }), status));
    }
    for (point, status) in [(one.current, 200), (two.current, 404)] {
        all.push(("PUT", format!("/api/admin/alarmsettings/{point}"), rules.clone(), status));
    }
    let relay = json!({ "settings": [{ "element": "51", "pickupA": 1.0, "curve": "definite_time", "timeS": 1.0 }] });
    for (feeder, status) in [(one.feeder, 200), (two.feeder, 404)] {
        all.push(("PUT", format!("/api/admin/relaysettings/{feeder}"), relay.clone(), status));
    }
    for (id, location, status) in [(None, here, 200), (Some(note), here, 200), (Some(foreign), here, 404), (None, there, 404)] {
        all.push(("POST", "/api/actionnotes".to_owned(), plan(id, location), status));
    }
    for (outage, feeder, status) in [(outage, one.feeder, 200), (foreign, two.feeder, 404)] {
        let path = format!("/api/analytics/outage/{outage}");
        all.push(("GET", path.clone(), Value::Null, status));
        all.push(("PUT", path, json!({ "note": "x", "cause": "planned" }), status));
        all.push(("PUT", format!("/api/admin/feedersupply/{feeder}"), json!({ "agricultural": true }), status));
    }
    for (level, status) in [(here, 200), (there, 404)] {
        let question = json!({ "level": "location", "levelId": level, "frequency": 5 });
        all.push(("POST", "/api/report/relibdatabyfrequency".to_owned(), question, status));
    }
    let past = format!("/api/alarms/client/{}?history=2026-01-01T00:00:00Z,2026-12-31T00:00:00Z", one.client);
    all.push(("GET", past, Value::Null, 200));
    all
}
