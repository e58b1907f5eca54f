//! What remains after the end of a session, of a permission or of an api.

use serde_json::json;
use store::Store;
use tokio_util::sync::CancellationToken;

use super::gateway::Manner;
use super::rig::{CLOSED, OPEN, Rig};
use crate::server;

#[tokio::test]
async fn sign_out_cancels_selections() {
    let rig = Rig::start().await;
    let (token, other) = (rig.operator("second", 2).await, rig.operator("third", 2).await);
    assert_eq!(rig.state(&token, "isSelect", CLOSED, OPEN).await, "SELECTED");
    let id = rig.newest(&other).await["commandId"].as_str().expect("an id").to_owned();
    let member = rig.newest(&other).await["memberId"].clone();
    assert_eq!(rig.server.get_as(&token, &format!("/api/member/logout/{member}")).await.status, 200);
    rig.until(&other, &id, "CANCELLED").await;
    assert_eq!(rig.state(&other, "isSelect", CLOSED, OPEN).await, "SELECTED", "it is free");

    // A permission that was removed without a message on the bus is also missing.
    let id = rig.newest(&other).await["commandId"].as_str().expect("an id").to_owned();
    rig.sql("UPDATE member SET disabled = true WHERE username = 'third'").await;
    let first = rig.server.sign_in("first").await;
    rig.until(&first, &id, "CANCELLED").await;
    assert_eq!(rig.gateway.moves(), 0);
}

#[tokio::test]
async fn a_selection_runs_out() {
    let rig = Rig::start_with(json!({ "selectSeconds": 5 })).await;
    let token = rig.operator("second", 2).await;
    assert_eq!(rig.state(&token, "isSelect", CLOSED, OPEN).await, "SELECTED");
    let id = rig.newest(&token).await["commandId"].as_str().expect("an id").to_owned();
    let row = rig.until(&token, &id, "EXPIRED").await;
    let took = row["changedAt"].as_i64().expect("a time") - row["requestedAt"].as_i64().expect("a time");
    assert!(took >= 4_900, "{took} ms of 5 s");
    assert_eq!(rig.refused(&token, "isExecute", CLOSED, OPEN).await, (409, 18));
    assert_eq!(rig.gateway.moves(), 0);
}

/// Another api in a runtime of its own. Stopping it is like a crash: its tasks end without a message.
pub(super) struct Doomed {
    runtime: Option<tokio::runtime::Runtime>,
    pub(super) port: u16,
}

impl Doomed {
    pub(super) async fn start(rig: &Rig) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
        let (url, bus, broker) = (rig.server.database.url().to_owned(), rig.server.bus.clone(), rig.broker.url());
        let registry = rig.server.registry.clone();
        let serving = runtime.spawn(async move {
            let store = Store::connect(&url, 4).await.expect("connected");
            let second_factor = identity::SecondFactor::Offered;
            let smtp = "smtp://127.0.0.1:9".to_owned();
            let settings = server::ServeSettings { registry, broker, demo_logins: true, second_factor, smtp, power_bi: None };
            server::serve(store, bus, settings, CancellationToken::new()).await
        });
        let port = serving.await.expect("a port");
        Self { runtime: Some(runtime), port }
    }

    pub(super) fn kill(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Drop for Doomed {
    fn drop(&mut self) {
        self.kill();
    }
}

#[tokio::test]
async fn an_api_that_dies_between_select_and_execute_leaves_nothing_selected_and_nothing_sent_again() {
    let mut rig = Rig::start_with(json!({ "selectSeconds": 60, "feedbackSeconds": 60 })).await;
    let token = rig.operator("second", 2).await;
    let home = rig.server.port();
    for (flag, manner, end) in [("isSelect", Manner::Good, "CANCELLED"), ("directOperate", Manner::Stuck, "UNKNOWN")] {
        let mut doomed = Doomed::start(&rig).await;
        rig.server.turn_to(doomed.port);
        rig.until_status(&token, |status| status["operable"] == true).await;
        rig.gateway.behave(manner);
        rig.state(&token, flag, CLOSED, OPEN).await;
        // The remaining api received the message and changed nothing, because the command belongs to the other one.
        doomed.kill();
        rig.server.turn_to(home);
        let id = rig.newest(&token).await["commandId"].as_str().expect("an id").to_owned();
        let row = rig.until(&token, &id, end).await;
        assert_eq!(row["addCause"], 23, "{row}");
        assert_eq!(rig.gateway.moves(), 0);
    }
    let orders = rig.gateway.actions();
    assert_eq!(
        orders.iter().filter(|action| matches!(action, grid::control::Action::Execute | grid::control::Action::Direct)).count(),
        1,
        "{orders:?}"
    );
}
