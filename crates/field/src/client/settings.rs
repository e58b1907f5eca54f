//! Settings of a connection: the broker, and what to request from it.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use rumqttc::mqttbytes::QoS;
use rumqttc::mqttbytes::v5::{LastWill, LastWillProperties};
use rumqttc::{AckMode, BrokerSessionResumePolicy, MqttOptions};

use super::dial::dial;
use super::error::Error;
use super::gather::{Endings, Gather};

/// Maximum number of our own QoS 1 messages in flight without acknowledgement. Further ones wait in the outbox.
const ON_THE_WAY: u16 = 256;

/// Maximum number of messages in one write.
const MESSAGES_A_WRITE: usize = 64;

/// MQTT quality of service: the delivery guarantee between one client and the broker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Qos {
    /// QoS 0.
    AtMostOnce,
    /// QoS 1.
    AtLeastOnce,
}

impl From<Qos> for QoS {
    fn from(qos: Qos) -> Self {
        match qos {
            Qos::AtMostOnce => Self::AtMostOnce,
            Qos::AtLeastOnce => Self::AtLeastOnce,
        }
    }
}

/// The message that the broker publishes when the connection ends without a DISCONNECT.
#[derive(Debug, Clone)]
pub struct Will {
    /// Its topic.
    pub topic: String,
    /// Its content.
    pub payload: Bytes,
    /// Its QoS.
    pub qos: Qos,
    /// Whether the broker retains it.
    pub retain: bool,
}

/// Creates the will of a connection from the number of the connection, because the `bdSeq` in a Sparkplug death must
/// differ between connections.
pub type WillMaker = Arc<dyn Fn(u64) -> Will + Send + Sync>;

/// Settings of a connection: the broker, and what to request from it.
#[derive(Clone)]
pub struct Settings {
    /// `mqtt://[user:password@]host[:port]`
    pub url: String,
    /// Unique among all clients of the broker: a second client with the same id disconnects the first one.
    pub client_id: String,
    /// Used unless the URL contains a user name.
    pub username: Option<String>,
    /// Password of `username`.
    pub password: Option<String>,
    /// Whether the broker drops the kept session.
    pub clean_start: bool,
    /// How long the broker keeps subscriptions and QoS 1 messages while the client is disconnected.
    pub session_expiry: Duration,
    /// MQTT keep alive. The broker closes the connection after one and a half intervals without a packet.
    pub keep_alive: Duration,
    /// Maximum packet size requested from the broker, bytes. An MQTT 5 broker drops larger ones.
    pub max_packet: u32,
    /// Maximum number of bytes of payload in the inbox. A single message can be larger if the inbox is empty.
    pub inbox_bytes: u32,
    /// QoS 1 messages that the broker may send without acknowledgement.
    pub receive_maximum: u16,
    /// Topic filters. They must not overlap, or messages arrive twice.
    pub subscriptions: Vec<(String, Qos)>,
    /// Time for the broker to grant the subscriptions. After this time the connection is closed.
    pub subscribe_limit: Duration,
    /// Creates the will of each connection; `None` for no will.
    pub will: Option<WillMaker>,
    /// How long the broker waits before it publishes the will. A new connection of the same client id cancels it. Whole
    /// seconds.
    pub will_delay: Duration,
    /// User properties of each CONNECT.
    pub user_properties: Vec<(String, String)>,
    /// Whether to wait when the broker gives the session to another client with the same id. If true, there is no
    /// connection before [`super::Publisher::resume`]. If false, the client connects again, as after every
    /// interruption.
    pub hold_when_taken_over: bool,
}

