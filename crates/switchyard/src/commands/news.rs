//! Notifies running hubs of the changes that a command has stored.

use std::time::Duration;

use grid::ClientId;
use wire::bus::BusMessage;

use super::role::remote_bus;
use crate::console::say;
use crate::settings::Settings;

/// How long a command waits for the broker. It is longer than for a readiness probe, because a user waits for the
/// result.
const BROKER_PATIENCE: Duration = Duration::from_secs(10);

const NOTIFIED: &str = "Hubs that run have been told.";
const NOT_NOTIFIED: &str =
    "Hubs that run could not be told: set MQTT_URL to the broker that they use, or restart them, and what is new becomes live.";

/// Notifies running hubs that the registry or a drawing has changed, and prints whether that succeeded.
pub(super) async fn notify_hubs(settings: &Settings, client: ClientId) {
    say(if publish(settings, client).await { NOTIFIED } else { NOT_NOTIFIED });
}

async fn publish(settings: &Settings, client: ClientId) -> bool {
    if settings.mqtt.url.is_empty() {
        return false;
    }
    let bus = match remote_bus(settings, "admin") {
        Ok(bus) => bus,
        Err(error) => {
            tracing::warn!("{error:#}");
            return false;
        }
    };
    let is_ready = bus.ready(BROKER_PATIENCE).await;
    if is_ready {
        bus.publish(BusMessage::Registry { client: client.0 });
    }
    bus.close().await;
    is_ready
}
