//! A real database per test, a broker of its own, servers that can be killed. Dev-only.
//!
//! Nothing here is a stand-in: databases are cloned from a migrated template on a real server, brokers and crash-test servers are real
//! processes started by `scripts/services`. Everything a test makes goes away when its handle is dropped.

mod database;
mod disk;
pub mod example;
mod port;
mod server;
mod services;

pub use database::{Flavour, TestDatabase, database, database_on, empty_database};
pub use disk::SmallDisk;
pub use port::free_port;
pub use server::{BrokerSetup, TestBroker, TestPostgres, broker, broker_with, postgres_server, postgres_server_on_small_disk};
pub use services::{faketime, shared_mqtt_url, unique};