impl Settings {
    /// Returns settings with this URL and client id: no kept session, no subscription, no will.
    pub fn new(url: impl Into<String>, client_id: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            client_id: client_id.into(),
            username: None,
            password: None,
            clean_start: true,
            session_expiry: Duration::ZERO,
            keep_alive: Duration::from_secs(10),
            max_packet: 1024 * 1024,
            inbox_bytes: 16 * 1024 * 1024,
            receive_maximum: 1_000,
            subscriptions: Vec::new(),
            subscribe_limit: Duration::from_secs(30),
            will: None,
            will_delay: Duration::ZERO,
            user_properties: Vec::new(),
            hold_when_taken_over: false,
        }
    }

    /// `endings` receives how the connections end.
    pub(super) fn options(&self, endings: &Endings) -> Result<MqttOptions, Error> {
        let address = Address::parse(&self.url).ok_or_else(|| Error::Address(without_password(&self.url)))?;
        let mut options = MqttOptions::new(self.client_id.clone(), (address.host, address.port));
        let user = address.user.or_else(|| self.username.clone().map(|user| (user, self.password.clone().unwrap_or_default())));
        if let Some((user, password)) = user {
            options.set_credentials(user, password.into_bytes());
        }
        options
            .set_keep_alive(u16::try_from(self.keep_alive.as_secs()).unwrap_or(u16::MAX))
            .set_clean_start(self.clean_start)
            .set_session_expiry_interval(Some(u32::try_from(self.session_expiry.as_secs()).unwrap_or(u32::MAX)))
            .set_receive_maximum(Some(self.receive_maximum))
            // The client keeps a slot of some 200 bytes for each: without a limit 13 MB for each connection.
            .set_outgoing_inflight_upper_limit(ON_THE_WAY)
            .set_max_request_batch(MESSAGES_A_WRITE)
            .set_max_packet_size(Some(self.max_packet))
            .set_user_properties(self.user_properties.clone())
            .set_ack_mode(AckMode::Manual)
            .set_broker_session_resume_policy(BrokerSessionResumePolicy::AllowBrokerOnly);
        let mut network = options.network_options();
        network.set_tcp_nodelay(true);
        options.set_network_options(network);
        let endings = endings.clone();
        options.set_socket_connector(move |host, network| {
            let endings = endings.clone();
            async move { Ok(Gather::new(dial(host, network).await?, endings)) }
        });
        Ok(options)
    }

    /// Returns the will of a connection.
    pub(super) fn last_will(&self, connection: u64) -> Option<LastWill> {
        let Will { topic, payload, qos, retain } = self.will.as_ref()?(connection);
        let delay_interval = u32::try_from(self.will_delay.as_secs()).ok().filter(|delay| *delay > 0);
        let properties = delay_interval.map(|_| LastWillProperties {
            delay_interval,
            payload_format_indicator: None,
            message_expiry_interval: None,
            content_type: None,
            response_topic: None,
            correlation_data: None,
            user_properties: Vec::new(),
        });
        Some(LastWill::new(topic, payload.to_vec(), qos.into(), retain, properties))
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Secrets must not be logged.
        f.debug_struct("Settings").field("url", &without_password(&self.url)).field("client_id", &self.client_id).finish_non_exhaustive()
    }
}

#[derive(Debug, PartialEq, Eq)]
struct Address {
    host: String,
    port: u16,
    user: Option<(String, String)>,
}

impl Address {
    fn parse(url: &str) -> Option<Self> {
        let rest = url.strip_prefix("mqtt://").or_else(|| url.strip_prefix("tcp://"))?;
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        let (user, place) = rest.rsplit_once('@').map_or((None, rest), |(user, place)| (Some(user), place));
        let (host, port) = match place.rsplit_once(':') {
            // A colon inside brackets belongs to an IPv6 address.
            Some((host, port)) if !port.ends_with(']') => (host, port.parse().ok()?),
            _ => (place, 1883),
        };
        let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        let user =
            user.map(|user| user.split_once(':').unwrap_or((user, ""))).map(|(user, password)| (user.to_owned(), password.to_owned()));
        (!host.is_empty() && !host.contains('/')).then(|| Self { host: host.to_owned(), port, user })
    }
}

fn without_password(url: &str) -> String {
    match (url.split_once("://"), url.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, place))) => format!("{scheme}://…@{place}"),
        _ => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        let address = |host: &str, port, user: Option<(&str, &str)>| {
            Some(Address { host: host.into(), port, user: user.map(|(user, password)| (user.into(), password.into())) })
        };
        for (url, expected) in [
            ("mqtt://127.0.0.1:1884", address("127.0.0.1", 1884, None)),
            ("mqtt://broker", address("broker", 1883, None)),
            ("mqtt://broker/", address("broker", 1883, None)),
            ("tcp://rtu:s3:cr@t@broker:1", address("broker", 1, Some(("rtu", "s3:cr@t")))),
            ("mqtt://[::1]:1883", address("::1", 1883, None)),
            ("mqtt://[::1]", address("::1", 1883, None)),
            ("mqtts://broker", None),
            ("mqtt://broker:port", None),
            ("mqtt://", None),
            ("broker:1883", None),
        ] {
            assert_eq!(Address::parse(url), expected, "{url}");
        }
    }

    #[test]
    fn errors_and_logs_hold_no_password() {
        let settings = Settings::new("mqtts://u:secret@broker", "c");
        assert!(!format!("{settings:?}").contains("secret"));
        assert!(!settings.options(&Endings::default()).map(|_| ()).unwrap_err().to_string().contains("secret"));
    }
}
