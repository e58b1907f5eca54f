//! Entries whose api or database connection ends in the middle, for each kind of entry: nothing is lost, nothing is doubled, and the audit is complete.
//!
//! A client that got no answer sends its request again. If the first one was not stored, the second one is carried out. If it was, the second one changes nothing;
//! only an entered value replaces itself.

use std::time::Duration;

use grid::control::Action;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::areas::{operator_at, plan};
use super::life::Doomed;
use super::network::{activate, equipment, switch};
use super::races::until_waiting;
use super::rig::{CLOSED, OPEN, Rig};

/// Time limit of each wait in a test.
const PATIENCE: Duration = Duration::from_secs(20);

/// What is lost, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Loss {
    /// The connection to the database, within the transaction.
    Connection,
    /// The api, within the transaction.
    Api,
    /// The api, after the COMMIT and before the client has its answer.
    Answer,
}

/// What the same request does after it was stored already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Again {
    /// It gets the answer of the first one.
    SameAnswer,
    /// The value replaces itself, which is audited.
    Replaces,
    /// It is refused with this status.
    Refused(u16),
}

/// A kind of entry. `{id}` in the path is the number that the statement `id` returns; `{client}` in a statement is the utility.
struct Kind {
    name: &'static str,
    is_of_east: bool,
    path: &'static str,
    id: &'static str,
    body: fn(&Rig, i64) -> Value,
    /// The rows of which there is one more afterwards.
    effect: &'static str,
    /// The action in the audit.
    audited: &'static str,
    again: Again,
}

/// Each kind uses what the one before it has stored.
const KINDS: [Kind; 10] = [
    Kind {
        name: "manual entry",
        is_of_east: false,
        path: "/api/network/entries",
        id: "0",
        body: |_, _| json!({ "equipment": "D2/ES", "position": "open", "reason": "seen by the crew" }),
        effect: "manual_entry WHERE withdrawn IS NULL",
        audited: "manual_entry_made",
        again: Again::Replaces,
    },
    Kind {
        name: "withdrawal",
        is_of_east: false,
        path: "/api/network/entries/{id}/withdraw",
        id: "(SELECT max(id) FROM manual_entry WHERE withdrawn IS NULL)",
        body: |_, _| json!({ "reason": "it reports again" }),
        effect: "manual_entry WHERE withdrawn_reason = 'it reports again'",
        audited: "manual_entry_withdrawn",
        again: Again::Refused(404),
    },
    Kind {
        name: "temporary change",
        is_of_east: false,
        path: "/api/network/temporary",
        id: "0",
        body: |_, _| json!({ "kind": "portableEarth", "at": [{ "equipment": "D2/X", "terminal": 1 }], "reason": "works" }),
        effect: "temporary_change WHERE removed IS NULL",
        audited: "temporary_change_placed",
        again: Again::SameAnswer,
    },
    Kind {
        name: "removal",
        is_of_east: false,
        path: "/api/network/temporary/{id}/remove",
        id: "(SELECT max(id) FROM temporary_change WHERE removed IS NULL)",
        body: |_, _| json!({ "reason": "done" }),
        effect: "temporary_change WHERE removed IS NOT NULL",
        audited: "temporary_change_removed",
        again: Again::SameAnswer,
    },
    Kind {
        name: "tag",
        is_of_east: false,
        path: "/api/tags",
        id: "0",
        body: |rig, _| json!({ "assetId": rig.server.one.breaker.0, "kind": "inhibit", "reason": "men at work" }),
        effect: "tag WHERE removed_at IS NULL",
        audited: "tag_placed",
        again: Again::SameAnswer,
    },
    Kind {
        name: "removal of a tag",
        is_of_east: false,
        path: "/api/tags/{id}/remove",
        id: "(SELECT max(id) FROM tag WHERE removed_at IS NULL)",
        body: |_, _| json!({ "reason": "done" }),
        effect: "tag WHERE removed_at IS NOT NULL",
        audited: "tag_removed",
        again: Again::Refused(404),
    },
    Kind {
        name: "request of an area",
        is_of_east: true,
        path: "/api/areas/{id}/request",
        id: "(SELECT id FROM area WHERE client_id = {client})",
        body: |_, _| json!({ "reason": "the west is busy" }),
        effect: "area_request",
        audited: "area_requested",
        again: Again::Refused(409),
    },
    Kind {
        name: "consent",
        is_of_east: false,
        path: "/api/areas/{area}/consent",
        id: "(SELECT max(id) FROM area_request WHERE ended IS NULL)",
        body: |_, id| json!({ "requestId": id }),
        effect: "area WHERE how = 'consent'",
        audited: "area_consented",
        again: Again::Refused(409),
    },
    Kind {
        name: "move of an area",
        is_of_east: true,
        path: "/api/areas/{area}/move",
        id: "(SELECT id FROM desk WHERE client_id = {client} AND is_default)",
        body: |_, id| json!({ "deskId": id, "reason": "the east is evacuated" }),
        effect: "area WHERE how = 'moved'",
        audited: "area_moved",
        again: Again::Refused(409),
    },
    Kind {
        name: "command",
        is_of_east: false,
        path: "/api/digiops",
        id: "0",
        body: |rig, _| rig.order("directOperate", CLOSED, OPEN),
        effect: "command",
        audited: "command_direct",
        again: Again::SameAnswer,
    },
];

