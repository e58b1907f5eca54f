//! Feedback of users about the product.

pub(crate) mod list;
pub(crate) mod send;
