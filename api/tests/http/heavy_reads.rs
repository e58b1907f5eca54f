//! Long reads of one user: they wait in a queue of their own, and nothing else waits for them.

use tokio::task::JoinSet;

use crate::control::rig::{CLOSED, OPEN, Rig};
use crate::report_schedules_field::until_stored;
use crate::server::{Answer, Server};

/// Reads that the database works on: each waits for the table of outages.
fn working(count: usize) -> String {
    format!("SELECT count(DISTINCT pid) = {count} FROM pg_locks WHERE NOT granted AND relation = 'outage'::regclass")
}

fn path(server: &Server) -> String {
    format!("/api/analytics/getreliabilityscores/division/{}/202606", server.one.division.0)
}

/// Starts one read as a user.
fn read(reads: &mut JoinSet<Answer>, server: &Server, token: &str) {
    let (port, path, token) = (server.port(), path(server), token.to_owned());
    reads.spawn(async move { Server::get_from(port, &token, &path).await });
}

#[tokio::test]
async fn twenty_long_reads_of_a_viewer_delay_no_command_and_no_sign_in() {
    let rig = Rig::start().await;
    let operator = rig.operator("second", 1).await;
    let viewer = rig.person("viewer", 4, Some(rig.server.one.division), false).await;
    let colleague = rig.person("colleague", 4, Some(rig.server.one.division), false).await;
    assert_eq!(rig.server.get_as(&viewer, &path(&rig.server)).await.status, 200);
    let mut holder = rig.server.database.client().await;
    let held = holder.transaction().await.expect("started");
    held.batch_execute("LOCK TABLE outage IN ACCESS EXCLUSIVE MODE").await.expect("held");
    let mut reads = JoinSet::new();
    for _ in 0..20 {
        read(&mut reads, &rig.server, &viewer);
    }
    // Two are worked on and eight wait.
    for _ in 0..10 {
        let refused = reads.join_next().await.expect("an answer").expect("no panic");
        assert!(refused.status == 429 && refused.head.contains("retry-after") && refused.body.contains("Ten long reads"), "{refused:?}");
    }
    until_stored(&rig.server, &working(2)).await;

    // Meanwhile an operator signs in and opens a breaker in two steps.
    rig.server.sign_in("second").await;
    let selected = rig.post(&operator, &rig.order("isSelect", CLOSED, OPEN)).await.json()["result"].clone();
    assert_eq!(selected["state"], "SELECTED", "{selected}");
    let mut execute = rig.order("isExecute", CLOSED, OPEN);
    execute["commandId"] = selected["commandId"].clone();
    assert_eq!(rig.post(&operator, &execute).await.status, 200);
    rig.until(&operator, selected["commandId"].as_str().expect("an id"), "DONE").await;

    // Another user does not wait for the viewer either.
    read(&mut reads, &rig.server, &colleague);
    until_stored(&rig.server, &working(3)).await;
    held.commit().await.expect("let go");
    while let Some(answer) = reads.join_next().await {
        let answer = answer.expect("no panic");
        assert_eq!(answer.status, 200, "{answer:?}");
    }
}
