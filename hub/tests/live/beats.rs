//! Whether alarms are being made is told with every heartbeat: the real service beside the real hub.

use std::time::Duration;

use alarms::{AlarmsConfig, Deps};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::client::Client;
use crate::site::Site;

fn service(site: &Site) -> JoinHandle<()> {
    let config = AlarmsConfig { lead: Duration::from_millis(200), ..AlarmsConfig::default() };
    let deps = Deps { database_url: site.database.url().to_owned(), store: site.store.clone(), bus: site.bus.clone() };
    tokio::spawn(alarms::run(config, deps, CancellationToken::new()))
}

/// Heartbeats come every second; more than this say that the one waited for does not come.
const HEARTBEATS_MAX: usize = 120;

/// Waits for a heartbeat that reports whether alarms are being made.
async fn until(client: &mut Client, wanted: bool) {
    for _ in 0..HEARTBEATS_MAX {
        let heartbeat = client.event("heartbeat").await;
        if heartbeat["alarmsWorking"].as_bool().expect("yes or no") == wanted {
            return;
        }
    }
    panic!("no heartbeat reports {wanted}");
}

#[tokio::test]
async fn heartbeat_reports_whether_the_alarm_service_works() {
    let site = Site::start(|config| config).await;
    let mut client = Client::sign_in(site.port, &site.token().await).await;
    until(&mut client, false).await;
    let first = service(&site);
    until(&mut client, true).await;
    first.abort();
    assert!(first.await.expect_err("killed").is_cancelled());
    until(&mut client, false).await;
    // The next one takes over.
    let second = service(&site);
    until(&mut client, true).await;
    second.abort();
}
