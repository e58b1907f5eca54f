//! A command that failed raises an alarm once, whether or not the service was running when it ended.

use std::time::Duration;

use grid::Micros;
use wire::bus::BusMessage;

use crate::site::{Site, now, published_alarms};

/// Stores a command of the breaker with its last states, as the api does, and announces it on the bus.
async fn enter(site: &Site, sent: bool, states: &[(&str, &str)], at: Micros) {
    let client = site.database.client().await;
    let id: String = client.query_one("SELECT gen_random_uuid()::text", &[]).await.expect("an id").get(0);
    site.store.command_stream(site.client).await.expect("a stream");
    let (last, message) = states.last().expect("a state");
    let command = "INSERT INTO command (id, client_id, location_id, asset_id, point_id, gateway_id, session_id, member_id, operator, mode, from_status,
            to_status, simulated, from_address, correlation_id, state, requested_at, changed_at, issued, sent_at, due, message, \"offset\", owner)
        SELECT $1, p.client_id, a.location_id, a.id, p.id, p.gateway_id, 1, 1, 'A. Nair', 'direct', 2, 1, true, '', '', $2, instant($4), instant($4),
            instant($4), CASE WHEN $5 THEN instant($4) END, instant($4), $6, 0, 'x'
        FROM point p JOIN asset a ON a.id = p.asset_id
        WHERE p.id = $3";
    client.execute(command, &[&id, last, &site.position.0, &at.0, &sent, message]).await.expect("entered");
    let state = "WITH s AS (UPDATE stream SET top = top + 1 WHERE client_id = $1 AND kind = 'command' RETURNING top)
        INSERT INTO command_event (client_id, \"offset\", command_id, location_id, state, at, message)
        SELECT $1, top, $2, $3, $4, instant($5), $6 FROM s";
    for (state_name, message) in states {
        client.execute(state, &[&site.client.0, &id, &site.location.0, state_name, &at.0, message]).await.expect("entered");
    }
    site.bus.publish(BusMessage::Commands { client: site.client.0, epoch: String::new(), from: 0, offset: 0, rows: Vec::new() });
}

const LATE: &str = "No new position was reported in time.";

#[tokio::test]
async fn failed_command_raises_alarm_as_soon_as_it_ends() {
    let site = Site::new(0).await;
    // No polling of the database: the bus announces new commands.
    let service = site.start(|config| alarms::AlarmsConfig { poll: Duration::from_hours(1), ..config }).await;
    let mut bus = site.bus.subscribe();
    let at = now();
    enter(&site, true, &[("REQUESTED", ""), ("SENT", ""), ("NO_FEEDBACK", LATE)], at).await;
    let rows = published_alarms(&mut bus, 2).await;
    let alarms: Vec<_> = rows.iter().map(|row| (row.kind.as_str(), row.priority, row.state.as_str(), row.count)).collect();
    assert_eq!(
        alarms,
        [("command", 1, "active_unacked", 1), ("command", 1, "cleared_unacked", 1)],
        "it stays until a user acknowledges it"
    );
    let row = &rows[1];
    assert_eq!(row.text, "Command to open by A. Nair was not confirmed by the device. No new position was reported in time.");
    assert_eq!((row.asset_id, row.asset_name.as_deref()), (Some(site.breaker.0), Some("F1CB")));
    assert_eq!((row.location_id, row.location_name.as_str(), row.point_id), (site.location.0, "The location", Some(site.position.0)));
    assert_eq!(row.raised, row.cleared);
    service.stop().await;
}

#[tokio::test]
async fn command_that_fails_while_the_service_is_down_raises_alarm_once() {
    let site = Site::new(0).await;
    site.start(|config| config).await.stop().await;
    let at = now();
    enter(&site, true, &[("SENT", ""), ("UNKNOWN", "")], at).await;
    let mut bus = site.bus.subscribe();
    let service = site.start(|config| config).await;
    assert_eq!(published_alarms(&mut bus, 2).await[1].text, "Command to open by A. Nair has an unknown outcome.");
    service.kill().await;
    let service = site.start(|config| config).await;
    // The first command is not reported again: the next rows are those of the second command.
    enter(&site, true, &[("SENT", ""), ("NO_FEEDBACK", "")], at.plus_millis(1)).await;
    let rows = published_alarms(&mut bus, 2).await;
    assert_eq!(rows.iter().map(|row| (row.count, row.offset)).collect::<Vec<_>>(), [(2, 3), (2, 4)]);
    service.stop().await;
}

#[tokio::test]
async fn only_failures_after_the_order_raise_alarms() {
    let site = Site::new(0).await;
    let service = site.start(|config| config).await;
    let mut bus = site.bus.subscribe();
    let at = now();
    enter(&site, false, &[("REQUESTED", ""), ("REFUSED", "Inhibited by a tag.")], at).await;
    enter(&site, false, &[("SELECTING", ""), ("EXPIRED", "")], at).await;
    enter(&site, false, &[("SELECTED", ""), ("CANCELLED", "")], at).await;
    enter(&site, true, &[("SENT", ""), ("ACCEPTED", ""), ("DONE", "")], at).await;
    enter(&site, true, &[("SENT", ""), ("REFUSED", "The device is blocked.")], at).await;
    let rows = published_alarms(&mut bus, 2).await;
    assert_eq!((rows[0].offset, rows[0].priority), (1, 2), "the first change there is");
    assert_eq!(rows[0].text, "Command to open by A. Nair was refused by the device. The device is blocked.");
    service.stop().await;
}
