//! What people tell us about the product.

pub(crate) mod list;
pub(crate) mod send;
