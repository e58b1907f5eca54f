//! Lists of circles.

pub(crate) mod circles_by_client;
pub(crate) mod circles_by_user;
