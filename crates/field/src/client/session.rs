//! Lets a new connection resume the session that the broker kept.
//!
//! On a resumed session, the MQTT client must know the outgoing messages of the session. Otherwise it sends no message
//! that needs a packet id. Here outgoing messages are never resumed, because unsent messages are dropped with their
//! connection. So the list is empty.

use std::pin::Pin;

use rumqttc::{MqttOptions, PersistedAckMode, PersistedSession, SessionStore, SessionStoreError, SessionStoreKey};

type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, SessionStoreError>> + Send + 'a>>;

/// Reports for every session that no outgoing message is in flight.
#[derive(Debug)]
pub(super) struct NothingUnderWay(PersistedSession);

impl NothingUnderWay {
    pub(super) fn new(options: &MqttOptions) -> Self {
        Self(PersistedSession {
            format_version: 1,
            client_id: options.client_id(),
            clean_start: options.clean_start(),
            session_expiry_interval: options.session_expiry_interval(),
            outgoing_inflight_upper_limit: options.get_outgoing_inflight_upper_limit(),
            ack_mode: PersistedAckMode::Manual,
            last_pkid: 0,
            last_puback: 0,
            replay: Vec::new(),
            incoming_qos2: Vec::new(),
        })
    }
}

impl SessionStore for NothingUnderWay {
    fn load<'a>(&'a self, _: &'a SessionStoreKey) -> Answer<'a, Option<PersistedSession>> {
        Box::pin(async { Ok(Some(self.0.clone())) })
    }

    fn save<'a>(&'a self, _: &'a SessionStoreKey, _: &'a PersistedSession) -> Answer<'a, ()> {
        Box::pin(async { Ok(()) })
    }

    fn clear<'a>(&'a self, _: &'a SessionStoreKey) -> Answer<'a, ()> {
        Box::pin(async { Ok(()) })
    }
}
