//! MQTT clients without an outbox: one publishes given messages, one records the messages of others.

use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context;
use bytes::Bytes;
use field::client::{self, Event, Events, Publisher, Qos, Settings};
use tokio::task::JoinHandle;

/// A message: topic and payload.
pub type Message = (String, Bytes);

/// An MQTT client that publishes given messages.
pub struct PlainPublisher {
    publisher: Publisher,
    listening: JoinHandle<()>,
}

/// An MQTT client that records the messages of others.
pub struct Recorder {
    publisher: Publisher,
    recording: JoinHandle<()>,
    messages: Arc<Mutex<Vec<Message>>>,
    kept: Arc<Mutex<Vec<String>>>,
}

async fn connect(url: &str, client_id: &str, filter: Option<&str>) -> anyhow::Result<(Publisher, Events)> {
    let mut settings = Settings::new(url.to_owned(), client_id.to_owned());
    settings.subscriptions = filter.map(|filter| (filter.to_owned(), Qos::AtLeastOnce)).into_iter().collect();
    let (publisher, mut events) = client::connect(settings)?;
    while !matches!(events.next().await.context("a connection")?, Event::Up { .. }) {}
    Ok((publisher, events))
}

impl PlainPublisher {
    /// Connects a client.
    pub async fn connect(url: &str, client_id: &str) -> anyhow::Result<Self> {
        let (publisher, mut events) = connect(url, client_id, None).await?;
        let listening = tokio::spawn(async move { while events.next().await.is_some() {} });
        Ok(Self { publisher, listening })
    }

    /// Publishes a message at QoS 1; waits while the broker is slow.
    pub async fn say(&self, topic: &str, payload: Bytes) -> anyhow::Result<()> {
        Ok(self.publisher.publish(topic, payload, Qos::AtLeastOnce, false).await?)
    }

    /// Publishes a command message at QoS 0, like the api; `retain`: the broker keeps it.
    pub async fn order(&self, topic: &str, payload: Bytes, retain: bool) -> anyhow::Result<()> {
        Ok(self.publisher.publish(topic, payload, Qos::AtMostOnce, retain).await?)
    }

    /// Disconnects after all messages are sent.
    pub async fn leave(self) {
        self.publisher.close().await;
        self.listening.abort();
    }
}

impl Recorder {
    /// Returns the topics of retained messages.
    pub fn kept(&self) -> Vec<String> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the messages so far.
    pub fn so_far(&self) -> Vec<Message> {
        self.messages.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Starts to record.
    pub async fn record(url: &str, filter: &str) -> anyhow::Result<Self> {
        Self::record_as(url, filter, &testkit::unique("tape")).await
    }

    /// Starts to record, with this client id.
    pub async fn record_as(url: &str, filter: &str, name: &str) -> anyhow::Result<Self> {
        let (publisher, mut events) = connect(url, name, Some(filter)).await?;
        let messages: Arc<Mutex<Vec<Message>>> = Arc::default();
        let kept: Arc<Mutex<Vec<String>>> = Arc::default();
        let (writing, keeping) = (messages.clone(), kept.clone());
        let recording = tokio::spawn(async move {
            while let Some(event) = events.next().await {
                if let Event::Message(message) = event {
                    if let Some(ack) = message.ack {
                        ack.done();
                    }
                    if message.retain {
                        keeping.lock().unwrap_or_else(PoisonError::into_inner).push(message.topic.clone());
                    }
                    writing.lock().unwrap_or_else(PoisonError::into_inner).push((message.topic, message.payload));
                }
            }
        });
        Ok(Self { publisher, recording, messages, kept })
    }

    /// Stops recording and returns the messages.
    pub async fn stop(self) -> Arc<Vec<Message>> {
        self.publisher.close().await;
        self.recording.abort();
        Arc::new(std::mem::take(&mut *self.messages.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}
