//! The test environment for operating.

use std::time::Duration;

use grid::NodeId;
use ingest::{Deps, IngestConfig};
use serde_json::{Value, json};
use store::Store;
use testkit::TestBroker;
use tokio_util::sync::CancellationToken;
use wire::bus::{BusMessage, Change};

use super::gateway::{Gateway, now_ms};
use crate::field::PASSWORD;
use crate::server::{Answer, Server};

/// Time limit of each wait in a test.
const PATIENCE: Duration = Duration::from_secs(20);
pub(crate) const OPEN: i32 = 1;
pub(crate) const CLOSED: i32 = 2;

/// An api, a broker, an ingest, and a gateway with one breaker, with control enabled.
pub(crate) struct Rig {
    pub(crate) server: Server,
    pub(crate) gateway: Gateway,
    pub(crate) broker: TestBroker,
    ingest: CancellationToken,
}

impl Drop for Rig {
    fn drop(&mut self) {
        self.ingest.cancel();
    }
}

impl Rig {
    /// Starts with a closed breaker; roles 1 and 2 need no credentials.
    pub(crate) async fn start() -> Self {
        Self::start_with(json!({})).await
    }

    /// Starts with other settings of control.
    pub(crate) async fn start_with(control: Value) -> Self {
        let broker = testkit::broker().await;
        let server = Server::start_on(true, &broker.url()).await;
        Self::over(server, broker, control).await
    }

    /// Starts over a running api and its broker.
    pub(crate) async fn over(server: Server, broker: TestBroker, control: Value) -> Self {
        // Only the test of a missing feedback reaches its time limit, also on a busy machine.
        let mut settings =
            json!({ "enabled": true, "stepupAll": false, "minIntervalSeconds": 0, "burstOperations": 100, "feedbackSeconds": 60 });
        settings.as_object_mut().expect("an object").extend(control.as_object().expect("an object").clone());
        let client = server.database.client().await;
        client
            .execute(
                "UPDATE client SET config = config || $1 WHERE id = $2",
                &[&json!({ "control": settings, "simulated": true }), &server.one.client.0],
            )
            .await
            .expect("control is on");
        let ingest = start_ingest(&server, &broker.url()).await;
        let gateway = Gateway::start(&broker.url(), "one", "one-RTU", CLOSED).await;
        let rig = Self { server, gateway, broker, ingest };
        let token = rig.operator("first", 2).await;
        rig.until_status(&token, |status| status["operable"] == true).await;
        rig
    }

    /// Creates a user with this role and permission to operate; returns the token. Roles 1 and 2 have the whole utility, others its first
    /// division.
    pub(crate) async fn operator(&self, username: &str, role: i32) -> String {
        let node = (role > 2).then_some(self.server.one.division);
        self.person(username, role, node, true).await
    }

    /// Creates a user and returns the token.
    pub(crate) async fn person(&self, username: &str, role: i32, node: Option<NodeId>, can_operate: bool) -> String {
        let id = self.server.enter(username, role, node).await;
        let client = self.server.database.client().await;
        client
            .execute(
                "UPDATE member SET can_operate = $1, first_name = $2, last_name = 'Nair' WHERE id = $3",
                &[&can_operate, &username, &id],
            )
            .await
            .expect("changed");
        self.server.sign_in(username).await
    }

    /// Changes the database directly.
    pub(crate) async fn sql(&self, statement: &str) {
        self.server.database.client().await.batch_execute(statement).await.unwrap_or_else(|error| panic!("{statement}: {error}"));
    }

    /// Reads a number from the database.
    pub(crate) async fn count(&self, what: &str) -> i64 {
        let row = self.server.database.client().await.query_one(&format!("SELECT count(*) FROM {what}"), &[]).await;
        row.expect("a number").get(0)
    }

    /// Stores a ticket for one operation.
    pub(crate) async fn prove(&self, token: &str, username: &str) {
        let body = json!({ "Email": username, "Password": PASSWORD });
        let answer = self.server.json_as(token, "POST", "/api/sld/validatecredentialsfordocontrol", &body).await;
        assert_eq!(answer.status, 200, "{answer:?}");
    }

    pub(crate) fn status_path(&self) -> String {
        format!("/api/digiops/cbstatus/{}/{}", self.server.one.gateway.0, self.server.one.position.0)
    }

    pub(crate) async fn status(&self, token: &str) -> Value {
        let answer = self.server.get_as(token, &self.status_path()).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()["result"].clone()
    }

