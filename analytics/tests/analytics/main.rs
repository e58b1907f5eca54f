//! Tests of analytics against a real database, in one program so that it is linked once.

#![allow(clippy::unwrap_used, reason = "a helper of a test fails the test")]

mod forecast;
