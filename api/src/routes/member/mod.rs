//! The signed-in person.

pub(crate) mod logout;
