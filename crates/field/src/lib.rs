//! MQTT: topics, Sparkplug B in both directions, client set-up.
