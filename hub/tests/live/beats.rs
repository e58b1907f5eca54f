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

/// Waits for a heartbeat that says so; how many said otherwise before it.
async fn until(client: &mut Client, wanted: bool) -> usize {
    let mut before = 0;
    loop {
        let heartbeat = client.event("heartbeat").await;
        if heartbeat["alarmsWorking"].as_bool().expect("yes or no") == wanted {
            return before;
        }
        before += 1;
        assert!(before < 60, "the heartbeat never said {wanted}");
    }
}

#[tokio::test]
async fn a_client_is_told_when_no_alarms_are_being_made() {
    let site = Site::start(|config| config).await;
    let mut client = Client::sign_in(site.port, &site.token().await).await;
    until(&mut client, false).await;
    let first = service(&site);
    until(&mut client, true).await;
    first.abort();
    assert!(first.await.expect_err("killed").is_cancelled());
    let seconds = until(&mut client, false).await;
    assert!(seconds <= 5, "heartbeats come every second, and {seconds} still said that alarms are being made");
    // The next one takes over.
    let second = service(&site);
    until(&mut client, true).await;
    second.abort();
}
