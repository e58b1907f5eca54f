//! REST.