/// A request as it is sent, with a key of its own.
fn request(token: &str, path: &str, body: &Value) -> String {
    let (key, body) = (testkit::unique("key"), body.to_string());
    format!(
        "POST {path} HTTP/1.0\r\nHost: portal.example\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n\
         Idempotency-Key: {key}\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

async fn number(rig: &Rig, statement: &str) -> i64 {
    let statement = format!("SELECT {statement}::bigint").replace("{client}", &rig.server.one.client.0.to_string());
    rig.server.database.client().await.query_one(&statement, &[]).await.expect("a number").get(0)
}

/// Sends a request to the api at a port. Nobody reads the answer.
async fn send_without_reading(port: u16, request: &str) -> TcpStream {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.expect("connected");
    stream.write_all(request.as_bytes()).await.expect("sent");
    stream
}

/// Sends a request that is interrupted, and returns when it can have no further effect.
async fn interrupt(rig: &mut Rig, loss: Loss, kind: &Kind, token: &str, request: &str) {
    let home = rig.server.port();
    if loss == Loss::Answer {
        let before = rig.count(kind.effect).await;
        let mut doomed = Doomed::start(rig).await;
        rig.server.turn_to(doomed.port);
        if kind.name == "command" {
            rig.until_status(token, |status| status["operable"] == true).await;
        }
        let unread = send_without_reading(doomed.port, request).await;
        let is_stored = async {
            while rig.count(kind.effect).await == before {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(PATIENCE, is_stored).await.unwrap_or_else(|late| panic!("{late}: {} is not stored", kind.name));
        doomed.kill();
        drop(unread);
        rig.server.turn_to(home);
        return;
    }
    let doomed = if loss == Loss::Api { Some(Doomed::start(rig).await) } else { None };
    let mut client = rig.server.database.client().await;
    let lock = client.transaction().await.expect("a transaction");
    let locked = "SELECT FROM stream WHERE client_id = $1 AND kind IN ('area', 'command', 'tag') ORDER BY kind FOR UPDATE";
    lock.execute(locked, &[&rig.server.one.client.0]).await.expect("locked");
    if let Some(mut doomed) = doomed {
        let unread = send_without_reading(doomed.port, request).await;
        until_waiting(rig, 1).await;
        doomed.kill();
        drop(unread);
    } else {
        let cutting = async {
            loop {
                until_waiting(rig, 1).await;
                let waiting = "datname = current_database() AND wait_event_type = 'Lock'";
                rig.sql(&format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {waiting}")).await;
            }
        };
        let answer = tokio::select! {
            answer = rig.server.ask_as_written(request) => answer,
            () = cutting => unreachable!("it goes on until there is an answer"),
        };
        assert_eq!(answer.status, 503, "{}: {answer:?}", kind.name);
    }
    lock.rollback().await.expect("released");
}

/// Interrupts each kind of entry, repeats it, and checks what there is afterwards.
async fn survives(loss: Loss) {
    let mut rig = Rig::start_with(json!({ "feedbackSeconds": 60 })).await;
    switch(&rig, rig.server.one.location, "G", "breaker", CLOSED).await;
    let more = vec![equipment("D2/ES", "GroundDisconnector", &["far"]), equipment("D2/X", "BusbarSection", &["spare"])];
    activate(&rig, "Breaker", more, vec![]).await;
    let west = rig.operator("west", 2).await;
    assert_eq!(plan(&rig, &west, "west", &[]).await.status, 200);
    let east = operator_at(&rig, "east", 2, "East").await;
    let is_loaded = async {
        while rig.server.get_as(&west, "/api/network/entries/options?equipment=D2/ES").await.status != 200 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, is_loaded).await.expect("the network in time");
    let area = number(&rig, "(SELECT id FROM area WHERE client_id = {client})").await;
    for kind in &KINDS {
        let what = format!("{loss:?}, {}", kind.name);
        let token = if kind.is_of_east { &east } else { &west };
        let id = number(&rig, kind.id).await;
        let path = kind.path.replace("{id}", &id.to_string()).replace("{area}", &area.to_string());
        let request = request(token, &path, &(kind.body)(&rig, id));
        let audit = format!("audit WHERE action = '{}'", kind.audited);
        let (effect, audited) = (rig.count(kind.effect).await, rig.count(&audit).await);
        interrupt(&mut rig, loss, kind, token, &request).await;
        let is_stored = loss == Loss::Answer;
        assert_eq!(rig.count(kind.effect).await - effect, i64::from(is_stored), "{what}");
        assert_eq!(rig.count(&audit).await - audited, i64::from(is_stored), "{what}: the audit is as complete as the entry");
        // On a busy machine, more than 10 s may have passed.
        rig.sql("UPDATE tag SET placed_at = clock_timestamp()").await;
        let repeated = rig.server.ask_as_written(&request).await;
        let status = match kind.again {
            Again::Refused(status) if is_stored => status,
            _ => 200,
        };
        // A command that an api has left behind ends as unknown, and so does its answer.
        let is_left_behind = is_stored && kind.name == "command" && [409, 504].contains(&repeated.status);
        assert!(repeated.status == status || is_left_behind, "{what}: {repeated:?}");
        assert_eq!(rig.count(kind.effect).await - effect, 1, "{what}: {repeated:?}");
        let replaces = is_stored && kind.again == Again::Replaces;
        assert_eq!(rig.count(&audit).await - audited, 1 + i64::from(replaces), "{what}");
    }
    let command = rig.newest(&west).await["commandId"].as_str().expect("an id").to_owned();
    let has_ended = async {
        loop {
            let row = rig.server.get_as(&west, &format!("/api/digiops/command/{command}")).await.json()["result"].clone();
            if row["state"] == "DONE" || loss == Loss::Answer && row["state"] == "UNKNOWN" {
                return;
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, has_ended).await.expect("the command ends");
    let published = rig.gateway.actions().iter().filter(|action| **action == Action::Direct).count();
    assert!(published <= 1 && rig.gateway.moves() == published, "published {published} times");
    let states = rig.count(&format!("audit WHERE action = 'command_state' AND subject = 'command {command}'")).await;
    assert!(states >= 1, "its end is in the audit");
}

#[tokio::test]
async fn lost_connection_to_the_database_stores_nothing() {
    survives(Loss::Connection).await;
}

#[tokio::test]
async fn api_that_ends_in_the_transaction_stores_nothing() {
    survives(Loss::Api).await;
}

#[tokio::test]
async fn repeated_request_whose_answer_was_lost_doubles_nothing() {
    survives(Loss::Answer).await;
}
