//! Real servers for tests: a database for each test, brokers, and servers that a test can kill. For development only.
//!
//! Nothing is mocked: databases are cloned from a migrated template on a real server, brokers and crash-test servers are real processes started by
//! `scripts/services`. Dropping a handle removes everything that it created.

mod database;
mod disk;
pub mod example;
mod port;
mod server;
mod services;
mod statements;

pub use database::{Flavour, TestDatabase, database, database_on, empty_database};
pub use disk::SmallDisk;
pub use port::free_port;
pub use server::{BrokerSetup, TestBroker, TestPostgres, broker, broker_with, postgres_server, postgres_server_on_small_disk};
pub use services::{faketime, shared_mqtt_url, unique};
pub use statements::statements;
