//! The database is unreachable for a while: changes in that time are committed later, and rules that change meanwhile apply.

use std::time::Duration;

use grid::Quality;
use store::audit::Origin;
use tokio_postgres::{Client, NoTls};
use wire::alarms::AlarmRow;
use wire::bus::BusMessage;

use crate::limits::oil_rule;
use crate::site::{Site, now, published_alarms};

/// Returns a connection to the same server that remains open while the site's database is unreachable.
pub(crate) async fn beside(site: &Site) -> Client {
    let url = site.database.url().replace(site.database.name(), "postgres");
    let (client, connection) = tokio_postgres::connect(&url, NoTls).await.expect("a server");
    tokio::spawn(connection);
    client
}

pub(crate) async fn reachable(server: &Client, site: &Site, reachable: bool) {
    let name = site.database.name();
    server.batch_execute(&format!("ALTER DATABASE {name} WITH ALLOW_CONNECTIONS {reachable}")).await.expect("altered");
    if !reachable {
        server.execute("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = $1", &[&name]).await.expect("cut");
    }
}

fn states_of(rows: &[AlarmRow]) -> Vec<(&str, i32, i64)> {
    rows.iter().map(|row| (row.state.as_str(), row.count, row.offset)).collect()
}

#[tokio::test]
async fn what_happens_while_the_database_is_away_is_entered_when_it_is_back() {
    let site = Site::new(0).await;
    site.store.add_alarm_rules(site.client, &[oil_rule(&site)]).await.expect("stored");
    let service = site.start(|config| config).await;
    let server = beside(&site).await;
    let mut bus = site.bus.subscribe();
    let start = now();
    let publish_value =
        |second: i64, value: f64| site.publish_value(site.oil, value, Quality::Good, start.plus_millis(second * 1_000 - 60_000));
    publish_value(1, 99.0);
    assert_eq!(states_of(&published_alarms(&mut bus, 1).await), [("active_unacked", 1, 1)]);
    reachable(&server, &site, false).await;
    // Long enough for the step to fail and for the leadership to be lost, with changes to commit before, between and after.
    for second in 2..=7 {
        publish_value(second, if second % 2 == 0 { 50.0 } else { 99.0 });
        tokio::time::sleep(Duration::from_millis(150)).await;
    }
    // Everything must be read from the database as well.
    site.bus.publish(BusMessage::AlarmRules { client: site.client.0 });
    reachable(&server, &site, true).await;
    let expected = [
        ("cleared_unacked", 1, 2),
        ("active_unacked", 2, 3),
        ("cleared_unacked", 2, 4),
        ("active_unacked", 3, 5),
        ("cleared_unacked", 3, 6),
        ("active_unacked", 4, 7),
    ];
    assert_eq!(states_of(&published_alarms(&mut bus, 6).await), expected);
    // The service continues.
    publish_value(8, 50.0);
    assert_eq!(states_of(&published_alarms(&mut bus, 1).await), [("cleared_unacked", 4, 8)]);
    service.stop().await;
}

#[tokio::test]
async fn a_rule_that_changes_reaches_the_alarm_that_stands() {
    let mut site = Site::new(0).await;
    site.store.add_alarm_rules(site.client, &[oil_rule(&site)]).await.expect("stored");
    let at = now();
    site.store_values(&[(site.oil, 99.0, at)]).await;
    let mut bus = site.bus.subscribe();
    let service = site.start(|config| config).await;
    let raised = published_alarms(&mut bus, 1).await.remove(0);
    assert_eq!((raised.priority, raised.limit, raised.text.as_str()), (2, Some(85.0), "Oil temperature high"));
    let origin = Origin { client: Some(site.client), from: "test".into(), ..Origin::default() };
    let rule = grid::alarm::Rule { limit: Some(90.0), priority: 1, text: "Oil of TX1".into(), ..oil_rule(&site) };
    site.store.replace_alarm_rules(site.client, site.oil, &[rule], &origin).await.expect("stored");
    site.bus.publish(BusMessage::AlarmRules { client: site.client.0 });
    let changed = published_alarms(&mut bus, 1).await.remove(0);
    let expected = AlarmRow { priority: 1, limit: Some(90.0), text: "Oil of TX1 high".into(), offset: 2, ..raised };
    assert_eq!(changed, expected, "the same alarm, and it was not raised again");
    // After reading the database the alarm is already in the expected state, so the next change is the following one.
    site.bus.publish(BusMessage::AlarmRules { client: site.client.0 });
    site.publish_value(site.oil, 50.0, Quality::Good, at.plus_millis(1_000));
    let cleared = published_alarms(&mut bus, 1).await.remove(0);
    assert_eq!((cleared.state.as_str(), cleared.offset), ("cleared_unacked", 3));
    service.stop().await;
}
