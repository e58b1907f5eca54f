//! From MQTT to the database and the bus.