    /// Waits until the breaker's status matches.
    pub(crate) async fn until_status(&self, token: &str, is_expected: impl Fn(&Value) -> bool) -> Value {
        let reached = async {
            loop {
                let status = self.status(token).await;
                if is_expected(&status) {
                    return status;
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        match tokio::time::timeout(PATIENCE, reached).await {
            Ok(status) => status,
            Err(late) => panic!("{late}: {}", self.status(token).await),
        }
    }

    /// Returns the body of a command from one position to another, with one of the flags set.
    pub(crate) fn order(&self, flag: &str, from: i32, to: i32) -> Value {
        let one = &self.server.one;
        let mut body = json!({
            "assetId": one.breaker.0, "productId": one.gateway.0, "fromDIStatus": from, "fromDIText": "", "toDIStatus": to, "toDIText": "",
            "scheduledTime": "", "asset2DiSettingId": one.position.0, "directOperate": 0, "isSelect": 0, "isExecute": 0, "createdBy": 0,
        });
        body[flag] = 1.into();
        body
    }

    /// Sends a command with a key of its own.
    pub(crate) async fn post(&self, token: &str, body: &Value) -> Answer {
        self.post_keyed(token, &testkit::unique("key"), body).await
    }

    pub(crate) async fn post_keyed(&self, token: &str, key: &str, body: &Value) -> Answer {
        let authorization = format!("Bearer {token}");
        let headers = [("Authorization", authorization.as_str()), ("Content-Type", "application/json"), ("Idempotency-Key", key)];
        self.server.send("POST", "/api/digiops", &headers, &body.to_string()).await
    }

    /// Sends a command and returns the state that was reached.
    pub(crate) async fn state(&self, token: &str, flag: &str, from: i32, to: i32) -> String {
        let answer = self.post(token, &self.order(flag, from, to)).await;
        assert_eq!(answer.status, 200, "{flag}: {answer:?}");
        answer.json()["result"]["state"].as_str().expect("a state").to_owned()
    }

    /// Sends a command that is refused, and returns status and cause.
    pub(crate) async fn refused(&self, token: &str, flag: &str, from: i32, to: i32) -> (u16, i64) {
        let answer = self.post(token, &self.order(flag, from, to)).await;
        assert_ne!(answer.status, 200, "{flag}: {answer:?}");
        let body = answer.json();
        assert!(!body["message"].as_str().expect("a sentence").is_empty() && body["statusCode"] == answer.status, "{answer:?}");
        (answer.status, body["result"]["addCause"].as_i64().unwrap_or_else(|| panic!("{answer:?}")))
    }

    /// Waits until a command is in this state.
    pub(crate) async fn until(&self, token: &str, command: &str, state: &str) -> Value {
        let reached = async {
            loop {
                let row = self.server.get_as(token, &format!("/api/digiops/command/{command}")).await.json()["result"].clone();
                if row["state"] == state {
                    return row;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        match tokio::time::timeout(PATIENCE, reached).await {
            Ok(row) => row,
            Err(late) => panic!("{late}: {:?}", self.server.get_as(token, &format!("/api/digiops/command/{command}")).await),
        }
    }

    /// Returns the newest command of the substation.
    pub(crate) async fn newest(&self, token: &str) -> Value {
        let path = format!("/api/digiops/commands/{}", self.server.one.location.0);
        self.server.get_as(token, &path).await.json()["result"][0].clone()
    }

    /// Waits until the api has processed all earlier messages of the bus: it shows a position that was published after them and is not in
    /// the database. It has the last number of the present ingest, so no position of the gateway replaces it.
    pub(crate) async fn fence(&self, token: &str) {
        let now = i64::try_from(now_ms()).expect("a time") * 1_000;
        let term = "SELECT max(link_term) FROM gateway";
        let term = self.server.database.client().await.query_one(term, &[]).await.expect("an ingest").get(0);
        let grid::Ordinal { epoch, seq } = grid::Ordinal::of_term(grid::Term(term), i64::MAX);
        let change = Change {
            point: self.server.one.position.0,
            value: Some(f64::from(CLOSED)),
            quality: 0,
            source: now,
            received: now,
            epoch,
            seq,
        };
        self.server.bus.publish(BusMessage::Changes { client: self.server.one.client.0, changes: vec![change] });
        self.until_status(token, |status| status["sourceTime"].as_i64() == Some(now / 1_000)).await;
    }

    /// Waits until no command holds the breaker.
    pub(crate) async fn until_free(&self, token: &str) {
        self.until_status(token, |status| status["reservation"].is_null()).await;
    }

    /// Stops ingest as in a crash.
    pub(crate) fn stop_ingest(&self) {
        self.ingest.cancel();
    }
}

async fn start_ingest(server: &Server, broker: &str) -> CancellationToken {
    let config = IngestConfig {
        url: broker.to_owned(),
        groups: vec!["one".to_owned()],
        rebirth_cooldown: Duration::from_millis(500),
        birth_patience: Duration::from_mins(1),
        ..IngestConfig::default()
    };
    let host_id = config.host_id.clone();
    let store = Store::connect(server.database.url(), 2).await.expect("connected");
    let deps = Deps {
        database_url: server.database.url().to_owned(),
        store,
        registry: server.registry.clone(),
        bus: server.bus.clone(),
        readiness: ingest::Readiness::default(),
    };
    let mut bus = server.bus.subscribe();
    let shutdown = CancellationToken::new();
    let running = ingest::run(config, deps, shutdown.clone());
    tokio::spawn(async move { running.await.expect("good settings") });
    // Waits for the heartbeat of this ingest, which it sends after it is connected to the broker. The server has another heartbeat.
    let is_of_ingest = |message: &BusMessage| matches!(message, BusMessage::Alive { ingest, .. } if *ingest == host_id);
    let alive = async { while !matches!(bus.next().await.expect("a bus"), bus::Received::Message(message) if is_of_ingest(&message)) {} };
    tokio::time::timeout(PATIENCE, alive).await.expect("ingest in time");
    shutdown
}
