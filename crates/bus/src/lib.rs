//! Changes from ingest to hubs, in one process or over MQTT.
