//! The store against real databases: one program, so that it is linked once.

mod discovery;
mod events;
mod fixture;
mod people;
mod schema;
mod seeding;
mod writing;
