//! Every heartbeat reports whether the alarm service works; with the real service and the real hub.

use std::time::Duration;

use alarms::{AlarmsConfig, Deps};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::client::Client;
use crate::site::Site;

async fn service(site: &Site) -> JoinHandle<()> {
    let config = AlarmsConfig { lead: Duration::from_millis(200), ..AlarmsConfig::default() };
    let follow = registry::FollowSettings::new(site.database.url());
    let registry = registry::follow(site.store.clone(), follow, CancellationToken::new()).await.expect("followed");
    let deps = Deps { database_url: site.database.url().to_owned(), store: site.store.clone(), registry, bus: site.bus.clone() };
    tokio::spawn(alarms::run(config, deps, CancellationToken::new()))
}

/// Heartbeats within which a service starts, one per second, also on a busy machine.
const START: usize = 60;
/// Heartbeats within which the end of a service is reported: 3 s after its last heartbeat, which was up to a second
/// earlier, and the next heartbeat of the hub.
const END: usize = 10;

/// Waits for a heartbeat that reports the given state. Panics after `most` other heartbeats.
async fn until(client: &mut Client, expected: bool, most: usize) {
    for _ in 0..most {
        let heartbeat = client.event("heartbeat").await;
        if heartbeat["alarmsWorking"].as_bool().expect("yes or no") == expected {
            return;
        }
    }
    panic!("no heartbeat reports {expected}");
}

#[tokio::test]
async fn heartbeat_reports_whether_the_alarm_service_works() {
    let site = Site::start(|config| config).await;
    let mut client = Client::sign_in(site.port, &site.token().await).await;
    until(&mut client, false, END).await;
    let first = service(&site).await;
    until(&mut client, true, START).await;
    first.abort();
    assert!(first.await.expect_err("killed").is_cancelled());
    until(&mut client, false, END).await;
    // Another service takes over.
    let second = service(&site).await;
    until(&mut client, true, START).await;
    second.abort();
}
