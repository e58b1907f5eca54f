//! What is worked out beside the services, against a real database: one program, so that it is linked once.

#![allow(clippy::unwrap_used, reason = "a helper of a test fails the test")]

mod forecast;
